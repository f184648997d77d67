/** @module JudgeBudgets: duration, tokens, cost, retries, fallbacks and depth within limits. */
import { hasTotal, parentKey, spanKey, toolOutcome, turnCalls } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { elapsedMs } from "@turnproof/semconv";

import type { ClauseOf } from "../language/clauses.ts";
import { sumReported } from "./call-reports.ts";
import { openEndTexts, ownDuration } from "./judge-ending.ts";
import { counted, judged, measuredWords } from "./judgement.ts";
import type { ClauseJudgement } from "./judgement.ts";
import { anyNumber, exactly, within } from "./three-values.ts";
import type { NumberLimits, Range } from "./three-values.ts";
import type { TurnFacts } from "./turn-facts.ts";

/** Duration of the turn's own result; of a turn without an end, at least what passed so far. */
export function judgeDuration(clause: ClauseOf<"duration">, facts: TurnFacts): ClauseJudgement {
  const limits = { at_least: clause.at_least_ms, at_most: clause.at_most_ms };
  const { end, recordedEnd } = facts;
  if (end !== undefined) {
    const own = ownDuration(end);
    const range = own === undefined ? anyNumber : exactly(own);
    return limited(range, limits, "The turn took", "ms", [end]);
  }
  // The duration is that of the turn's span that began first. Its end may be missing, and its
  // duration shorter than the recorded one.
  if (recordedEnd !== undefined) {
    const open = limited(anyNumber, limits, "The turn took", "ms", [recordedEnd]);
    return { ...open, sentence: `${openEndTexts(recordedEnd)}; ${allowedWords(limits)}.` };
  }
  const first = facts.events[0];
  const last = facts.events.at(-1);
  const passed = facts.whole && first && last ? elapsedMs(first.timestamp, last.timestamp) : 0;
  const range = { low: Math.max(0, passed ?? 0), high: Number.POSITIVE_INFINITY };
  return limited(range, limits, "The turn has taken", "ms", facts.of("turn"));
}

/** Tokens, counted once however many levels report them. */
export function judgeTokens(clause: ClauseOf<"tokens">, facts: TurnFacts): ClauseJudgement {
  const { of = "total" } = clause;
  const opening = `The turn used`;
  const unit = `${of} tokens`;
  // In a part of a window it is unknown which of nested calls are counted.
  if (!facts.whole) {
    const part = limited(anyNumber, clause, opening, unit, facts.of("model_call"));
    const recorded = facts.usage[`${of}_tokens`];
    if (recorded === null) return part;
    const words = measuredWords({ ...exactly(recorded), unit });
    const sentence = `Recorded: ${words}, and calls that count instead or besides may be missing`;
    return { ...part, sentence: `${sentence}; ${allowedWords(clause)}.` };
  }
  const calls = facts.modelCalls;
  const { usage } = facts;
  const value = usage[`${of}_tokens`];
  // As for the cost: over the whole, no model call is no use.
  if (facts.closed && value === null && facts.of("model_call").length === 0) {
    return limited(exactly(0), clause, opening, unit, calls);
  }
  const whole = of === "total" ? hasEveryTotal(facts) : calls.every((call) => hasTokens(call, of));
  const every = facts.closed && value !== null && whole;
  const low = value ?? 0;
  const range = { low, high: every ? low : Number.POSITIVE_INFINITY };
  return limited(range, clause, opening, unit, calls);
}

/** Counts of the turn itself, or a total of each call: parts of it may be unknown. */
function hasEveryTotal({ usage, modelCalls }: TurnFacts): boolean {
  return usage.usage_state === "known" || (modelCalls.length > 0 && modelCalls.every(hasTotal));
}

function hasTokens({ attributes }: TurnEvent, of: "input" | "output" | "cached"): boolean {
  // Cached tokens are recorded only where a provider has a cache; none recorded is unknown.
  return attributes[`${of}_tokens`] !== undefined;
}

/** Cost by the price function; a call without a price makes it unknown upwards. */
export function judgeCost(clause: ClauseOf<"cost">, facts: TurnFacts): ClauseJudgement {
  const { priceOf, priceUnit } = facts.around;
  if (priceOf === undefined) return judged("not_established", "No price function is given.");
  if (!facts.whole) return judged("not_established", "A part of the calls may be missing.");
  const at = (facts.end ?? facts.events.at(-1))?.timestamp ?? "";
  let [low, high] = [0, facts.closed ? 0 : Number.POSITIVE_INFINITY];
  for (const { kind, name: model, ...call } of turnCalls(facts.events)) {
    if (kind !== "model") continue;
    const price = priceOf({ ...call, model, at }) ?? anyNumber;
    low += typeof price === "number" ? price : price.low;
    high += typeof price === "number" ? price : price.high;
  }
  const calls = facts.modelCalls;
  return limited({ low, high }, clause, "The turn cost", priceUnit, calls);
}

