/**
 * @module Oracle: a naive second judge, written from the text of the rules alone (requirements:
 * Reconciliation 1 to 11; evidence: Reconcile). It imports nothing of the judge but types, looks
 * at all events again for every rule, and is quadratic and worse.
 */
import { claimsOf } from "./claims.ts";
import { deliveries } from "./delivery-rules.ts";
import { artifacts, contracts } from "./evidence-rules.ts";
import { either, partial, statusesOf, unsettled } from "./law.ts";
import type { JudgedWindow, Objection, OracleVerdict, Scope } from "./law.ts";
import { negatives } from "./negatives.ts";
import { clocksOf } from "./order.ts";
import type { Clocks } from "./order.ts";
import { instant, inTurnsApplication, ofKind, turnsOf, withoutDuplicates } from "./reading.ts";
import type { Json } from "./reading.ts";
import {
  actions,
  causality,
  losses,
  orphanActions,
  outcomes,
  stages,
  strayOutcomes,
  turnEnd,
} from "./turn-rules.ts";

const rules = [
  artifacts,
  contracts,
  deliveries,
  negatives,
  outcomes,
  turnEnd,
  stages,
  actions,
  causality,
  losses,
];

/** Judges a window. */
export function oracle({ events, metadata, taskId, wasReadWhole }: JudgedWindow): OracleVerdict {
  const asOf = metadata?.as_of ?? null;
  // The verdict is worked out without the events of untrusted producers.
  const trusted = inTurnsApplication(
    withoutDuplicates(
      events.filter((event) => event["ingest_trusted"] !== false && !isAfter(event, asOf)),
    ),
  );
  const whole = wasReadWhole ?? isWhole(metadata);
  const window = whole ? [] : [partial("window")];
  const turns = turnsOf(trusted);
  const requested = turns.some((turn) => claimsOf(turn, taskId).length > 0);
  const results = ofKind(trusted, "artifact", "contract", "delivery").filter(
    (event) => taskId === null || event["task_id"] === taskId,
  );
  if (!requested && results.length === 0) return { allowed: ["unknown"], objections: [] };
  const clocks = clocksOf(trusted, asOf);
  const objections = [...window, ...judge(turns, trusted, taskId, clocks)];
  // A shift of a producer that is ahead blocks only where it changes a deciding order.
  if (trusted.some((event) => clocks.ahead(event) > 0)) {
    const plain = judge(turns, trusted, taskId, clocksOf(trusted, asOf, false));
    const differ = statusesOf(plain)[0] !== statusesOf(objections.slice(window.length))[0];
    if (differ) objections.push(partial("clock_ahead"));
  }
  return { allowed: statusesOf(objections), objections };
}

/** Received after the mark of the window, of which a reader may have missed some. */
function isAfter(event: Json, asOf: string | null): boolean {
  return asOf !== null && (instant(event, "received_at") ?? -Infinity) > Date.parse(asOf);
}

function judge(
  turns: readonly (readonly Json[])[],
  all: readonly Json[],
  taskId: string | null,
  clocks: Clocks,
): Objection[] {
  return turns.flatMap((turn) => {
    const claims = claimsOf(turn, taskId);
    const found = claims.flatMap((claim) => {
      const scope: Scope = { ...claim, clocks, all };
      return [...wholeIdentity(scope), ...evidence(scope), ...rules.flatMap((rule) => rule(scope))];
    });
    if (claims.length === 0 || taskId === null) found.push(...unrequested(turn, taskId));
    // No sentence decides whether stages of an intent without a label are the requested task's.
    const others = taskId === null ? [] : claimsOf(turn, null);
    for (const claim of others.filter(({ intent }) => intent["task_id"] === undefined)) {
      found.push(...stages({ ...claim, clocks, all }).map(() => unsettled("stage")));
    }
    found.push(...orphanActions(turn, taskId));
    if (taskId === null && claims.length > 0) found.push(...strayOutcomes(turn, { clocks }));
    return found;
  });
}

/** An intent without agent, thread, turn or root never succeeds. */
function wholeIdentity({ intent }: Scope): Objection[] {
  const needed = ["agent_id", "thread_id", "turn_id", "root_trace_id"];
  return needed.filter((field) => intent[field] === undefined).map(() => partial("identity"));
}

/** At least one artifact or contract record stands for the intent. */
function evidence({ own }: Scope): Objection[] {
  return ofKind(own, "artifact", "contract").length > 0 ? [] : [partial("artifact")];
}

/** Results that no intent requested: no success; whether they are bad is left open. */
function unrequested(turn: readonly Json[], taskId: string | null): Objection[] {
  const claimed = new Set(claimsOf(turn, taskId).flatMap(({ own }) => own));
  const results = ofKind(turn, "artifact", "contract", "delivery").filter(
    (event) => taskId === null || event["task_id"] === taskId,
  );
  return results.some((event) => !claimed.has(event)) ? [either("unrequested")] : [];
}

/**
 * Reconciliation 1 and 8: the window is whole, trusted and untruncated, and something states it.
 */
function isWhole(metadata: JudgedWindow["metadata"]): boolean {
  return (
    metadata?.window_complete === true &&
    metadata.truncated === false &&
    metadata.normalization_errors === 0 &&
    (metadata.read_completeness === undefined
      ? typeof metadata.as_of === "string"
      : metadata.read_completeness === "complete") &&
    (metadata.known_loss ?? 0) === 0 &&
    (metadata.sampled_out ?? 0) === 0
  );
}
