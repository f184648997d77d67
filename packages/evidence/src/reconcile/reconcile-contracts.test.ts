/** @module Contracts: each one's link in the chain, and the effect of a record on the verdict. */
import { describe, expect, test } from "vitest";

import type { TurnEvent } from "../event/event.ts";
import { reconcileOutcome } from "./reconcile.ts";

const complete = {
  window_complete: true,
  truncated: false,
  normalization_errors: 0,
  read_completeness: "complete",
  as_of: "2026-01-02T00:00:00Z",
} as const;

function event(
  event_id: string,
  second: number,
  event_kind: TurnEvent["event_kind"],
  attributes: TurnEvent["attributes"] = {},
  extra: Partial<TurnEvent> = {},
): TurnEvent {
  return {
    schema_version: 3,
    event_id,
    event_kind,
    phase: "event",
    status: "success",
    timestamp: `2026-01-01T00:00:${String(second).padStart(2, "0")}Z`,
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

const intent = event("intent", 1, "intent", { required_contracts: ["form"] });
const clean = {
  contract_name: "form",
  parser_status: "success",
  opening_marker_found: true,
  closing_marker_found: true,
} as const;
const record = (
  attributes: TurnEvent["attributes"] = {},
  second = 10,
  extra: Partial<TurnEvent> = {},
): TurnEvent => event(`record-${second}`, second, "contract", { ...clean, ...attributes }, extra);
const delivery = (
  second = 20,
  attributes: TurnEvent["attributes"] = {},
  extra: Partial<TurnEvent> = {},
): TurnEvent =>
  event(
    `delivery-${second}`,
    second,
    "delivery",
    { contract_name: "form", emitted: true, acknowledged: true, ...attributes },
    extra,
  );

/** Status and codes, then the links of contracts. */
function judge(...events: TurnEvent[]): readonly [string, ...string[]] {
  const { status, findings, chain } = reconcileOutcome(events, {
    normalizationMetadata: complete,
  });
  const links = chain
    .filter(({ link }) => link === "contract")
    .map((link) => [link.name, link.state, link.reason, ...link.evidence_ids].join(" "));
  return [[status, ...new Set(findings.map(({ code }) => code))].join(" "), ...links];
}

test("a clean record that was delivered afterwards is a success", () => {
  expect(judge(intent, record(), delivery())).toEqual([
    "success",
    "form present contract_clean record-10",
  ]);
});

test.each<[string, TurnEvent["attributes"], string, string]>([
  ["failed", { parser_status: "failed" }, "failed contract_parse_failed", "failed"],
  ["missing", { parser_status: "missing" }, "partial contract_parse_failed", "failed"],
  ["partial", { parser_status: "partial" }, "partial contract_incomplete", "unconfirmed"],
  ["recovered", { recovery_used: true }, "partial contract_recovered", "recovered"],
  [
    "without a marker",
    { closing_marker_found: false },
    "partial contract_incomplete",
    "unconfirmed",
  ],
  ["cut", { contract_finish_reason: "max_tokens" }, "partial contract_truncated", "unconfirmed"],
])("a record that is %s", (_caption, change, verdict, state) => {
  const code = verdict.split(" ")[1] ?? "";
  expect(judge(intent, record(change), delivery())).toEqual([
    verdict,
    `form ${state} ${code} record-10`,
  ]);
});

test("a record on which no parser spoke, or that failed although it parsed, is unparsed", () => {
  const { parser_status: _, ...silent } = clean;
  const stated = event("record-10", 10, "contract", silent);
  const failed = record({}, 10, { status: "error" });
  for (const one of [stated, failed]) {
    expect(judge(intent, one, delivery())).toEqual([
      "partial contract_unparsed",
      "form unconfirmed contract_unparsed record-10",
    ]);
  }
  const both = record({ parser_status: "partial" }, 10, { status: "error" });
  expect(judge(intent, both, delivery())[0]).toBe("partial contract_incomplete");
});

describe("records of one contract", () => {
  test("are superseded by the latest one", () => {
    const bad = record({ parser_status: "failed" }, 5);
    expect(judge(intent, bad, record(), delivery())).toEqual([
      "success",
      "form present contract_clean record-10",
      "form superseded later_state record-5",
    ]);
    const late = record({ parser_status: "failed" }, 15);
    expect(judge(intent, record(), late, delivery())[0]).toBe("failed contract_parse_failed");
  });
  test("of two producers whose times and receipts disagree none is established", () => {
    const by = (producer_id: string, second: number): Partial<TurnEvent> => ({
      producer_id,
      received_at: `2026-01-01T00:00:${second}Z`,
    });
    const spoilt: TurnEvent["attributes"][] = [
      { parser_status: "failed" },
      { recovery_used: true },
      { opening_marker_found: false },
    ];
    for (const bad of spoilt) {
      const early = record(bad, 8, by("p", 40));
      expect(judge(intent, early, record({}, 10, by("q", 30)), delivery())[0]).toBe(
        "partial order_not_established",
      );
    }
    const early = record({}, 8, by("p", 40));
    expect(judge(intent, early, record({}, 10, by("q", 30)), delivery())[0]).toBe("success");
  });
});

describe("a required contract", () => {
  test("without a record is missing", () => {
    expect(judge(intent, delivery(20, {}))).toEqual([
      "partial contract_missing",
      "form missing contract_missing",
    ]);
  });
  test("that was not delivered is not emitted; one that was refused is failed", () => {
    expect(judge(intent, record())[0]).toBe("partial contract_not_emitted");
    expect(judge(intent, record(), delivery(5))[0]).toBe("partial contract_not_emitted");
    expect(judge(intent, record(), delivery(20, { acknowledged: false }))[0]).toMatch(/^failed /);
  });
  test("that two intents require is required once", () => {
    const again = { ...intent, event_id: "again" };
    const labelled = [intent, again, record(), delivery()].map((one) => ({ ...one, task_id: "t" }));
    expect(judge(...labelled).slice(1)).toEqual(["form present contract_clean record-10"]);
  });
});

describe("a contract that no intent requires", () => {
  const requests = event("intent", 1, "intent");
  const optional = (second: number, required?: boolean, change = {}): TurnEvent =>
    record({ ...(required === undefined ? {} : { required }), ...change }, second);
  test("is judged as required where its record says so or says nothing", () => {
    for (const required of [true, undefined]) {
      const failed = optional(10, required, { parser_status: "failed" });
      expect(judge(requests, failed, delivery())[0]).toMatch(/^failed contract_parse_failed/);
    }
    expect(judge(requests, optional(10), delivery())).toEqual([
      "success",
      "form present contract_clean record-10",
    ]);
    expect(judge(requests, optional(10), delivery(5))[0]).toContain("delivery_precedes_evidence");
  });
  test("is optional by its own word, and an older word counts where the latest is silent", () => {
    const kept = "form present contract_optional record-10";
    expect(judge(requests, optional(10, false), delivery())[1]).toBe(kept);
    expect(judge(requests, optional(5, false), optional(10), delivery())[1]).toBe(kept);
    expect(judge(requests, optional(5, false), optional(10, true), delivery())[1]).toBe(
      "form present contract_clean record-10",
    );
    expect(judge(requests, optional(5, true), optional(10), delivery())[1]).toBe(
      "form present contract_clean record-10",
    );
    const failed = optional(10, false, { parser_status: "failed" });
    expect(judge(requests, failed, delivery())[0]).not.toMatch(/^failed/);
  });
});

test("a delivery that names a contract without any record says that one is unrecorded", () => {
  const requests = event("intent", 1, "intent");
  expect(judge(requests, delivery())[0]).toContain("contract_unrecorded");
  const plain = event("delivery-20", 20, "delivery", { emitted: true, acknowledged: true });
  expect(judge(requests, plain)[0]).not.toContain("contract_unrecorded");
});