/** Retries as they are recorded; a call without a count has an unknown number of them. */
export function judgeRetries(clause: ClauseOf<"retries">, facts: TurnFacts): ClauseJudgement {
  const { low, open } = sumReported(facts, ({ attributes }) => attributes.retry_count);
  const all = facts.closed && !open && facts.calls.every(({ finished }) => finished);
  const evidence = facts.events.filter(
    (event) => isCallEnd(event) && (event.attributes.retry_count ?? 0) > 0,
  );
  const range = { low, high: all ? low : Number.POSITIVE_INFINITY };
  return limited(range, clause, "The turn had", "retries", evidence);
}

function isCallEnd({ event_kind: kind, phase }: TurnEvent): boolean {
  return (kind === "model_call" || kind === "tool_call") && phase !== "start";
}

/** Fallbacks of a tool, of a model, of the memory or of a host's action. */
export function judgeFallbacks(clause: ClauseOf<"fallbacks">, facts: TurnFacts): ClauseJudgement {
  const used = facts.events.filter(usedFallback);
  const others = used.filter((event) => !isCallEnd(event));
  const spans = new Set(others.map((event) => spanKey(event) ?? event.event_id));
  const calls = sumReported(facts, (event) => (usedFallback(event) ? 1 : 0));
  const open = facts.calls.filter(({ kind, outcome }) => kind === "tool" && outcome === undefined);
  const low = spans.size + calls.low;
  const high = facts.closed ? low + open.length : Number.POSITIVE_INFINITY;
  return limited({ low, high }, clause, "The turn had", "fallbacks", used);
}

function usedFallback(event: TurnEvent): boolean {
  const { attributes } = event;
  if (event.phase === "start") return false;
  return (
    attributes.fallback_used === true ||
    attributes.memory_fallback_used === true ||
    (event.event_kind === "tool_call" && toolOutcome(event) === "fallback")
  );
}

/**
 * Levels of spans from the turn's first one down. A parent that is not recorded leaves them open,
 * but for that of the turn's own span, where it is the only span of a turn: its parent is the
 * caller's, and no part of the turn. Of several such spans, one may be below a span that is not
 * recorded.
 */
export function judgeDepth(clause: ClauseOf<"depth">, facts: TurnFacts): ClauseJudgement {
  const parents = new Map<string, string | undefined>();
  for (const event of facts.events) {
    const key = spanKey(event);
    if (key !== undefined) parents.set(key, parentKey(event) ?? parents.get(key));
  }
  const levels = new Map<string, number>();
  let low = 0;
  for (const key of parents.keys()) low = Math.max(low, levelOf(key, parents, levels));
  const turnKeys = new Set(facts.of("turn").map(spanKey));
  const isOwn = (key: string): boolean => turnKeys.size === 1 && turnKeys.has(key);
  const broken = [...parents].some(
    ([key, above]) => above !== undefined && !parents.has(above) && !isOwn(key),
  );
  const high = facts.closed && !broken ? low : Number.POSITIVE_INFINITY;
  return limited({ low, high }, clause, "The spans are", "levels deep", []);
}

function levelOf(
  start: string,
  parents: ReadonlyMap<string, string | undefined>,
  levels: Map<string, number>,
): number {
  const path: string[] = [];
  let at: string | undefined = start;
  while (at !== undefined && parents.has(at) && !levels.has(at)) {
    // A cycle of parents ends where it began.
    levels.set(at, 0);
    path.push(at);
    at = parents.get(at);
  }
  let level = at === undefined ? 0 : (levels.get(at) ?? 0);
  for (const key of path.toReversed()) levels.set(key, (level += 1));
  return level;
}

/** A range against its limits, in a sentence. */
export function limited(
  range: Range,
  limits: NumberLimits,
  subject: string,
  unit: string,
  evidence: readonly TurnEvent[],
): ClauseJudgement {
  const result = within(range, limits);
  const measured = {
    low: range.low,
    high: Number.isFinite(range.high) ? range.high : null,
    unit,
  };
  const sentence = `${subject} ${measuredWords(measured)}; ${allowedWords(limits)}.`;
  return { result, evidence, sentence, measured };
}

/** Limits in a sentence. */
export function allowedWords({ at_least: least, at_most: most }: NumberLimits): string {
  const wanted = [
    ...(least === undefined ? [] : [`at least ${least}`]),
    ...(most === undefined ? [] : [`at most ${most}`]),
  ].join(" and ");
  return `the contract allows ${wanted}`;
}

/** A number of calls in a sentence. */
export function callCount({ low, high }: Range): string {
  if (low === high) return counted(low, "call");
  return Number.isFinite(high) ? `${low} to ${high} calls` : `${counted(low, "call")} or more`;
}
