/**
 * @module RecordedAnswer: runs a route and writes the record of the access to the audit log
 * (security: Audit).
 */
import { CodedError } from "@turnproof/semconv";

import { loggedHeader, statementIn } from "../access/audit/logged-statement.ts";
import type { Audit } from "../access/audit/contract.ts";
import type { Principal } from "../access/principal.ts";
import { clientAddress } from "./environment.ts";
import type { AppContext } from "./environment.ts";
import { refuse } from "./errors.ts";

/** A record of an access, before its result. */
export type AccessRecord = Omit<Parameters<Audit["append"]>[0], "result">;

/** The record of a request to a route. */
export function accessRecord(
  c: AppContext,
  event: string,
  { role, name }: Pick<Principal, "role" | "name">,
): AccessRecord {
  return {
    event,
    route: c.get("route"),
    role,
    operator: name,
    client: clientAddress(c),
    requestId: c.get("requestId"),
  };
}

/** Runs the route, then records its result; the answer is sent only after the record. */
export async function answerRecorded(
  c: AppContext,
  next: () => Promise<void>,
  audit: Audit | undefined,
  record: AccessRecord,
): Promise<void> {
  audit?.requireWritable();
  await next();
  const statement = statementIn(c.res.headers.get(loggedHeader));
  c.res.headers.delete(loggedHeader);
  if (audit === undefined) return;
  const failed = c.res.status >= 400;
  try {
    await audit.append({
      ...record,
      ...statement,
      result: failed ? `status_${c.res.status}` : "ok",
    });
  } catch (error) {
    c.res = await refuse(c, CodedError.is(error) ? error.code : "audit_unavailable");
  }
}

/**
 * Records the access first, and a failure after it. Without a record the route reads the state of
 * the process alone, so that what is wrong with the log can be seen.
 */
export async function answerProcess(
  c: AppContext,
  next: () => Promise<void>,
  audit: Audit | undefined,
  record: AccessRecord,
): Promise<void> {
  const isRecorded = async (result: string): Promise<boolean> =>
    audit === undefined ||
    audit.append({ ...record, result }).then(
      () => true,
      () => false,
    );
  c.set("unrecorded", !(await isRecorded("ok")));
  await next();
  if (c.res.status >= 400 && c.get("unrecorded") !== true) {
    await isRecorded(`status_${c.res.status}`);
  }
}
