/**
 * @module ReconcileTask: all findings on one task of one tuple. Diagnostics apply to any task;
 * what an intent still lacks is reported only where there is an intent.
 */
import { diagnosticCodes } from "./diagnostics-table.ts";
import type { TurnEvent } from "../event/event.ts";
import { judgeArtifacts } from "./reconcile-artifacts.ts";
import { noteConflict, openBench } from "./reconcile-bench.ts";
import type { Bench } from "./reconcile-bench.ts";
import { laterCauses } from "./reconcile-causes.ts";
import { judgeContracts } from "./reconcile-contracts.ts";
import { indexDeliveries, judgeDeliveries } from "./reconcile-delivery.ts";
import type { WindowClock } from "./window-clock.ts";
import { judgeOutcomes, judgeTurnEnd } from "./reconcile-turn.ts";
import type { TaskScope } from "./turn-evidence.ts";

const diagnostics: ReadonlySet<string> = new Set(diagnosticCodes);

/** Diagnostics for a missing delivery, or for nothing to deliver. */
const undeliveredCodes: ReadonlySet<string> = new Set([
  "artifact_missing",
  "contract_missing",
  "contract_not_emitted",
]);
const deliveryGaps: ReadonlySet<string> = new Set([
  "delivery_missing",
  "delivery_not_emitted",
  "delivery_precedes_evidence",
]);

/** Identity fields without which no intent can be satisfied (evidence: Reconcile). */
const intentFields = ["agent_id", "thread_id", "turn_id", "root_trace_id"] as const;

function hasWholeIdentity(intent: TurnEvent): boolean {
  return intentFields.every((field) => intent[field] !== undefined);
}

/** Judges one task: notices, chain, and whether a latest state is negative. */
export function judgeTask(scope: TaskScope, clock: WindowClock): Bench {
  const index = indexDeliveries(scope);
  const bench = openBench(scope, { index, clock });
  for (const intent of scope.intents) {
    const whole = hasWholeIdentity(intent);
    if (!whole) bench.notices.push({ code: "intent_identity_incomplete", evidence: [intent] });
    bench.links.push({
      link: "intent",
      name: intent.attributes.coverage_profile,
      state: whole ? "present" : "unconfirmed",
      reason: whole ? "intent_recorded" : "intent_identity_incomplete",
      evidence: [intent],
    });
  }
  judgeArtifacts(bench);
  judgeContracts(bench);
  const explained = bench.notices.some(
    ({ code }) => code.startsWith("artifact_") || code.startsWith("contract_"),
  );
  judgeDeliveries(bench);
  judgeTurn(bench);
  judgeCausality(bench);
  judgeWhole(bench);
  if (scope.intents.length > 0) {
    if (!bench.valid && !explained) {
      bench.notices.push({ code: "evidence_missing", evidence: scope.intents, absence: true });
    }
    const undelivered = bench.notices.some(({ code }) => undeliveredCodes.has(code));
    if (!undelivered) return bench;
    // The missing delivery is reported already; the chain still has each link's own reason.
    return { ...bench, notices: bench.notices.filter(({ code }) => !deliveryGaps.has(code)) };
  }
  return {
    ...bench,
    notices: bench.notices.filter(({ code }) => diagnostics.has(code)),
    links: bench.links.filter(({ reason }) => reason !== "delivery_missing"),
  };
}

/** Findings of unlabelled evidence on its whole turn, where one task is requested. */
export function judgeContext(scope: TaskScope, clock: WindowClock): Bench {
  const bench = openBench(scope, { index: indexDeliveries({ ...scope, deliveries: [] }), clock });
  if (scope.contextMissing.length > 0) {
    bench.notices.push({ code: "trace_context_missing", evidence: scope.contextMissing });
  }
  judgeWhole(bench);
  return bench;
}

/** Findings that apply to a task and to a whole turn alike: denials, outcomes, the turn's end. */
function judgeWhole(bench: Bench): void {
  for (const denials of bench.scope.denials.values()) {
    for (const { code, event, artifactType } of denials) {
      bench.notices.push({ code, subject: artifactType, evidence: [event] });
      if (denialsOfOwnership.has(code)) bench.bad = true;
    }
  }
  judgeOutcomes(bench);
  judgeTurnEnd(bench);
}

const denialsOfOwnership: ReadonlySet<string> = new Set([
  "artifact_ownership_unverified",
  "ownership_unverified",
]);

/** An effect that began before its cause: one of the clocks is wrong. */
function judgeCausality(bench: Bench): void {
  const { intents, artifacts, contracts, deliveries, turn } = bench.scope;
  for (const list of [intents, artifacts, contracts, deliveries]) {
    for (const effect of list) noteConflict(bench, laterCauses(turn, effect), [effect]);
  }
}

/** Findings in the turn's own events: lost context, and side effects without an intent. */
function judgeTurn(bench: Bench): void {
  const { contextMissing, actions, intents } = bench.scope;
  if (contextMissing.length > 0) {
    bench.notices.push({ code: "trace_context_missing", evidence: contextMissing });
  }
  const effects = actions.filter((action) => action.attributes.side_effect === true);
  if (intents.length === 0 && effects.length > 0) {
    bench.notices.push({ code: "orphan_action", evidence: effects, absence: true });
  }
}

/** True when the task has evidence that an intent could have requested. */
export function hasEvidence(scope: TaskScope): boolean {
  return scope.artifacts.length + scope.contracts.length + scope.deliveries.length > 0;
}
