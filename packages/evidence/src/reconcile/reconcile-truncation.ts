/**
 * @module ReconcileTruncation: whether the output of a contract ended at its limit (evidence:
 * Diagnostics, `contract_truncated`). The finish reason belongs to a model call, and the record of
 * a contract is separate from it, so the call with the text has to be found.
 */
import { compareTimes } from "@turnproof/semconv";

import type { TurnEvent } from "../event/event.ts";
import type { TaskScope, TextEnds, TurnEvidence } from "./turn-evidence.ts";
import type { TextEnd } from "./turn-evidence.ts";

/** Finish reasons of providers for output that a limit ended. */
const lengthReasons: ReadonlySet<string> = new Set([
  "length",
  "max_tokens",
  "max_output_tokens",
  "model_length",
]);

/** True for such a finish reason. */
export function endedByLength(reason: string | undefined): boolean {
  return reason !== undefined && lengthReasons.has(reason.toLowerCase());
}

/** True unless both markers of the contract were found, or it has none by declaration. */
export function markerMissing({ attributes }: TurnEvent): boolean {
  const { opening_marker_found: opening, closing_marker_found: closing, unmarked } = attributes;
  return unmarked !== true && (opening !== true || closing !== true);
}

function newEnd(at: string): TextEnd {
  return { at, byLength: false, byTokens: false, chars: undefined };
}

function addCall(end: TextEnd, { attributes }: TurnEvent): void {
  const { finish_reason, output_tokens, max_output_tokens, response_chars } = attributes;
  end.byLength ||= finish_reason?.some(endedByLength) === true;
  end.byTokens ||= met(output_tokens, max_output_tokens);
  if (response_chars !== undefined) end.chars = Math.max(end.chars ?? 0, response_chars);
}

/**
 * True when a finish reason means length, or the output limit was reached with a marker missing.
 * The reason is the record's own, or that of the call it was parsed from; the limit is the
 * contract's in characters or the call's in tokens.
 */
export function isTruncated(scope: TaskScope, record: TurnEvent): boolean {
  const { contract_finish_reason, output_limit, output_chars } = record.attributes;
  if (endedByLength(contract_finish_reason)) return true;
  const end = endOf(scope, record);
  if (end?.byLength === true) return true;
  if (!markerMissing(record)) return false;
  return met(output_chars ?? end?.chars, output_limit) || end?.byTokens === true;
}

function met(value: number | undefined, limit: number | undefined): boolean {
  return value !== undefined && limit !== undefined && value >= limit;
}

/**
 * How the text of the record ended: that of the call that is its parent; else, unless the record
 * itself has it, that of the latest call of the turn and task that had ended by then.
 */
function endOf(scope: TaskScope, record: TurnEvent): TextEnd | undefined {
  const { turn } = scope;
  const parent = record.parent_span_id;
  const above = parent === undefined ? undefined : endOfSpan(turn, parent);
  if (above !== undefined) return above;
  if (record.attributes.contract_finish_reason !== undefined) return undefined;
  const own = scope.taskId === undefined ? undefined : latestBefore(turn, scope.taskId, record);
  return own ?? latestBefore(turn, undefined, record);
}

/** True for the result of a model call that can end by length; an embedding has no output text. */
function isGeneration(event: TurnEvent): boolean {
  return (
    event.event_kind === "model_call" &&
    event.phase !== "start" &&
    event.operation?.startsWith("embeddings") !== true
  );
}

/** Read once per span, however many records have it as parent. */
function endOfSpan(turn: TurnEvidence, span: string): TextEnd | undefined {
  const known = turn.endOfSpan.get(span);
  // Null marks a span that is no call.
  if (known !== undefined) return known ?? undefined;
  let end: TextEnd | undefined;
  for (const event of turn.bySpan.get(span) ?? []) {
    if (isGeneration(event)) addCall((end ??= newEnd(event.timestamp)), event);
  }
  turn.endOfSpan.set(span, end ?? null);
  return end;
}

function latestBefore(
  turn: TurnEvidence,
  taskId: string | undefined,
  record: TurnEvent,
): TextEnd | undefined {
  const ends = endsOf(turn).get(taskId) ?? [];
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareTimes((ends[middle] as TextEnd).at, record.timestamp) <= 0) low = middle + 1;
    else high = middle;
  }
  return ends[low - 1];
}

/** Sorted once per turn, and only for a turn with a contract. */
function endsOf(turn: TurnEvidence): TextEnds {
  if (turn.ends !== undefined) return turn.ends;
  const byTask = new Map<string | undefined, TextEnd[]>();
  const calls = turn.events.filter(isGeneration);
  calls.sort((a, b) => compareTimes(a.timestamp, b.timestamp));
  for (const call of calls) {
    let ends = byTask.get(call.task_id);
    if (ends === undefined) byTask.set(call.task_id, (ends = []));
    let last = ends.at(-1);
    if (last === undefined || compareTimes(last.at, call.timestamp) !== 0) {
      last = newEnd(call.timestamp);
      ends.push(last);
    }
    addCall(last, call);
  }
  turn.ends = byTask;
  return byTask;
}
