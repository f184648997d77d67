/**
 * @module ReconcileProducer: whether the producer span of an artifact is recorded, ended and
 * succeeded (requirements: Reconciliation 4, 6, 11).
 */
import type { EventKind } from "@turnproof/semconv";

import type { TurnEvent } from "../event/event.ts";
import { shownOf } from "./finding-list.ts";
import type { Bench, Producer } from "./reconcile-bench.ts";
import { statesOf } from "./reconcile-order.ts";
import type { TaskScope } from "./turn-evidence.ts";

/** Records about results are no producers. */
const recordKinds: ReadonlySet<EventKind> = new Set<EventKind>([
  "intent",
  "artifact",
  "contract",
  "delivery",
  "feedback",
  "outcome",
  "data_quality",
]);

/** An action is labelled with its task; a model or tool call is found by its span alone. */
function mayProduceFor(scope: TaskScope, event: TurnEvent): boolean {
  if (recordKinds.has(event.event_kind)) return false;
  if (event.task_id !== undefined) return event.task_id === scope.taskId;
  const labelled =
    event.event_kind === "application_action" || event.event_kind === "queue_transition";
  // Without a label and a single intent to assign it to, an action belongs to the task without a
  // label.
  return !labelled || scope.takesUnlabelled || scope.taskId === undefined;
}

/** Notes what an artifact's producer lacks. */
export function judgeProducer(
  bench: Bench,
  artifact: TurnEvent,
  subject: string | undefined,
): void {
  const { state, evidence } = producerOf(bench, artifact.attributes.producing_span_id);
  if (state === "succeeded") return;
  bench.notices.push({
    code: `artifact_producer_${state}`,
    subject,
    evidence: [artifact, ...evidence],
    absence: state !== "failed",
  });
}

const nothing: Producer = { state: "missing", evidence: [] };

/** Looked up once per span, however many artifacts name it. */
function producerOf(bench: Bench, span: string | undefined): Producer {
  if (span === undefined) return nothing;
  let producer = bench.producers.get(span);
  if (producer === undefined) {
    producer = readProducer(bench.scope, span);
    bench.producers.set(span, producer);
  }
  return producer;
}

function readProducer(scope: TaskScope, span: string): Producer {
  const named = scope.turn.bySpan.get(span) ?? [];
  const producers = named.filter((event) => mayProduceFor(scope, event));
  if (producers.length === 0) return nothing;
  const evidence = shownOf(producers);
  // A structural span has no status, so it is no result (vocabulary: Event kinds).
  const results = producers.filter(
    (event) => event.phase !== "start" && event.event_kind !== "span",
  );
  if (results.length === 0) return { state: "incomplete", evidence };
  const failed = !statesOf(results).latest.every(isUsable);
  return { state: failed ? "failed" : "succeeded", evidence };
}

/** Succeeded; a degraded result of a tool counts as usable (requirements: Reconciliation 11). */
function isUsable({ event_kind, status, attributes }: TurnEvent): boolean {
  const degraded = event_kind === "tool_call" && attributes.tool_outcome === "degraded";
  return status === "success" || (status === "partial" && degraded);
}
