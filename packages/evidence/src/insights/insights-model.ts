/**
 * @module InsightsModel: rules over model calls: failures, how the last answer of a turn ended,
 * and unknown usage. The finish reason is the provider's; no text is read.
 */
import type { TurnEvent } from "../event/event.ts";
import { groupByIdentity, membersOf } from "../event/identity-tuple.ts";
import type { InsightCode, InsightMatch } from "./insight-table.ts";
import { compareOrder } from "../reconcile/reconcile-order.ts";
import { endedByLength } from "../reconcile/reconcile-truncation.ts";

/** Finish reasons of providers for an answer that was withheld. */
const withheldReasons: ReadonlySet<string> = new Set([
  "content_filter",
  "content-filter",
  "guardrail_intervened",
  "prohibited_content",
  "blocklist",
  "recitation",
  "refusal",
  "safety",
  "spii",
]);

/** True for the result of a model call. */
export function isModelResult(event: TurnEvent): boolean {
  return event.event_kind === "model_call" && event.phase !== "start";
}

/** Failures, answers that were cut, withheld or empty, and unknown usage. */
export function modelInsights(events: readonly TurnEvent[]): InsightMatch[] {
  const results = events.filter(isModelResult);
  if (results.length === 0) return [];
  const found: InsightMatch[] = [];
  const note = (code: InsightCode, evidence: readonly TurnEvent[]): void => {
    if (evidence.length > 0) found.push({ code, evidence });
  };
  note("model_failures", results.filter(isFailure));
  const answers = lastOfTurns(results).filter((event) => !isFailure(event));
  note("answer_cut", answers.filter(isCut));
  note("answer_withheld", answers.filter(isWithheld));
  note("answer_empty", answers.filter(isEmpty));
  note("model_usage_missing", results.filter(isSilent));
  return found;
}

function isFailure({ status }: TurnEvent): boolean {
  return status === "error";
}

/** The last model result of each turn: the user's answer is based on it. */
function lastOfTurns(results: readonly TurnEvent[]): TurnEvent[] {
  const groups = groupByIdentity(results);
  return groups.tuples.flatMap((_, group) => {
    let last: TurnEvent | undefined;
    for (const event of membersOf(results, groups, group)) {
      if (event.attributes.genai_operation === "embeddings") continue;
      if (last === undefined || compareOrder(event, last) > 0) last = event;
    }
    return last === undefined ? [] : [last];
  });
}

function isCut({ attributes }: TurnEvent): boolean {
  return attributes.finish_reason?.some(endedByLength) === true;
}

function isWithheld({ attributes }: TurnEvent): boolean {
  return attributes.finish_reason?.some((word) => withheldReasons.has(word.toLowerCase())) === true;
}

/** It ended by itself without output: a known zero, never an unknown count. */
function isEmpty(event: TurnEvent): boolean {
  return event.attributes.output_tokens === 0 && !isCut(event) && !isWithheld(event);
}

/** A result without any token count; a failed call is not expected to have one. */
function isSilent(event: TurnEvent): boolean {
  const { input_tokens: input, output_tokens: output, total_tokens: total } = event.attributes;
  return !isFailure(event) && input === undefined && output === undefined && total === undefined;
}
