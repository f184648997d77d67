/**
 * @module Usage: tokens of one turn, counted once. Libraries report usage on several levels: a
 * turn has the sum of its steps, and some wrap one model call in another. Levels are never added:
 * only the innermost model calls count, and the turn's own count only where none of them has any.
 */
import type { MetricState } from "@turnproof/semconv";

import type { TurnEvent } from "../event/event.ts";
import { fetchedOnce } from "./fetched-responses.ts";
import { parentKey, spanKey } from "../event/span-key.ts";

/** Token counts; null is unknown, never zero. */
export interface Usage {
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cached_tokens: number | null;
  /** Of each call its total, or the parts that it has: never less than those of the turn. */
  readonly total_tokens: number | null;
  /**
   * `known` when every counted call has each count that another has, and its total; `partial` when
   * a sum lacks a part and is a lower bound; `not_measured` without a count.
   */
  readonly usage_state: MetricState;
}

/** Under these a further model call is a call of its own, not the inside of a wrapper. */
const separating = new Set(["turn", "tool_call", "application_action", "queue_transition"]);

/** True when the event has input or output tokens. */
export function hasUsage(event: TurnEvent): boolean {
  const { input_tokens, output_tokens, total_tokens } = event.attributes;
  return input_tokens !== undefined || output_tokens !== undefined || total_tokens !== undefined;
}

/**
 * The model calls of one turn that count: the innermost measured of nested calls, and one for a
 * response that was fetched several times.
 */
export function countedModelCalls(events: readonly TurnEvent[]): readonly TurnEvent[] {
  const calls = events.filter(isModelResult);
  // A single call wraps no other and is fetched once.
  if (calls.length < 2) return calls;
  const wrappers = wrappedCalls(events);
  const innermost = calls.filter((event) => {
    const key = spanKey(event);
    return key === undefined || !wrappers.has(key);
  });
  return fetchedOnce(innermost, hasUsage);
}

/** Sums the usage of one turn's events. */
export function countUsage(events: readonly TurnEvent[]): Usage {
  const calls = countedModelCalls(events);
  const measured = calls.filter(hasUsage);
  if (measured.length > 0) {
    const whole = measured.length === calls.length && isWhole(measured);
    return { ...sum(measured), usage_state: whole ? "known" : "partial" };
  }
  const turns = events.filter(
    (event) => event.event_kind === "turn" && event.phase !== "start" && hasUsage(event),
  );
  const own = turns.toSorted((a, b) => (a.event_id < b.event_id ? -1 : 1)).slice(0, 1);
  if (own.length === 0) return { ...sum(own), usage_state: "not_measured" };
  return { ...sum(own), usage_state: isWhole(own) ? "known" : "partial" };
}

/** True where no sum over these lacks a count. */
function isWhole(measured: readonly TurnEvent[]): boolean {
  const alike = (has: (event: TurnEvent) => boolean): boolean =>
    measured.every(has) || !measured.some(has);
  return (
    measured.every(hasTotal) &&
    alike(({ attributes }) => attributes.input_tokens !== undefined) &&
    alike((event) => event.attributes.output_tokens !== undefined || isEmbedding(event))
  );
}

/** True when the tokens of a call are all counted; an embedding has no output. */
export function hasTotal(event: TurnEvent): boolean {
  const { input_tokens, output_tokens, total_tokens } = event.attributes;
  if (total_tokens !== undefined) return true;
  return input_tokens !== undefined && (output_tokens !== undefined || isEmbedding(event));
}

function isEmbedding({ operation, attributes }: TurnEvent): boolean {
  return (
    attributes.genai_operation === "embeddings" || operation?.startsWith("embeddings") === true
  );
}

type Tokens = Omit<Usage, "usage_state">;

function sum(events: readonly TurnEvent[]): Tokens {
  const add = (pick: (event: TurnEvent) => number | undefined): number | null => {
    let total: number | null = null;
    for (const event of events) {
      const value = pick(event);
      if (value !== undefined) total = (total ?? 0) + value;
    }
    return total;
  };
  return {
    input_tokens: add((event) => event.attributes.input_tokens),
    output_tokens: add((event) => event.attributes.output_tokens),
    cached_tokens: add((event) => event.attributes.cached_tokens),
    total_tokens: add(totalOf),
  };
}

