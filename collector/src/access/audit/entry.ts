/** @module Entry: input of an audit record, and the record that is made of it. */
import { isoNow, isoTime } from "@turnproof/semconv";

import type { Keyring } from "../keyring.ts";
import type { Pseudonyms } from "../pseudonyms.ts";
import type { DeletionReason } from "./deletion-reason.ts";
import type { AuditRecord } from "./record.ts";
import type { RetentionRecord } from "./retention-record.ts";

/** Input of a record; names and addresses become pseudonyms before they are written. */
export interface AuditEntry {
  readonly event: string;
  readonly result: string;
  /** Why a user was deleted; `age` for a run of retention. */
  readonly reason?: DeletionReason | "age" | undefined;
  readonly retention?: RetentionRecord;
  readonly route?: string;
  readonly role?: string;
  readonly operator?: string;
  readonly client?: string | undefined;
  readonly requestId?: string;
  /** SHA-256 of the signed statement in the answer, in hex. */
  readonly statement?: string;
  /** Subject of the salt, where it is not the operator. */
  readonly subject?: string;
}

/** Keys of a record, and its time. */
interface RecordOptions {
  readonly keyring: Keyring;
  readonly pseudonyms: Pseudonyms;
  readonly now?: () => Date;
}

/** The record of an entry at a place of the chain. */
export function recordOf(
  entry: AuditEntry,
  { seq, prev }: { readonly seq: number; readonly prev: string },
  { keyring, pseudonyms, now }: RecordOptions,
): AuditRecord {
  const { route, role, operator, client, reason, retention } = entry;
  const { requestId, statement, subject } = entry;
  return {
    v: 2,
    seq,
    ts: now === undefined ? isoNow() : isoTime(now().getTime()),
    event: entry.event,
    ...(route === undefined ? {} : { route }),
    ...(role === undefined ? {} : { role }),
    ...(operator === undefined ? {} : { op: pseudonyms.of("operator", operator) }),
    ...(client === undefined ? {} : { client: pseudonyms.of("client", client) }),
    result: entry.result,
    ...(reason === undefined ? {} : { reason }),
    ...(retention === undefined ? {} : { retention }),
    ...(requestId === undefined ? {} : { req: requestId }),
    ...(statement === undefined ? {} : { statement }),
    ...(subject === undefined ? {} : { subject }),
    prev,
    kid: keyring.current("audit/v1").kid,
  };
}
