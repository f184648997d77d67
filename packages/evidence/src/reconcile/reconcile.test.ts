/** The verdict beside its golden cases: reading, confidence, chain, watermark and own profiles. */
import { describe, expect, test } from "vitest";

import type { TurnEvent } from "../event/event.ts";
import { reconcileOutcome } from "./reconcile.ts";

const complete = {
  window_complete: true,
  truncated: false,
  normalization_errors: 0,
  read_completeness: "complete" as const,
};

function event(
  second: number,
  event_kind: string,
  attributes: object,
  extra: object = {},
): { readonly [name: string]: unknown } {
  return {
    schema_version: 3,
    event_id: `${event_kind}-${second}`,
    event_kind,
    phase: "event",
    status: "success",
    timestamp: `2026-11-21T10:00:0${second}Z`,
    application_id: "app",
    agent_id: "agent",
    user_id: "user",
    thread_id: "thread",
    root_trace_id: "root",
    turn_id: "turn",
    ...extra,
    attributes,
  };
}

const reply = { resource_type: "reply", ref: "reply-1", version: "1" };
const made = { persistence_verified: true, producing_span_id: "work", source_independent: true };
const window = [
  event(1, "intent", { expected_artifact_types: ["reply"] }),
  event(2, "application_action", {}, { phase: "result", span_id: "work" }),
  event(3, "artifact", made, { output_refs: [reply] }),
  event(4, "delivery", { emitted: true, acknowledged: true }, { input_refs: [reply] }),
];

const judge = (events: readonly unknown[]): ReturnType<typeof reconcileOutcome> =>
  reconcileOutcome(events, { normalizationMetadata: complete });

describe("reading", () => {
  test("names of older writers and labels among the attributes are read", () => {
    const names: { readonly [kind: string]: string } = {
      intent: "intent_plan",
      artifact: "artifact_persisted",
      delivery: "ui_delivery",
    };
    const older = window.map((one) => ({
      ...one,
      event_kind: names[String(one["event_kind"])] ?? one["event_kind"],
      attributes: { ...(one["attributes"] as object), task_id: "a" },
    }));
    const options = { normalizationMetadata: complete, taskId: "a" };
    expect(reconcileOutcome(older, options)).toMatchObject({ status: "success", task_id: "a" });
    const labelled = window.map((one) => ({
      ...one,
      attributes: { ...(one["attributes"] as object), task_id: "a" },
    }));
    expect(reconcileOutcome(labelled, options).status).toBe("success");
  });

  test("the watermark is the reader's, else the latest receipt, else unknown", () => {
    const asOf = (events: readonly unknown[], as_of?: string): string | null => {
      const metadata = as_of === undefined ? complete : { ...complete, as_of };
      return reconcileOutcome(events, { normalizationMetadata: metadata }).as_of;
    };
    expect(asOf(window)).toBeNull();
    const received = window.map((one, at) => ({ ...one, received_at: `2026-11-21T11:00:0${at}Z` }));
    expect(asOf(received)).toBe("2026-11-21T11:00:03Z");
    expect(asOf(received, "2026-11-21T12:00:00Z")).toBe("2026-11-21T12:00:00Z");
  });
});

