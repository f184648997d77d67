/**
 * @module ReconcileTruncation: whether the output of a contract ended at its limit (design 4:
 * Diagnostics, `contract_truncated`). The finish reason is a fact of a model call; the record of a
 * contract is a point beside it, so the call that gave the text has to be found.
 */
import type { TurnEvent } from "./event.ts";
import { compareTimes } from "./time.ts";
import type { Generations, TaskScope, TurnEvidence } from "./task-scope.ts";

/** Finish reasons by which providers say that a limit ended the output. */
const lengthReasons: ReadonlySet<string> = new Set([
  "length",
  "max_tokens",
  "max_output_tokens",
  "model_length",
]);

function endedByLength(reason: string | undefined): boolean {
  return reason !== undefined && lengthReasons.has(reason.toLowerCase());
}

/** True when the record says that a marker of the contract was not found. */
export function markerMissing({ attributes }: TurnEvent): boolean {
  return attributes.opening_marker_found === false || attributes.closing_marker_found === false;
}

/**
 * True when a finish reason says length, or the output limit was met with a marker missing. The
 * reason is the record's own, or that of the call it was parsed from; the limit is the contract's
 * in characters or the call's in tokens.
 */
export function isTruncated(scope: TaskScope, record: TurnEvent): boolean {
  const { contract_finish_reason, output_limit, output_chars } = record.attributes;
  if (endedByLength(contract_finish_reason)) return true;
  const calls = callsOf(scope, record);
  if (calls.some(({ attributes }) => attributes.finish_reason?.some(endedByLength))) return true;
  if (!markerMissing(record)) return false;
  const lengths = output_chars === undefined ? calls.map(charsOf) : [output_chars];
  return (
    lengths.some((chars) => met(chars, output_limit)) ||
    calls.some(({ attributes: a }) => met(a.output_tokens, a.max_output_tokens))
  );
}

function charsOf({ attributes }: TurnEvent): number | undefined {
  return attributes.response_chars;
}

function met(value: number | undefined, limit: number | undefined): boolean {
  return value !== undefined && limit !== undefined && value >= limit;
}

/**
 * The calls that the record may have been parsed from: the one that it hangs under; else, unless
 * the record says itself how its text ended, the latest of the turn and task that had ended by
 * then, several where they tie.
 */
function callsOf(scope: TaskScope, record: TurnEvent): readonly TurnEvent[] {
  const { turn } = scope;
  const parent = record.parent_span_id;
  const named = parent === undefined ? [] : (turn.bySpan.get(parent) ?? []);
  const above = named.filter(isGeneration);
  if (above.length > 0) return above;
  if (record.attributes.contract_finish_reason !== undefined) return [];
  const own = scope.taskId === undefined ? [] : latestBefore(turn, scope.taskId, record);
  return own.length > 0 ? own : latestBefore(turn, undefined, record);
}

/** True for the result of a model call that can end by length; an embedding has no output text. */
function isGeneration(event: TurnEvent): boolean {
  return (
    event.event_kind === "model_call" &&
    event.phase !== "start" &&
    event.operation?.startsWith("embeddings") !== true
  );
}

function latestBefore(
  turn: TurnEvidence,
  taskId: string | undefined,
  record: TurnEvent,
): readonly TurnEvent[] {
  const calls = generationsOf(turn).get(taskId) ?? [];
  let low = 0;
  let high = calls.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const call = calls[middle] as readonly TurnEvent[];
    if (compareTimes((call[0] as TurnEvent).timestamp, record.timestamp) <= 0) low = middle + 1;
    else high = middle;
  }
  return calls[low - 1] ?? [];
}

/** Sorted once per turn, and only for a turn that has a contract. */
function generationsOf(turn: TurnEvidence): Generations {
  if (turn.generations !== undefined) return turn.generations;
  const byTask = new Map<string | undefined, TurnEvent[][]>();
  const sorted = turn.events
    .filter(isGeneration)
    .sort((a, b) => compareTimes(a.timestamp, b.timestamp));
  for (const call of sorted) {
    const groups = byTask.get(call.task_id);
    if (groups === undefined) byTask.set(call.task_id, [[call]]);
    else {
      const last = groups.at(-1) as TurnEvent[];
      if (compareTimes((last[0] as TurnEvent).timestamp, call.timestamp) === 0) last.push(call);
      else groups.push([call]);
    }
  }
  turn.generations = byTask;
  return byTask;
}