/** Tokens of a call, at least: its total, or the parts that it has where they are more. */
function totalOf({ attributes }: TurnEvent): number | undefined {
  const { input_tokens, output_tokens, total_tokens } = attributes;
  if (input_tokens === undefined && output_tokens === undefined) return total_tokens;
  return Math.max(total_tokens ?? 0, (input_tokens ?? 0) + (output_tokens ?? 0));
}

/** Model calls that report one call, or several inside of one wrapper. */
export interface ModelCallGroup {
  /** Those that count. */
  readonly counted: readonly TurnEvent[];
  /** Wrappers of them, and fetches of their responses. */
  readonly others: readonly TurnEvent[];
}

/**
 * The results of model calls, each in one group with those that report the same call.
 *
 * @param counted {@link countedModelCalls} of the events
 */
export function modelCallGroups(
  events: readonly TurnEvent[],
  counted: readonly TurnEvent[] = countedModelCalls(events),
): readonly ModelCallGroup[] {
  const calls = events.filter(isModelResult);
  if (counted.length === calls.length)
    return counted.map((call) => ({ counted: [call], others: [] }));
  const own = new Set(counted);
  const spans = spansOf(events);
  const wrappers = new Set(calls.filter((call) => !own.has(call)).map(spanKey));
  const responses = new Map<unknown, string>();
  for (const call of counted) {
    const { request_id: id } = call.attributes;
    if (id !== undefined && id !== "") responses.set(id, outermostKey(call, spans, wrappers));
  }
  const groups = new Map<string, { counted: TurnEvent[]; others: TurnEvent[] }>();
  for (const call of calls) {
    const response = own.has(call) ? undefined : responses.get(call.attributes.request_id);
    const key = response ?? outermostKey(call, spans, wrappers);
    const group = groups.get(key) ?? { counted: [], others: [] };
    groups.set(key, group);
    (own.has(call) ? group.counted : group.others).push(call);
  }
  return [...groups.values()];
}

/** Key of the outermost wrapper around a call, or of the call itself. */
function outermostKey(
  call: TurnEvent,
  spans: Spans,
  wrappers: ReadonlySet<string | undefined>,
): string {
  let key = spanKey(call) ?? call.event_id;
  const passed = new Set<string>();
  for (let at = parentKey(call); at !== undefined && !passed.has(at);) {
    passed.add(at);
    const above = spans.get(at);
    if (above === undefined || separating.has(above.kind)) break;
    if (wrappers.has(at)) key = at;
    at = above.parent;
  }
  return key;
}

function isModelResult({ event_kind: kind, phase }: TurnEvent): boolean {
  return kind === "model_call" && phase !== "start";
}

/** Kind and parent of each span by its key. */
type Spans = ReadonlyMap<string, { readonly kind: string; readonly parent: string | undefined }>;

function spansOf(events: readonly TurnEvent[]): Spans {
  const spans = new Map<string, { readonly kind: string; readonly parent: string | undefined }>();
  for (const event of events) {
    const key = spanKey(event);
    if (key === undefined || (event.phase === "start" && spans.has(key))) continue;
    spans.set(key, { kind: event.event_kind, parent: parentKey(event) });
  }
  return spans;
}

/** Spans of model calls with a measured model call inside of them. */
function wrappedCalls(events: readonly TurnEvent[]): Set<string> {
  const spans = spansOf(events);
  const wrappers = new Set<string>();
  // Every span is passed once: the first walk settled everything above it.
  const climbed = new Set<string>();
  for (const event of events) {
    if (event.event_kind !== "model_call" || event.phase === "start" || !hasUsage(event)) continue;
    const key = spanKey(event);
    let at = key === undefined ? undefined : spans.get(key)?.parent;
    while (at !== undefined && !climbed.has(at)) {
      climbed.add(at);
      const above = spans.get(at);
      if (above === undefined || separating.has(above.kind)) break;
      if (above.kind === "model_call") wrappers.add(at);
      at = above.parent;
    }
  }
  return wrappers;
}
