/** @module DenialWords: whom a word is about, what stands, and when a denial is taken back. */
import { reconcileOutcome } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { binding, judged, owned, selection, unowned } from "./denial-rows.ts";
import {
  artifact,
  at,
  contract,
  delivery,
  intent,
  invoice,
  ledger,
  success,
  whole,
  work,
} from "./text-windows.ts";
import type { Json } from "./verdict-cases.ts";

describe("whom a word is about", () => {
  const later = (resource: Json, second = 6): Json =>
    at(
      second,
      "memory_selection",
      {},
      { event_id: `later-${second}`, selection_ledger: [{ resource, selected: true }] },
    );
  const denied = selection({ ...ledger, ...unowned }, true);
  test("a binding speaks of the turn, whatever it names", () => {
    const window = [...success(), { ...binding(2, false), input_refs: [ledger] }];
    expect(judged([...window, later({ ...ledger, ...owned })])[0]).toBe("failed");
    expect(judged([...window, binding(3, true)])[0]).toBe("success");
    const good = { ...binding(6, true), input_refs: [ledger] };
    expect(judged([...success(), denied, good])[0]).toBe("failed");
  });
  test("an artifact speaks of what it made first, and of no source", () => {
    const made = success({
      artifact: artifact(owned, { output_refs: [invoice("1"), invoice("0")] }),
    });
    const onInvoice = (version: string): Json => selection(invoice(version, unowned), true);
    expect(judged([...made, onInvoice("1")])[0]).toBe("success");
    expect(judged([...made, onInvoice("0")])[0]).toBe("failed");
    expect(judged([...made, denied])[0]).toBe("failed");
  });
  test("any other speaks of what it names, else of the turn", () => {
    const naming = success({ work: work(owned, { input_refs: [ledger] }) });
    expect(judged([...naming, denied])[0]).toBe("success");
    expect(judged([...naming, binding(2, false)])[0]).toBe("failed");
    const nameless = success({ work: work(owned) });
    expect(judged([...nameless, denied])[0]).toBe("failed");
    expect(judged([...nameless, binding(2, false)])[0]).toBe("success");
    const silent = success({ artifact: artifact(owned, { output_refs: undefined }) });
    expect(judged([...silent, binding(2, false)])[1]).not.toContain("ownership_unverified");
  });
  test("a candidate that was not selected neither denies nor frees, whatever else is denied", () => {
    const passed = (word: Json): Json => ({
      ...selection({ ...ledger, ...word }, false),
      event_id: "passed",
      timestamp: "2026-11-21T08:00:07Z",
    });
    expect(judged([...success(), denied, passed(owned)])[0]).toBe("failed");
    const freed = [...success(), binding(2, false), binding(3, true)];
    expect(judged([...freed, passed(unowned)])).toEqual(["success", []]);
  });
  test("unverified provenance neither denies nor frees, whatever else is denied", () => {
    const unverified = later({ ...ledger, provenance_status: "unverified" });
    const freed = [...success(), binding(2, false), binding(3, true), unverified];
    expect(judged(freed)).toEqual(["success", []]);
    const missing = selection({ ...ledger, provenance_status: "missing" }, true);
    expect(judged([...success(), missing, unverified])).toEqual([
      "partial",
      ["provenance_missing"],
    ]);
  });
  test("one event may say both, and says each once", () => {
    const both = { ...unowned, provenance_status: "missing" };
    const window = [...success(), selection({ ...ledger, ...both }, true)];
    expect(judged(window)).toEqual(["failed", ["ownership_unverified", "provenance_missing"]]);
    const twice = work(
      {},
      {
        input_refs: [
          { ...ledger, ...both },
          { ...ledger, ref: "b", ...both },
        ],
      },
    );
    const { findings } = reconcileOutcome(success({ work: twice }), {
      normalizationMetadata: whole,
    });
    expect(findings.map(({ code, evidence_ids }) => [code, evidence_ids])).toEqual([
      ["ownership_unverified", ["work"]],
      ["provenance_missing", ["work"]],
    ]);
  });
});

