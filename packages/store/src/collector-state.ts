/**
 * @module CollectorState: small rows that all collectors of one store share: sessions, losses of
 * journals, alerts, and which collector sends them. No row belongs to a tenant, and none holds
 * content.
 */

/** What rows are for. */
export type StateKind =
  | "session"
  | "lease"
  | "losses"
  | "alerts"
  | "alert_values"
  | "silence"
  | "resolution"
  | "late_turns";

/** One row. */
export interface StateRow {
  readonly name: string;
  /** A safe integer; the row with the largest one stands. */
  readonly version: number;
  readonly value: string;
}

/** A row as it is written, and until when it has to be kept, epoch milliseconds. */
export interface StateWrite extends StateRow {
  readonly keepUntilMs: number;
}

/**
 * The rows of one store. A read sees every write that has resolved, from any collector. Of two rows
 * of one name and one version either stands, the same for every reader.
 */
export interface CollectorState {
  read(kind: StateKind, name: string): Promise<StateRow | undefined>;
  list(kind: StateKind): Promise<readonly StateRow[]>;
  /** Does nothing where a larger version stands. */
  write(kind: StateKind, row: StateWrite): Promise<void>;
}
