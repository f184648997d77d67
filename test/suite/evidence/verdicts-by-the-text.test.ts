/**
 * Verdicts of windows that were written from the requirements and the design alone. Each row names
 * its rule, the status, and exactly the diagnostics (evidence: Reconcile) that hold.
 */
import { diagnosticCodes, reconcileOutcome } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { contractRows } from "./contract-rows.ts";
import { evidenceRows } from "./evidence-rows.ts";
import { delivery, success, turn, whole } from "./text-windows.ts";
import { windowRows } from "./window-rows.ts";

const diagnostic: ReadonlySet<string> = new Set(diagnosticCodes);
const windows = [...windowRows, ...contractRows, ...evidenceRows];

test.each(windows.map((row) => [row.rule, row] as const))("%s", (_rule, row) => {
  const { metadata = whole, events, taskId, status } = row;
  const options = { normalizationMetadata: metadata, taskId: taskId ?? null };
  const verdict = reconcileOutcome(events, options);
  const codes = new Set<string>(verdict.findings.map(({ code }) => code));
  const reported = {
    status: verdict.status,
    diagnostics: [...codes].filter((c) => diagnostic.has(c)),
  };
  expect(typeof status === "string" ? [status] : status).toContain(reported.status);
  if (row.diagnostics !== undefined)
    expect(reported.diagnostics.toSorted()).toEqual(row.diagnostics);
  if (row.missing !== undefined) expect(verdict.missing_stages).toEqual(row.missing);
  expect(verdict.verified).toBe(verdict.status === "success");
  // What is no success has its reason, in a finding, a missing stage or a reason of its window.
  const reasons = [...verdict.findings, ...verdict.missing_stages, ...verdict.window.reasons];
  expect(reasons.length > 0 || ["success", "unknown"].includes(verdict.status)).toBe(true);
});

test("the identity of every window is the whole tuple", () => {
  for (const field of Object.keys(turn)) {
    const moved = success({ delivery: delivery({}, { [field]: "elsewhere" }) });
    const { status } = reconcileOutcome(moved, { normalizationMetadata: whole });
    expect([field, status]).toEqual([field, "partial"]);
  }
});
