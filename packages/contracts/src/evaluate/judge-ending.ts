/** @module JudgeEnding: how the turn ended, and the verdict of the evidence on it. */
import { parentKey, unfinishedStarts } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { elapsedMs } from "@turnproof/semconv";

import type { ClauseOf } from "../language/clauses.ts";
import { listOf, matchesName } from "../language/names.ts";
import { judged, listed, rounded } from "./judgement.ts";
import type { ClauseJudgement } from "./judgement.ts";
import { known } from "./three-values.ts";
import type { TurnFacts } from "./turn-facts.ts";

const unfinished = "turn_unfinished";

/** Whether the turn ended. One that is still open may end; an abandoned one did not. */
export function judgeEnded(facts: TurnFacts): ClauseJudgement {
  if (facts.end !== undefined) return judged("holds", "The turn ended.", [facts.end]);
  const { recordedEnd, whole } = facts;
  const turns = facts.of("turn");
  const open = unfinishedStarts(turns);
  if (whole && open.length > 0 && facts.verdict.findings.some(({ code }) => code === unfinished)) {
    return judged("violated", "The turn began and never ended.", open);
  }
  if (recordedEnd !== undefined) return judgeRecordedEnd(recordedEnd, turns, open);
  return whole && open.length > 0
    ? judged("not_established", "The turn is still open.", open)
    : judged("not_established", "No end of the turn is recorded in what was read.", turns);
}

/** An end with no span above it is that of the turn, unless another span of a turn is open. */
function judgeRecordedEnd(
  end: TurnEvent,
  turns: readonly TurnEvent[],
  open: readonly TurnEvent[],
): ClauseJudgement {
  const outermost = turns.find((event) => event.phase !== "start" && !hasParent(event));
  if (outermost !== undefined && open.length === 0) {
    return judged("holds", "The turn ended.", [outermost]);
  }
  const why =
    open.length > 0
      ? "another span of the turn began and has no recorded end"
      : "a span of the turn may be missing around it";
  return judged("not_established", `${endWords(end)}, but ${why}.`, [end, ...open]);
}

function hasParent(event: TurnEvent): boolean {
  return parentKey(event) !== undefined;
}

/** An end that is recorded, in a sentence. */
function endWords(end: TurnEvent): string {
  const own = ownDuration(end);
  const after = own === undefined ? "" : ` after ${rounded(own)} ms`;
  return `An end of the turn is recorded with status ${end.status}${after}`;
}

/** The recorded end of a turn that may have another one, in a sentence. */
export function openEndTexts(end: TurnEvent): string {
  return `${endWords(end)}, but one of a span that began earlier may be missing`;
}

/** Duration of a result; undefined where it is not recorded. An end before its start gives none. */
export function ownDuration(end: TurnEvent): number | undefined {
  const own = end.duration_ms ?? elapsedMs(end.started_at ?? "", end.timestamp);
  return own === undefined || own < 0 ? undefined : own;
}

/** The status of the turn's own result. */
export function judgeStatus({ is }: ClauseOf<"status">, facts: TurnFacts): ClauseJudgement {
  const { end, recordedEnd } = facts;
  if (end === undefined) {
    return recordedEnd === undefined
      ? judged("not_established", "No end of the turn is recorded.")
      : judged("not_established", `${openEndTexts(recordedEnd)}.`, [recordedEnd]);
  }
  // A result without a status has no meaning.
  const status = end.status === "unknown" ? undefined : end.status;
  const result = status === undefined ? undefined : listOf(is).includes(status);
  return judged(known(result), `The turn ended with status ${end.status}.`, [end]);
}

/** The verdict on the turn. */
export function judgeVerdict({ is }: ClauseOf<"verdict">, facts: TurnFacts): ClauseJudgement {
  const { verdict } = facts;
  const wanted = listOf<string>(is);
  const evidence = new Set(verdict.findings.flatMap(({ evidence_ids: ids }) => ids));
  const events = facts.events.filter(({ event_id: id }) => evidence.has(id));
  // In a part of a window, or before the turn has ended, the verdict may still change.
  const settled = facts.closed && verdict.open_until === null;
  const result = settled ? known(wanted.includes(verdict.status)) : "not_established";
  const end = settled
    ? result === "holds"
      ? "."
      : `, not ${listed(is)}.`
    : " over what was read, and may change.";
  return judged(result, `The verdict is ${verdict.status}${end}`, events);
}

/** No event of the turn is an error, or at most a share of them. */
export function judgeNoErrors(
  { at_most_share: share }: ClauseOf<"no_errors">,
  facts: TurnFacts,
): ClauseJudgement {
  const failed = facts.events.filter(({ status }) => status === "error");
  if (share !== undefined) return judgeErrorShare(share, failed, facts);
  if (failed.length > 0) {
    const kinds = [...new Set(failed.map(({ event_kind: kind }) => kind))];
    return judged("violated", `Failed: ${listed(kinds, "and")}.`, failed);
  }
  return facts.closed
    ? judged("holds", "Nothing in the turn failed.")
    : judged("not_established", "No failure is recorded, and a part may be missing.");
}

function judgeErrorShare(
  most: number,
  failed: readonly TurnEvent[],
  facts: TurnFacts,
): ClauseJudgement {
  const ended = facts.events.filter(({ phase }) => phase !== "start").length;
  const sentence = `${failed.length} of ${ended} failed; the contract allows a share of ${most}.`;
  // What is missing may have failed or not: the share may be on either side.
  if (!facts.closed) return judged("not_established", sentence, failed);
  return judged(known(failed.length <= most * ended), sentence, failed);
}

const clean: ReadonlySet<string> = new Set(["success", "empty"]);

/** Every tool call ended without failure, fallback or limitation. */
export function judgeToolsClean(
  { tool }: ClauseOf<"tools_clean">,
  facts: TurnFacts,
): ClauseJudgement {
  const calls = facts.calls.filter(
    ({ kind, name }) =>
      kind === "tool" &&
      (tool === undefined ||
        name === undefined ||
        listOf(tool).some((pattern) => matchesName(pattern, name))),
  );
  const unclean = calls.filter(
    ({ certain, outcome, name }) =>
      certain &&
      outcome !== undefined &&
      !clean.has(outcome) &&
      (tool === undefined || name !== undefined),
  );
  if (unclean.length > 0) {
    const words = [...new Set(unclean.map(({ name, outcome }) => `${name ?? "tool"}: ${outcome}`))];
    return judged(
      "violated",
      `Not every tool succeeded (${words.slice(0, 5).join(", ")}).`,
      unclean.map(({ event }) => event),
    );
  }
  const open = calls.filter(
    ({ outcome, name }) => outcome === undefined || (tool !== undefined && name === undefined),
  );
  if (open.length > 0) {
    const sentence = "A tool call has no known outcome.";
    return judged(
      "not_established",
      sentence,
      open.map(({ event }) => event),
    );
  }
  if (!facts.closed) {
    return judged("not_established", "The tool calls that are recorded may not be all.");
  }
  const sentence =
    calls.length === 0 ? "No tool was called." : `All ${calls.length} tool calls were clean.`;
  return judged(
    "holds",
    sentence,
    calls.map(({ event }) => event),
  );
}
