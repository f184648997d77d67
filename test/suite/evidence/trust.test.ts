/**
 * Trust: the verdict is worked out without the evidence of producers that are not trusted; where
 * theirs would change it, a note states it, and a note never blocks.
 */
import { buildPage, joinPages, normalize, reconcileOutcome } from "@turnproof/evidence";
import type { EventQuery, Verdict } from "@turnproof/evidence";
import { expect, test } from "vitest";

import {
  artifact,
  at,
  contract,
  delivery,
  intent,
  success,
  turn,
  whole,
  work,
} from "./text-windows.ts";
import type { Json } from "./verdict-cases.ts";

const judge = (events: readonly unknown[]): Verdict =>
  reconcileOutcome(events, { normalizationMetadata: whole });
const untrusted = (event: Json): Json => ({
  ...event,
  event_id: `${String(event["event_id"])}-untrusted`,
  ingest_trusted: false,
});
const late = { timestamp: "2026-11-21T08:00:50Z" };

test.each<[string, unknown]>([
  ["a refusal", untrusted(delivery({ acknowledged: false }, late))],
  ["a failed artifact", untrusted(artifact({ artifact_status: "failed" }, late))],
  ["a failed parse", untrusted(contract({ parser_status: "failed" }, late))],
  [
    "an intent of its own",
    untrusted(intent({ expected_artifact_types: ["other"] }, { task_id: "t" })),
  ],
  ["a failed ownership check", untrusted(at(2, "context_binding", { ownership_verified: false }))],
  ["a failed outcome", untrusted(at(50, "outcome", { outcome: "failure", verified: true }))],
  ["a loss", untrusted(at(50, "data_quality", { loss_dropped: 3 }))],
  ["a row that cannot be read", { ...turn, event_kind: "?", ingest_trusted: false }],
])("%s of an untrusted producer changes nothing but a note", (_caption, stated) => {
  const verdict = judge([...success(), stated]);
  expect(verdict).toMatchObject({ status: "success", verified: true, window: { complete: true } });
  expect(verdict.findings).toMatchObject([
    { code: "untrusted_contradiction", effect: "note", priority: 2 },
  ]);
  const trusted = judge([...success(), { ...(stated as Json), ingest_trusted: true }]);
  expect(trusted.status).not.toBe("success");
});

test.each(["intent", "work", "artifact", "contract", "delivery"])(
  "an untrusted %s satisfies nothing",
  (name) => {
    const events = success().map((event) =>
      event["event_id"] === name ? { ...event, ingest_trusted: false } : event,
    );
    const verdict = judge(events);
    expect(verdict.status).toBe("partial");
    expect(verdict.findings.map(({ code }) => code)).toContain("untrusted_contradiction");
  },
);

test("a copy of an untrusted producer does not stand for the trusted event", () => {
  const copy = { ...delivery({ acknowledged: false }, late), ingest_trusted: false };
  expect(judge([...success(), copy]).status).toBe("success");
  expect(judge([copy, ...success()]).status).toBe("success");
});

test("what agrees is no note", () => {
  expect(
    judge([...success(), untrusted(work({}, { span_id: "aaaaaaaaaaaaaa07" }))]).findings,
  ).toEqual([]);
});

test("stored rows of an untrusted producer that cannot be read change nothing but a note", () => {
  const { events, errors } = normalize([
    ...success(),
    { ...turn, event_kind: "?", event_id: "bad", schema_version: 3, ingest_trusted: false },
  ]);
  expect(errors).toEqual([
    {
      code: "invalid_event",
      count: 1,
      source_store: "trace",
      evidence_ids: ["bad"],
      ingest_trusted: false,
    },
  ]);
  const slice = { sourceRows: 6, bundleCount: 0, duplicatesRemoved: 0, bounded: false };
  const page = buildPage(
    { ...slice, events, errors },
    { limit: 9, continued: false, nextCursor: null, asOf: "2026-11-21T09:00:00Z" },
  );
  expect(page).toMatchObject({ window_complete: true, normalization_errors: 0 });
  const joined = joinPages([{ cursor: null, page }]).normalization_metadata;
  for (const read of [joined, { ...whole, normalization_errors: errors }]) {
    const verdict = reconcileOutcome(events, { normalizationMetadata: read });
    expect(verdict).toMatchObject({ status: "success", window: { complete: true } });
    expect(verdict.findings).toMatchObject([{ code: "untrusted_contradiction", effect: "note" }]);
  }
  const trusted = errors.map(({ ingest_trusted: _no, ...error }) => error);
  for (const stated of [trusted, [...errors, ...trusted]]) {
    const metadata = { ...whole, normalization_errors: stated };
    expect(reconcileOutcome(events, { normalizationMetadata: metadata }).status).toBe("partial");
  }
});

test.each<[string, EventQuery, string]>([
  ["the root", { root_trace_id: "r", turn_id: "t" }, "success"],
  ["a status", { root_trace_id: "r", status: "success" }, "partial"],
  ["a kind", { event_kind: "delivery" }, "partial"],
  ["a time", { end_time: "2026-11-21T08:01:00Z" }, "partial"],
  ["a task", { task_id: "t" }, "partial"],
])("a page of %s alone", (_caption, query, status) => {
  const { events, ...rest } = normalize(success());
  const page = buildPage(
    { events, sourceRows: 1, bundleCount: 1, duplicatesRemoved: 0, errors: [], bounded: false },
    { limit: 50, continued: false, nextCursor: null, asOf: "2026-11-21T09:00:00Z", query },
  );
  expect(rest.errors).toEqual([]);
  const joined = joinPages([{ cursor: null, page }]);
  const verdict = reconcileOutcome(joined.events, {
    normalizationMetadata: joined.normalization_metadata,
  });
  expect(verdict.status).toBe(status);
});
