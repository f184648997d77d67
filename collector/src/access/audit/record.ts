/**
 * @module Audit record: one canonical line, chained to the line before and sealed by an HMAC
 * (security: Audit). A record has a route's template, a role and pseudonyms, and no request
 * content.
 */
import { createHash } from "node:crypto";

import { equalSecret, macOf } from "../keyring.ts";
import type { Keyring } from "../keyring.ts";
import type { DeletionReason } from "./deletion-reason.ts";
import type { RetentionRecord } from "./retention-record.ts";
import { commit, noSubject } from "./salts.ts";
import type { Salts } from "./salts.ts";

/** Fields of a record; `op` and `client` are pseudonyms. */
export interface AuditRecord {
  /** 2 since lines have a leaf. */
  readonly v: 1 | 2;
  readonly seq: number;
  readonly ts: string;
  readonly event: string;
  readonly route?: string;
  readonly role?: string;
  readonly op?: string;
  readonly client?: string;
  readonly result: string;
  /** Why a user was deleted; `age` for a run of retention. */
  readonly reason?: DeletionReason | "age";
  /** Ages and counts of a run of retention. */
  readonly retention?: RetentionRecord;
  readonly req?: string;
  /** SHA-256 of a signed statement that the answer gave, in hex. */
  readonly statement?: string;
  /** Subject of the salt, where it is not the operator. */
  readonly subject?: string;
  /** SHA-256 of the previous line, in hex; zeros for the first. */
  readonly prev: string;
  readonly kid: string;
}

/** Event of the record after records that are gone at a start. */
export const cutEvent = "log.cut";

/** Event of the record that a collector without an audit log leaves in one that exists. */
export const offEvent = "log.off";

/** Event of the records at the start and at the end of a user's deletion. */
export const deletedEvent = "user.deleted";

/** `prev` of the very first record. */
export const genesis: string = "0".repeat(64);

/** The line of a record, without its newline; its leaf commits to it under the salt. */
export function sealRecord(record: AuditRecord, keyring: Keyring, salt: Buffer): string {
  const plain = textOf(record);
  const leaf = commit(salt, plain).toString("base64url");
  const body = `${plain.slice(0, -1)},"leaf":"${leaf}"}`;
  const named = keyring.byName("audit/v1", record.kid);
  if (named === undefined) throw new RangeError("unknown audit key");
  return `${body.slice(0, -1)},"mac":"${macOf(named, "audit", body)}"}`;
}

/** Data of a line's leaf: its content, or the line's own hash where it has none. */
export function leafOf(line: string): Buffer {
  const leaf = /,"leaf":"([A-Za-z0-9_-]{43})","mac":"[A-Za-z0-9_-]{43}"\}$/.exec(line)?.[1];
  return leaf === undefined ? Buffer.from(hashOfLine(line), "hex") : Buffer.from(leaf, "base64url");
}

/** Subject of a record's salt. */
export function subjectOf({ subject, op }: Pick<AuditRecord, "subject" | "op">): string {
  return subject ?? op ?? noSubject;
}

/** True when the leaf of a line is the one of its text, or cannot be checked without its salt. */
export function leafHolds(line: string, record: AuditRecord, salts: Salts): boolean {
  if (record.v === 1) return true;
  const [, plain] =
    /^(\{.*),"leaf":"[A-Za-z0-9_-]{43}","mac":"[A-Za-z0-9_-]{43}"\}$/.exec(line) ?? [];
  if (plain === undefined) return false;
  const salt = salts.of(subjectOf(record), record.seq);
  return salt === undefined || commit(salt, `${plain}}`).equals(leafOf(line));
}

/** False where the salt of the record's leaf was removed. */
export function hasSalt(record: AuditRecord, salts: Salts): boolean {
  return record.v === 1 || salts.of(subjectOf(record), record.seq) !== undefined;
}

/** Hash of a line, the next line's `prev`. */
export function hashOfLine(line: string): string {
  return createHash("sha256").update(line).digest("hex");
}

/** Opens a line; undefined when it is no record or its seal is invalid. */
export function openRecord(line: string, keyring: Keyring): AuditRecord | undefined {
  const match = /^(\{.*),"mac":"([A-Za-z0-9_-]{43})"\}$/.exec(line);
  if (match === null) return undefined;
  const [, open = "", mac = ""] = match;
  try {
    const record = JSON.parse(`${open}}`) as AuditRecord;
    const named = keyring.byName("audit/v1", record.kid);
    if (named === undefined) return undefined;
    return equalSecret(macOf(named, "audit", `${open}}`), mac) ? record : undefined;
  } catch {
    return undefined;
  }
}

/** The hash of the line before a line whose seal does not open, as it states it. */
export function prevOf(line: string): string | undefined {
  try {
    const { prev } = JSON.parse(line) as { readonly prev?: unknown };
    return typeof prev === "string" ? prev : undefined;
  } catch {
    return undefined;
  }
}

function textOf(record: AuditRecord): string {
  return JSON.stringify(record).replace(/[\u007f-\uffff]/g, escape);
}

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
