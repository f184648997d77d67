/**
 * @module ReplayPlan: a description of what a turn did, not executable (requirements:
 * Authentication 3; evidence: Insights). It runs nothing, uses no network, has no side effect and
 * contains no content.
 */
import { CodedError } from "@turnproof/semconv";
import type { EventKind, Identity, NullableIdentity } from "@turnproof/semconv";

import { compareEvents } from "../event/event-order.ts";
import type { EventResource, TurnEvent } from "../event/event.ts";
import { assessWindow } from "../reconcile/reconcile-window.ts";
import type { WindowMetadata } from "../reconcile/reconcile-window.ts";
import { parentKey, spanKey } from "../event/span-key.ts";
import { readWindow } from "../normalize/window-events.ts";

/** One recorded step, in order. */
export interface ReplayStep extends NullableIdentity<"turn_id"> {
  readonly step: number;
  readonly event_id: string;
  readonly event_kind: EventKind;
  readonly operation: string | null;
  /** Step whose span encloses this one. */
  readonly inside_step: number | null;
  readonly model: string | null;
  readonly provider: string | null;
  readonly tool_name: string | null;
  readonly side_effect: boolean | null;
  readonly input_refs: readonly EventResource[];
  readonly output_refs: readonly EventResource[];
}

/** The plan. Its switches are off, and nothing in it can turn them on. */
export interface ReplayPlan extends Pick<Identity, "user_id"> {
  readonly plan_version: 1;
  readonly inert: true;
  readonly execution: "off";
  readonly network: "off";
  readonly side_effects: "off";
  readonly root_trace_ids: readonly string[];
  readonly models: readonly string[];
  readonly tools: readonly string[];
  readonly steps: readonly ReplayStep[];
}

/** The first step of each span, root by root: span ids are unique only within a root. */
type StepIndex = Map<string | undefined, Map<string, number>>;

const planned: ReadonlySet<EventKind> = new Set<EventKind>([
  "turn",
  "model_call",
  "tool_call",
  "plan",
  "memory_operation",
  "memory_retrieval",
  "memory_selection",
  "memory_supply",
  "cache_decision",
  "context_binding",
  "application_action",
  "queue_transition",
  "intent",
  "artifact",
  "contract",
  "delivery",
]);

/**
 * Describes the window. Throws `replay_plan_refused` unless the window is complete and trusted,
 * has a step, and belongs to one tenant (possibly anonymous).
 */
export function buildReplayPlan(
  events: readonly unknown[],
  options: { readonly normalizationMetadata?: WindowMetadata | null } = {},
): ReplayPlan {
  const read = readWindow(events);
  const metadata = options.normalizationMetadata ?? undefined;
  const trust = assessWindow(read, metadata);
  const claims = read.events.filter((event) => planned.has(event.event_kind));
  const tenants = new Set(read.events.map((event) => event.user_id));
  const [tenant] = tenants;
  const refused = !trust.complete || tenants.size !== 1 || tenant === undefined;
  const results = claims.filter((event) => event.phase !== "start").toSorted(compareEvents);
  if (refused || results.length === 0) throw new CodedError("replay_plan_refused");
  const stepOf: StepIndex = new Map();
  results.forEach((event, index) => {
    const span = spanKey(event);
    if (span === undefined) return;
    const spans = stepOf.get(event.root_trace_id) ?? new Map<string, number>();
    stepOf.set(event.root_trace_id, spans);
    if (!spans.has(span)) spans.set(span, index + 1);
  });
  return {
    plan_version: 1,
    inert: true,
    execution: "off",
    network: "off",
    side_effects: "off",
    user_id: tenant,
    root_trace_ids: labels(results, (event) => event.root_trace_id),
    models: labels(results, (event) => event.attributes.model),
    tools: labels(results, (event) => event.attributes.tool_name),
    steps: results.map((event, index) => toStep(event, index + 1, stepOf)),
  };
}

function labels(
  events: readonly TurnEvent[],
  read: (event: TurnEvent) => string | undefined,
): string[] {
  const found = new Set<string>();
  for (const event of events) {
    const label = read(event);
    if (label !== undefined) found.add(label);
  }
  return [...found].toSorted();
}

function toStep(event: TurnEvent, step: number, stepOf: StepIndex): ReplayStep {
  const parent = parentKey(event);
  const { model, provider, tool_name, side_effect } = event.attributes;
  return {
    step,
    event_id: event.event_id,
    event_kind: event.event_kind,
    operation: event.operation ?? null,
    turn_id: event.turn_id ?? null,
    inside_step:
      (parent === undefined ? undefined : stepOf.get(event.root_trace_id)?.get(parent)) ?? null,
    model: model ?? null,
    provider: provider ?? null,
    tool_name: tool_name ?? null,
    side_effect: side_effect ?? null,
    input_refs: event.input_refs ?? [],
    output_refs: event.output_refs ?? [],
  };
}