describe("what stands", () => {
  const nameless = { input_refs: [] };
  test.each<[string, Json[]]>([
    ["an intent that names nothing", success({ intent: intent(unowned, nameless) })],
    [
      "an artifact that names nothing it made",
      success({ artifact: artifact(unowned, { output_refs: [] }) }),
    ],
    ["a selection that names nothing", [...success(), at(5, "memory_selection", unowned)]],
    [
      "what any event says of a resource that stands",
      [...success(), at(5, "application_action", {}, { input_refs: [{ ...ledger, ...unowned }] })],
    ],
  ])("%s", (_caption, events) => {
    expect(judged(events)[0]).toBe("failed");
  });
  test("and no event of another span, or of none, that names nothing", () => {
    const produced = artifact({ producing_span_id: null });
    const plain = success({ artifact: produced, work: null });
    const stray = at(9, "application_action", unowned, { event_id: "stray" });
    expect(judged([...plain, stray])).toEqual(judged(plain));
    expect(judged([...success(), stray])[0]).toBe("success");
  });
  test("a second denial that does not stand frees nothing", () => {
    const stray = at(9, "application_action", unowned, { event_id: "stray" });
    expect(judged([...success(), binding(2, false), stray])[0]).toBe("failed");
  });
  const other = { ...ledger, ref: "b", ...unowned };
  test("the latest delivery of each resource, whatever is delivered later", () => {
    const denied = delivery({ contract_name: null }, { input_refs: [invoice("1"), other] });
    const plain = success({
      intent: intent({ required_contracts: [] }),
      contract: null,
      delivery: denied,
    });
    const note = { resource_type: "note", ref: "n", version: "1" };
    const elsewhere = (resource: Json): Json =>
      delivery(
        { contract_name: null },
        { event_id: "elsewhere", timestamp: "2026-11-21T08:00:50Z", input_refs: [resource] },
      );
    expect(judged([...plain, elsewhere(note)])[0]).toBe("failed");
    expect(judged([...plain, elsewhere(invoice("1"))])[0]).toBe("success");
  });
  test("the latest delivery of each contract, whatever is delivered later", () => {
    const denied = delivery(unowned, nameless);
    const second = contract({ contract_name: "notes" }, { event_id: "notes" });
    const elsewhere = (contract_name: string): Json =>
      delivery({ contract_name }, { event_id: "elsewhere", timestamp: "2026-11-21T08:00:50Z" });
    const window = [...success({ delivery: denied }), second];
    expect(judged([...window, elsewhere("notes")])[0]).toBe("failed");
    expect(judged([...window, elsewhere("lines")])[1]).not.toContain("ownership_unverified");
  });
});

describe("when a positive word takes a denial back", () => {
  const received = (event: Json, seconds: number, producer_id: string): Json => ({
    ...event,
    producer_id,
    received_at: `2026-11-21T08:00:${String(seconds).padStart(2, "0")}Z`,
  });
  test("at the instant of the delivery it does", () => {
    expect(judged([...success(), binding(2, false), binding(40, true)])[0]).toBe("success");
  });
  test("it has to come before every delivery of that instant", () => {
    const numbered = (event: Json, producer_seq: number): Json => ({
      ...event,
      producer_id: "p",
      producer_seq,
    });
    const tied = { ...delivery(), event_id: "tied", producer_id: "q", producer_seq: 1 };
    const window = (seq: number): Json[] => [
      ...success({ delivery: numbered(delivery(), 5) }),
      tied,
      binding(2, false),
      numbered(binding(40, true), seq),
    ];
    expect(judged(window(4))[0]).toBe("success");
    expect(judged(window(6))[0]).toBe("failed");
  });
  test("not where the times and the receipts of two producers disagree", () => {
    const window = (second: number): Json[] => [
      ...success(),
      received(binding(2, false), 10, "p"),
      received(binding(3, true), second, "q"),
    ];
    expect(judged(window(5))[0]).toBe("failed");
    expect(judged(window(11))[0]).toBe("success");
  });
});

test("a denial of an artifact is told by its type, else by that of what it made", () => {
  const subjects = (extra: Json): (string | null)[] => {
    const { findings } = reconcileOutcome(
      success({ artifact: artifact({ ...unowned, ...extra }) }),
      {
        normalizationMetadata: whole,
      },
    );
    return findings
      .filter(({ code }) => code === "artifact_ownership_unverified")
      .map(({ subject }) => subject);
  };
  expect(subjects({ artifact_type: "bill" })).toContain("bill");
  expect(subjects({ artifact_type: null })).toContain("invoice");
});
