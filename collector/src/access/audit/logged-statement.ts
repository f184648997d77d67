/**
 * @module Logged statement: a signed statement enters the audit log's tree by its hash, so that two
 * histories of one turn cannot both be signed unseen. The route notifies the gate by a header that
 * never leaves the collector.
 */
import { createHash } from "node:crypto";

import { macOf } from "../keyring.ts";
import type { Keyring } from "../keyring.ts";

/** Name of the header between route and gate. */
export const loggedHeader = "x-turnproof-logged";

/** SHA-256 of a statement in its compact form, in hex. */
export function hashOfStatement(jws: string): string {
  return createHash("sha256").update(jws).digest("hex");
}

/** Subject of the salt of lines about a user, keyed: no salt's name shows its owner. */
export function subjectOfUser(userId: string, keyring: Keyring): string {
  return `u.${macOf(keyring.current("audit/v1"), "salt", userId).slice(0, 22)}`;
}

/** Value of the header for a statement about a user, or about none. */
export function loggedStatement(jws: string, userId: string | null, keyring: Keyring): string {
  const subject = userId === null ? "" : ` ${subjectOfUser(userId, keyring)}`;
  return `${hashOfStatement(jws)}${subject}`;
}

/** Fields of the record; none without a statement. */
export function statementIn(header: string | null): {
  readonly statement?: string;
  readonly subject?: string;
} {
  const [statement, subject] = header?.split(" ") ?? [];
  if (statement === undefined) return {};
  return { statement, ...(subject === undefined ? {} : { subject }) };
}
