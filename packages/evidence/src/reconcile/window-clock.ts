/** @module WindowClock: the time by which a window is judged, and what that depends on. */

/** How long an agent's turn may be idle before it counts as unfinished, in milliseconds. */
export interface TurnLimits {
  readonly default_ms?: number;
  /** By agent id. */
  readonly agents?: Readonly<Record<string, number>>;
  /** How long a recorded wait for a person keeps a turn open. */
  readonly human_wait_ms?: number;
}

/** Facts about one process that produces evidence. */
export interface ProducerLife {
  readonly producer_id: string;
  /** Times of its first and last report: heartbeats and loss reports. */
  readonly first: string;
  readonly last: string;
  /** Its service and instance; two lives of one instance follow each other. */
  readonly service?: string;
  readonly instance?: string;
}

/** The time and the processes by which the judge distinguishes open from unfinished. */
export interface WindowClock {
  /** The mark of the window; null where unknown. */
  readonly asOf: string | null;
  /**
   * When all events without a receipt had arrived: the stated mark, else a day after the last
   * receipt.
   */
  readonly bound: string | null;
  readonly limits: TurnLimits;
  readonly lives: readonly ProducerLife[];
}
