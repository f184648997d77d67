/** @module Contract: what an audit log takes and guarantees, without its implementation. */
import type { Keyring } from "../keyring.ts";
import type { Pseudonyms } from "../pseudonyms.ts";
import type { CheckpointSigner } from "./checkpoint.ts";
import type { AuditEntry } from "./entry.ts";
import type { LogExtent } from "./extent.ts";
import type { Append } from "./reserve.ts";
import type { Shipper, ShipState } from "./ship.ts";
import type { AuditVerification } from "./verify.ts";
import type { WriterLockOptions } from "./writer-lock.ts";
import type { AuditFailure } from "./audit-failure.ts";

/** The open audit log. */
export interface Audit {
  /** Resolves once the record is durable. Rejects with an `AuditFailure`. */
  append(entry: AuditEntry): Promise<void>;
  /**
   * Throws the `AuditFailure` while the last write failed; writing is retried at most once per
   * second.
   */
  requireWritable(): void;
  readonly healthy: boolean;
  /** Undefined while it can be written. */
  readonly failure: AuditFailure | undefined;
  readonly records: number;
  readonly shipping: ShipState | undefined;
  /** What was found in the records that were there at the start; undefined until it is checked. */
  readonly checked: AuditVerification | undefined;
  close(): Promise<void>;
}

/** File and keys of the log. */
export interface AuditOptions {
  readonly file: string;
  readonly keyring: Keyring;
  readonly pseudonyms: Pseudonyms;
  readonly signer: CheckpointSigner;
  readonly bytesMax?: number;
  readonly now?: () => Date;
  readonly lock?: WriterLockOptions;
  /** How text is written to a file; default: the file system's own. */
  readonly append?: Append;
  /** Checks what is there at the start; absent: it is not checked. */
  readonly check?: (extent: LogExtent) => Promise<AuditVerification>;
  /** Receives what that check found, once. */
  readonly onChecked?: (found: AuditVerification) => void;
  /** Sends each checkpoint elsewhere once it is durable here. */
  readonly shipper?: Shipper;
  /** How long records wait for a checkpoint, in milliseconds. */
  readonly checkpointAfterMs?: number;
}
