/**
 * @module Audit record: one canonical line, chained to the line before and sealed by an HMAC
 * (security: Audit). A record has a route's template, a role and pseudonyms, and no request
 * content.
 */
import { createHash } from "node:crypto";

import { equalSecret, macOf } from "../keyring.ts";
import type { Keyring } from "../keyring.ts";

/** Fields of a record; `op` and `client` are pseudonyms. */
export interface AuditRecord {
  readonly v: 1;
  readonly seq: number;
  readonly ts: string;
  readonly event: string;
  readonly route?: string;
  readonly role?: string;
  readonly op?: string;
  readonly client?: string;
  readonly result: string;
  readonly req?: string;
  /** SHA-256 of the previous line, in hex; zeros for the first. */
  readonly prev: string;
  readonly kid: string;
}

/** `prev` of the very first record. */
export const genesis: string = "0".repeat(64);

/** The line of a record, without its newline. */
export function sealRecord(record: AuditRecord, keyring: Keyring): string {
  const body = JSON.stringify(record).replace(/[\u007f-\uffff]/g, escape);
  const named = keyring.byName("audit/v1", record.kid);
  if (named === undefined) throw new RangeError("unknown audit key");
  return `${body.slice(0, -1)},"mac":"${macOf(named, "audit", body)}"}`;
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

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