describe("findings", () => {
  test("rest with low confidence on absence in an incomplete window", () => {
    const confidence = (metadata: object | null): (string | undefined)[] =>
      reconcileOutcome(window.slice(0, 2), { normalizationMetadata: metadata }).findings.map(
        (finding) => finding.confidence,
      );
    expect(confidence(complete)).toEqual(["high"]);
    expect(confidence(null)).toEqual(["low"]);
    const denied = { emitted: true, acknowledged: false };
    const stated = [...window.slice(0, 3), event(4, "delivery", denied, { input_refs: [reply] })];
    expect(reconcileOutcome(stated).findings[0]).toMatchObject({
      code: "delivery_unconfirmed",
      confidence: "high",
      priority: 1,
      evidence_ids: ["delivery-4"],
      evidence_count: 1,
    });
  });

  test("a refusal, whatever status its recorder gave it, is called one and nothing else", () => {
    const denied = { emitted: true, acknowledged: false };
    for (const status of ["success", "error"] as const) {
      const stated = event(4, "delivery", denied, { input_refs: [reply], status });
      const { status: verdict, findings } = judge([...window.slice(0, 3), stated]);
      expect(verdict).toBe("failed");
      expect(findings.map(({ code, title }) => [code, title])).toEqual([
        ["delivery_unconfirmed", "Delivery refused"],
      ]);
    }
    const unanswered = { emitted: true, acknowledged: null };
    const open = event(4, "delivery", unanswered, { input_refs: [reply] });
    expect(judge([...window.slice(0, 3), open]).findings[0]?.title).toBe("Delivery unconfirmed");
    const lost = { emitted: true, acknowledged: null };
    const failed = event(4, "delivery", lost, { input_refs: [reply], status: "error" });
    expect(judge([...window.slice(0, 3), failed]).findings[0]?.title).toBe("Delivery not emitted");
  });

  test("an artifact that changed after its delivery is said to be delivered in an older version", () => {
    const newer = { ...reply, version: "2" };
    const changed = event(5, "artifact", made, { output_refs: [newer] });
    expect(judge([...window, changed]).findings[0]).toMatchObject({
      code: "delivery_precedes_evidence",
      title: "Older version delivered",
    });
  });

  test("a contract whose output went nowhere says that nothing was delivered", () => {
    const parsed = event(4, "contract", { contract_name: "form", parser_status: "success" });
    const wanted = window.with(0, {
      ...window[0],
      attributes: { expected_artifact_types: ["reply"], required_contracts: ["form"] },
    });
    const undelivered = wanted.slice(0, 3);
    const { findings } = judge([...undelivered, parsed]);
    expect(findings.map(({ code, title }) => [code, title])).toContainEqual([
      "contract_not_emitted",
      "Nothing delivered",
    ]);
  });

  test("name at most 32 events and say how many there are", () => {
    const effects = Array.from({ length: 50 }, (_, at) =>
      event(2, "application_action", { side_effect: true }, { event_id: `effect-${at}` }),
    );
    const [finding] = reconcileOutcome(effects).findings;
    expect(finding).toMatchObject({ code: "orphan_action", evidence_count: 50 });
    expect(finding?.evidence_ids).toHaveLength(32);
  });
});

describe("chain", () => {
  test("each link has a state, a reason and its evidence", () => {
    const links = (events: readonly unknown[]): string[] =>
      reconcileOutcome(events, { normalizationMetadata: complete }).chain.map(
        ({ link, state, reason }) => `${link} ${state} ${reason}`,
      );
    expect(links(window)).toEqual([
      "intent present intent_recorded",
      "artifact present artifact_persisted",
      "delivery present delivery_acknowledged",
    ]);
    expect(links(window.slice(0, 1))).toEqual([
      "intent present intent_recorded",
      "artifact missing artifact_missing",
      "delivery missing delivery_missing",
    ]);
    const gone = { ...made, artifact_status: "deleted" };
    expect(links([...window, event(5, "artifact", gone, { output_refs: [reply] })])).toContain(
      "artifact missing artifact_deleted",
    );
  });
});

test("a host's own coverage profile is checked", () => {
  const profiles = new Map([["own", ["cache_decision"] as const]]);
  const declared = window.with(0, {
    ...window[0],
    attributes: { expected_artifact_types: ["reply"], coverage_profile: "own" },
  });
  const judge = (events: readonly unknown[]): readonly string[] =>
    reconcileOutcome(events, { normalizationMetadata: complete, profiles }).missing_stages;
  expect(judge(declared)).toEqual(["cache_decision"]);
  expect(judge([...declared, event(2, "cache_decision", { cache_decision: "miss" })])).toEqual([]);
});

test("a later recovery of one artifact does not excuse the other of the same instant", () => {
  const rival = { ...made, persistence_verified: false };
  const other = { output_refs: [{ ...reply, ref: "reply-2" }], event_id: "rival" };
  const verdict = reconcileOutcome([...window, event(3, "artifact", rival, other)], {
    normalizationMetadata: complete,
  });
  expect(verdict.status).toBe("partial");
  expect(verdict.findings.map(({ code }) => code)).toContain("artifact_persistence_unverified");
});

test("an event of one shape is judged as the type says", () => {
  const typed: readonly TurnEvent[] = window as unknown as readonly TurnEvent[];
  const verdict = reconcileOutcome(typed, { normalizationMetadata: complete });
  expect(verdict).toMatchObject({ status: "success", verified: true, intent_count: 1 });
});
