/** @module RangeRows: the rows of services and of their processes in a range of Health. */

/** What a process, or all of a service, reports to have lost in a range. */
export interface ReportedLoss {
  /**
   * `at_least`: a process was active after its last report, or one of several never reported;
   * `unknown`: none reported.
   */
  readonly lost_state: "known" | "at_least" | "unknown";
  /** Lost events; null where it is unknown. */
  readonly lost: number | null;
  readonly reasons: Readonly<Record<string, number>>;
  readonly sampled_out: number | null;
  readonly write_failures: number | null;
  readonly last_report_at: string | null;
  readonly what_to_do: string;
}

/** One process in a range. */
export interface ProcessRange extends ReportedLoss {
  /** Null for all processes without an id together. */
  readonly producer_id: string | null;
  /** Null where none is recorded, where there are several, or beyond a bound of look-ups. */
  readonly service: string | null;
  /** Turns in the range with an event of it. */
  readonly turns: number;
}

/** One service in a range. */
export interface ProducerRange extends ReportedLoss {
  /** Null for events that name none. */
  readonly service: string | null;
  readonly turns: number;
  readonly turns_with_error: number;
  /** Durable items; null for a principal that does not see the receiving side. */
  readonly items: number | null;
  /** Processes that reported in the range, or before it and were active in it. */
  readonly processes: number;
}
