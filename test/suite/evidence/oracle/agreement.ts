/** @module Agreement: the two judges side by side, and the smallest window on which they differ. */
import { reconcileOutcome } from "@turnproof/evidence";
import type { Verdict } from "@turnproof/evidence";

import type { JudgedWindow, OracleVerdict } from "./law.ts";
import { oracle } from "./oracle.ts";

/** Both results for a window. */
export interface Judgement {
  readonly expected: OracleVerdict;
  readonly verdict: Verdict;
  readonly agree: boolean;
}

/** Lets both judge. */
export function judgeBoth(window: JudgedWindow): Judgement {
  const expected = oracle(window);
  const verdict = judged(window);
  return { expected, verdict, agree: expected.allowed.includes(verdict.status) };
}

/** The judge's verdict on a window. */
export function judged({ events, metadata, taskId }: JudgedWindow): Verdict {
  return reconcileOutcome(events, { normalizationMetadata: metadata, taskId });
}

/** The window without every event that the disagreement does not need, for the report. */
function smallest(window: JudgedWindow): JudgedWindow {
  const answer = (one: JudgedWindow): string => {
    const { expected, verdict } = judgeBoth(one);
    return `${expected.allowed.join(" or ")}, judged ${verdict.status}`;
  };
  const wanted = answer(window);
  let found = window;
  // Whole turns and tasks first, then event by event.
  for (const field of ["turn_id", "task_id"]) {
    for (const value of new Set(found.events.map((event) => event[field]))) {
      const fewer = { ...found, events: found.events.filter((one) => one[field] !== value) };
      if (value !== undefined && answer(fewer) === wanted) found = fewer;
    }
  }
  for (let shrinks = true; shrinks;) {
    shrinks = false;
    for (const event of found.events) {
      const fewer = { ...found, events: found.events.filter((one) => one !== event) };
      if (answer(fewer) !== wanted) continue;
      found = fewer;
      shrinks = true;
    }
  }
  return found;
}

/** A disagreement in words: both answers, their reasons, and the smallest window. */
export function explain(window: JudgedWindow): string {
  const small = smallest(window);
  const { expected, verdict } = judgeBoth(small);
  return JSON.stringify({
    oracle: expected.allowed,
    rules: [...new Set(expected.objections.map(({ rule }) => rule))],
    judge: verdict.status,
    findings: verdict.findings.map(({ code }) => code),
    missing_stages: verdict.missing_stages,
    window: verdict.window.reasons,
    taskId: small.taskId,
    metadata: small.metadata,
    events: small.events,
  });
}
