/**
 * Golden windows (test/golden/windows), written from the requirements and the design alone: each is
 * judged by the library, in either order of the list, and by POST /traces/reconcile of a collector.
 */
import { readdirSync, readFileSync } from "node:fs";

import { reconcileOutcome } from "@turnproof/evidence";
import type { Verdict, WindowMetadata } from "@turnproof/evidence";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openDesk } from "../collector/desk.ts";
import type { Desk } from "../collector/desk.ts";
import { applyChanges } from "./verdict-cases.ts";
import type { Change, Json, Window } from "./verdict-cases.ts";

/** What one window must give; `findings` counts each diagnostic of the design's table. */
interface Expected {
  readonly status: string;
  readonly findings: Readonly<Record<string, number>>;
  readonly missing_stages?: readonly string[];
  readonly confidence?: Readonly<Record<string, string>>;
  readonly read_completeness?: string;
}

interface WindowFile {
  readonly caption: string;
  readonly task_id?: string;
  readonly normalization_metadata: WindowMetadata | null;
  readonly events: readonly Json[];
  readonly cases: readonly {
    readonly caption: string;
    readonly change: readonly Change[];
    readonly expect: Expected;
  }[];
}

/** The diagnostics (evidence: Diagnostics) and their priorities; any other finding is a gap's. */
const priorities: Readonly<Record<string, number>> = {
  artifact_missing: 0,
  artifact_persistence_unverified: 0,
  artifact_ownership_unverified: 0,
  artifact_provenance_invalid: 0,
  artifact_source_missing: 0,
  artifact_source_mismatch: 0,
  artifact_producer_missing: 0,
  artifact_producer_incomplete: 0,
  artifact_producer_failed: 0,
  contract_missing: 0,
  contract_parse_failed: 0,
  contract_incomplete: 0,
  contract_truncated: 0,
  contract_not_emitted: 0,
  trace_context_missing: 0,
  contract_recovered: 1,
  delivery_unconfirmed: 1,
  credit_before_persistence: 1,
  orphan_action: 1,
  clock_conflict: 1,
};

const folder = new URL("../../golden/windows/", import.meta.url);
const files = readdirSync(folder).map((name) => ({
  name,
  ...(JSON.parse(readFileSync(new URL(name, folder), "utf8")) as WindowFile),
}));

function check(verdict: Verdict, wanted: Expected): void {
  const counts: Record<string, number> = {};
  for (const { code, priority, evidence_ids } of verdict.findings) {
    if (priorities[code] === undefined) continue;
    counts[code] = (counts[code] ?? 0) + 1;
    expect([code, priority]).toEqual([code, priorities[code]]);
    expect(evidence_ids.length).toBeLessThanOrEqual(32);
  }
  expect({ status: verdict.status, findings: counts }).toEqual({
    status: wanted.status,
    findings: wanted.findings,
  });
  expect(verdict.verified).toBe(wanted.status === "success");
  // What is not verified has its reason: in a finding, a missing stage or a reason of the window.
  const why = [...verdict.findings, ...verdict.missing_stages, ...verdict.window.reasons];
  expect(why.length > 0 || wanted.status === "success" || wanted.status === "unknown").toBe(true);
  if (wanted.missing_stages !== undefined) {
    expect([...verdict.missing_stages].toSorted()).toEqual(wanted.missing_stages);
  }
  for (const [code, confidence] of Object.entries(wanted.confidence ?? {})) {
    expect(verdict.findings.find((finding) => finding.code === code)?.confidence).toBe(confidence);
  }
  if (wanted.read_completeness !== undefined) {
    expect(verdict.window.read_completeness).toBe(wanted.read_completeness);
  }
}

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({}, { judge: false });
});
afterAll(() => desk.collector.close());

async function posted({ events, metadata, taskId }: Window): Promise<Verdict> {
  const response = await desk.collector.app.request("http://localhost/traces/reconcile", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      events,
      ...(taskId === null ? {} : { task_id: taskId }),
      ...(metadata === null ? {} : { normalization_metadata: metadata }),
    }),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Verdict;
}

describe.each(files)("$name: $caption", ({ cases, events, normalization_metadata, task_id }) => {
  const whole = { events, metadata: normalization_metadata, taskId: task_id ?? null };

  test.each(cases)("$caption", async ({ change, expect: wanted }) => {
    const window = applyChanges(whole, change);
    const verdict = reconcileOutcome(window.events, {
      normalizationMetadata: window.metadata,
      taskId: window.taskId,
    });
    check(verdict, wanted);
    // Neither the order of the list nor the way of the wire is part of the evidence.
    const reversed = reconcileOutcome(window.events.toReversed(), {
      normalizationMetadata: window.metadata,
      taskId: window.taskId,
    });
    check(reversed, wanted);
    check(await posted(window), wanted);
  });
});
