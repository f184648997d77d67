/**
 * @module Statement check: verifies a signed verdict offline. The signature identifies its writer.
 * With the events the verdict is judged again; one that the evidence does not support is rejected.
 */
import { isReceivedBy, judgeRules, matches, reconcileOutcome } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { normalizeTime } from "@turnproof/semconv";
import { compactVerify, createLocalJWKSet } from "jose";
import type { JSONWebKeySet } from "jose";

import { evidenceDigest, readStatement } from "./statement.ts";
import type { FirstStatement, Statement } from "./statement.ts";

/** Result of an offline check. */
export interface StatementCheck {
  readonly signature: "valid" | "invalid";
  /** Whether the given events are the judged ones. */
  readonly evidence: "matches" | "differs" | "not_checked";
  /**
   * Whether this judge reaches the same verdict from the events: `not_rejudgeable` when the
   * statement was judged by other rules, or by a release that did not record its input.
   */
  readonly verdict: "supported" | "not_supported" | "not_rejudgeable" | "not_checked";
  readonly statement?: Statement | FirstStatement;
}

/** Checks a statement with the public keys and, where given, its events. */
export async function checkStatement(
  jws: string,
  keys: JSONWebKeySet,
  events?: readonly TurnEvent[],
): Promise<StatementCheck> {
  const statement = await opened(jws, keys);
  if (statement === undefined) {
    return { signature: "invalid", evidence: "not_checked", verdict: "not_checked" };
  }
  const valid = { signature: "valid", statement } as const;
  if (events === undefined) return { ...valid, evidence: "not_checked", verdict: "not_checked" };
  const judged = judgedEvents(statement, events);
  if (judged === undefined) return { ...valid, evidence: "differs", verdict: "not_checked" };
  return { ...valid, evidence: "matches", verdict: judgedAgain(statement, judged) };
}

/**
 * The events of the statement, undefined where they are others. Events after its mark are left out
 * first, so that a statement stays valid at its mark; an earlier release signed those too.
 */
function judgedEvents(
  { as_of, digest, event_count }: Statement | FirstStatement,
  events: readonly TurnEvent[],
): readonly TurnEvent[] | undefined {
  const byThen = as_of === null ? events : events.filter(isReceivedBy(as_of));
  return [byThen, events].find(
    (list) => list.length === event_count && evidenceDigest(list) === digest,
  );
}

async function opened(
  jws: string,
  keys: JSONWebKeySet,
): Promise<Statement | FirstStatement | undefined> {
  try {
    const text = jws.trim();
    if (!isCanonical(text)) return undefined;
    const { payload } = await compactVerify(text, createLocalJWKSet(keys), {
      algorithms: ["EdDSA"],
    });
    return readStatement(JSON.parse(new TextDecoder().decode(payload)));
  } catch {
    return undefined;
  }
}

/** False for other spellings of the same bits: a decoder reads them alike, yet the text differs. */
export function isCanonical(jws: string): boolean {
  const parts = jws.split(".");
  return parts.every((part) => Buffer.from(part, "base64url").toString("base64url") === part);
}

function judgedAgain(
  statement: Statement | FirstStatement,
  events: readonly TurnEvent[],
): StatementCheck["verdict"] {
  if (!("judge" in statement) || statement.judge.rules !== judgeRules) return "not_rejudgeable";
  if (!isOfEvents(statement, events)) return "not_supported";
  const { trusted, window, task_id: taskId } = statement;
  const verdict = reconcileOutcome(trusted === null ? events : events.map(byTrust(trusted)), {
    normalizationMetadata: window,
    taskId,
  });
  const codes = [...new Set(verdict.findings.map(({ code }) => code))].toSorted();
  const same =
    verdict.status === statement.status &&
    verdict.as_of === statement.as_of &&
    JSON.stringify(codes) === JSON.stringify(statement.findings);
  return same ? "supported" : "not_supported";
}

/** Whether every event belongs to the agent, root, turn and tenant of the verdict. */
function isOfEvents(
  { identity, bounds, window }: Statement,
  events: readonly TurnEvent[],
): boolean {
  const { scope: _reader, ...fields } = identity;
  if (!events.every((event) => matches(event, { store: "all", ...fields }))) return false;
  // A truncated window is truncated for the judge as well.
  return !bounds.bounded || window["truncated"] !== false;
}

/**
 * The statement decides which producers are trusted; an event's own mark can only remove trust.
 */
function byTrust(trusted: readonly string[]): (event: TurnEvent) => TurnEvent {
  const names = new Set(trusted);
  return (event) =>
    event.ingest_principal === undefined || names.has(event.ingest_principal)
      ? event
      : { ...event, ingest_trusted: false };
}

/**
 * Pairs of statements over one digest and mark, of one task, with different verdicts. The issuer's
 * name is ignored: one key can sign under two names.
 */
export function equivocations(
  statements: readonly (Statement | FirstStatement)[],
): readonly (readonly [number, number])[] {
  const subject = ({ digest, as_of, task_id }: Statement | FirstStatement): string =>
    JSON.stringify([digest.toLowerCase(), instantOf(as_of), task_id]);
  const verdictText = ({ status, findings }: Statement | FirstStatement): string =>
    JSON.stringify([status, findings]);
  return statements.flatMap((one, index) =>
    statements.slice(index + 1).flatMap((other, offset) => {
      const differ = subject(one) === subject(other) && verdictText(one) !== verdictText(other);
      return differ ? [[index, index + 1 + offset] as const] : [];
    }),
  );
}

/** One text per instant: extra zeros in a mark make no difference. */
function instantOf(mark: string | null): string | null {
  const time = mark === null ? mark : (normalizeTime(mark) ?? mark);
  return time?.includes(".") === true ? time.replace(/\.?0*Z$/, "Z") : time;
}
