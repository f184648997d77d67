/** Golden verdicts: each numbered rule has a window that satisfies it and changes that break it. */
import { countTools, judgeRules, reconcileOutcome } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { judgeRulesDigest } from "../../generate/judge-rules.ts";
import { applyChanges, verdictCases } from "./verdict-cases.ts";
import type { Expected, Window } from "./verdict-cases.ts";

const cases = verdictCases();

function check(window: Window, expected: Expected): void {
  const verdict = reconcileOutcome(window.events, {
    normalizationMetadata: window.metadata,
    taskId: window.taskId,
  });
  const codes = [...new Set(verdict.findings.map((finding) => finding.code))].toSorted();
  expect({ status: verdict.status, codes }).toEqual({
    status: expected.status,
    codes: expected.codes,
  });
  expect(verdict.verified).toBe(expected.status === "success");
  if (expected.missing_stages !== undefined) {
    expect(verdict.missing_stages).toEqual(expected.missing_stages);
  }
  expect(verdict.window.reasons).toEqual(expected.reasons ?? []);
  if (expected.priorities !== undefined) {
    expect(verdict.findings.map((finding) => finding.priority)).toEqual(expected.priorities);
  }
  if (expected.tools !== undefined) {
    expect(countTools(window.events as unknown as TurnEvent[])).toMatchObject(expected.tools);
  }
}

test("every numbered rule has a case", () => {
  expect([...new Set(cases.map(({ rule }) => rule))].toSorted((a, b) => a - b)).toEqual([
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
  ]);
});

describe.each(cases)("$name", ({ window, expect: expected, mutations, caption, rule }) => {
  test(caption, () => {
    expect(caption).toMatch(/Reconciliation \d+:|evidence: Reconcile\. /);
    if (caption.startsWith("Reconciliation")) expect(caption).toContain(`Reconciliation ${rule}:`);
    check(window, expected);
  });

  test.each(mutations)("broken: $caption", ({ change, expect: broken }) => {
    expect(broken.status).not.toBe("success");
    check(applyChanges(window, change), broken);
  });
});

test("the digest of the judge's rules is that of these verdicts", () => {
  expect(judgeRules).toBe(judgeRulesDigest());
});
