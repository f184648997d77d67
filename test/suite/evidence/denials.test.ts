/**
 * Reconciliation 4 in full: an explicit word against ownership or provenance anywhere in the judged
 * scope blocks success, and only a later positive word that a delivery followed takes it back.
 */
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

/** Each place of the judged scope, with a word against it. */
const places: readonly (readonly [string, (word: Json) => Json[], string, string])[] = [
  [
    "an intent's source",
    (word) => success({ intent: intent({}, { input_refs: [{ ...ledger, ...word }] }) }),
    "ownership_unverified",
    "provenance_missing",
  ],
  [
    "the artifact itself",
    (word) => success({ artifact: artifact({}, { output_refs: [invoice("1", word)] }) }),
    "artifact_ownership_unverified",
    "artifact_provenance_invalid",
  ],
  [
    "the artifact's source",
    (word) => success({ artifact: artifact({}, { input_refs: [{ ...ledger, ...word }] }) }),
    "artifact_ownership_unverified",
    "artifact_provenance_invalid",
  ],
  [
    "a delivered resource",
    (word) => success({ delivery: delivery({}, { input_refs: [invoice("1", word)] }) }),
    "ownership_unverified",
    "provenance_missing",
  ],
  [
    "a resource of the producing action",
    (word) => success({ work: work({}, { input_refs: [{ ...ledger, ...word }] }) }),
    "ownership_unverified",
    "provenance_missing",
  ],
  [
    "a candidate that was selected",
    (word) => [...success(), selection({ ...ledger, ...word }, true)],
    "ownership_unverified",
    "provenance_missing",
  ],
];

describe.each(places)("%s", (_place, window, ownership, provenance) => {
  test("a good, an absent and an unverified word do not block", () => {
    const good = [
      {},
      owned,
      { provenance_status: "verified" },
      { provenance_status: "unverified" },
    ];
    for (const word of good) expect(judged(window(word))).toEqual(["success", []]);
  });
  test("failed ownership blocks, and is failed", () => {
    expect(judged(window(unowned))).toEqual(["failed", [ownership]]);
  });
  test.each(["missing", "failed"])("provenance that is %s blocks", (provenance_status) => {
    expect(judged(window({ provenance_status }))).toEqual(["partial", [provenance]]);
  });
});

/** A word against one of several references, wherever it stands among them. */
const among: readonly (readonly [string, (refs: readonly Json[]) => Json[]])[] = [
  ["what the producing action read", (refs) => success({ work: work({}, { input_refs: refs }) })],
  ["what the producing action wrote", (refs) => success({ work: work({}, { output_refs: refs }) })],
  [
    "selected candidates",
    (refs) => {
      const lines = refs.map((resource) => ({ resource, selected: true }));
      return [...success(), at(5, "memory_selection", {}, { selection_ledger: lines })];
    },
  ],
];

describe.each(among)("one of %s", (_place, window) => {
  const other = { ...ledger, ref: "another" };
  test.each([
    ["first", [{ ...ledger, ...unowned }, other]],
    ["last", [other, { ...ledger, ...unowned }]],
  ])("blocks as the %s", (_where, refs) => {
    expect(judged(window([other, { ...ledger, ref: "third" }]))).toEqual(["success", []]);
    expect(judged(window(refs))).toEqual(["failed", ["ownership_unverified"]]);
  });
});

test("an event that denies both is told by both codes, each once", () => {
  const refused = { ...ledger, ...unowned, provenance_status: "failed" };
  const refs = [refused, { ...refused, ref: "b" }];
  const twice = success({ work: work({}, { input_refs: refs }) });
  const { findings } = reconcileOutcome(twice, { normalizationMetadata: whole });
  expect(findings.map(({ code }) => code).toSorted()).toEqual([
    "ownership_unverified",
    "provenance_missing",
  ]);
});

const own: readonly (readonly [string, (word: Json) => Json[], string])[] = [
  [
    "the context binding",
    (word) => [...success(), { ...binding(2, undefined), attributes: word }],
    "ownership_unverified",
  ],
  ["the intent", (word) => success({ intent: intent(word) }), "ownership_unverified"],
  [
    "the artifact",
    (word) => success({ artifact: artifact(word) }),
    "artifact_ownership_unverified",
  ],
  ["the delivery", (word) => success({ delivery: delivery(word) }), "ownership_unverified"],
  ["the producing action", (word) => success({ work: work(word) }), "ownership_unverified"],
];

test.each(own)("what %s says of itself", (_place, window, code) => {
  expect(judged(window({}))).toEqual(["success", []]);
  expect(judged(window(owned))).toEqual(["success", []]);
  expect(judged(window(unowned))).toEqual(["failed", [code]]);
});

test("what only the start of the producing action says blocks as well", () => {
  const start = (word: Json): Json =>
    work({}, { event_id: "begun", phase: "start", status: "started", input_refs: [word] });
  expect(judged([...success(), start(ledger)])).toEqual(["success", []]);
  expect(judged([...success(), start({ ...ledger, ...unowned })])).toEqual([
    "failed",
    ["ownership_unverified"],
  ]);
});

test("a candidate that was not selected does not block", () => {
  expect(judged([...success(), selection({ ...ledger, ...unowned }, false)])[0]).toBe("success");
});

test("an action that produced nothing of the task does not block", () => {
  const other = work(unowned, { event_id: "other", span_id: "aaaaaaaaaaaaaa09" });
  expect(judged([...success(), other])[0]).toBe("success");
});

describe("what takes a denial back", () => {
  const denied = binding(2, false);
  test("a later word before the delivery does", () => {
    expect(judged([...success(), denied, binding(3, true)])).toEqual(["success", []]);
  });
  test("one after the delivery does, followed by a fresh one", () => {
    const again = delivery({}, { event_id: "again", timestamp: "2026-11-21T08:00:59Z" });
    expect(judged([...success(), denied, binding(50, true), again])).toEqual(["success", []]);
  });
  test.each<[string, Json]>([
    ["an earlier one", binding(1, true)],
    ["one of the same instant", binding(2, true, { event_id: "tied" })],
    ["one after the delivery", binding(50, true)],
    ["a silent one", binding(3, undefined)],
    ["one of another producer that is not trusted", binding(3, true, { ingest_trusted: false })],
    ["one of another turn", binding(3, true, { turn_id: "round-2" })],
    ["one of another tenant", binding(3, true, { user_id: null })],
    [
      "provenance instead of ownership",
      { ...binding(3, undefined), input_refs: [{ ...ledger, provenance_status: "verified" }] },
    ],
  ])("%s does not", (_caption, word) => {
    const [status, codes] = judged([...success(), denied, word]);
    expect([status, codes.includes("ownership_unverified")]).toEqual(["failed", true]);
  });
  test("one of another producer before the delivery of what it made, whatever 500 ms of skew say", () => {
    const missing = { ...ledger, provenance_status: "missing" };
    const verified = { ...ledger, provenance_status: "verified" };
    const made = (ms: number): Json[] =>
      success({
        intent: intent({}, { input_refs: [missing] }),
        artifact: artifact(
          {},
          {
            input_refs: [verified],
            producer_id: "worker",
            timestamp: new Date(Date.parse("2026-11-21T08:00:40Z") + ms).toISOString(),
          },
        ),
      }).map((event) => ({ producer_id: "web", ...event }));
    expect(judged(made(500))).toEqual(["success", []]);
    expect(judged(made(501))[1]).toContain("provenance_missing");
  });
  test("only of the same type, ref and version", () => {
    const window = (resource: Json): Json[] => [
      ...success({ artifact: artifact({}, { input_refs: [{ ...ledger, ...unowned }] }) }),
      at(25, "memory_selection", {}, { selection_ledger: [{ resource, selected: true }] }),
    ];
    expect(judged(window({ ...ledger, ...owned }))[0]).toBe("success");
    for (const change of [{ ref: "ledger-45" }, { version: "13" }, { resource_type: "book" }]) {
      expect(judged(window({ ...ledger, ...owned, ...change }))[0]).toBe("failed");
    }
  });
});

test("a superseded state whose version nobody names any more does not block", () => {
  const first = artifact(
    {},
    { event_id: "first", output_refs: [invoice("0", unowned)], timestamp: "2026-11-21T08:00:15Z" },
  );
  expect(judged([...success(), first])[0]).toBe("success");
});

describe("labels", () => {
  const tasks = ["a", "b"].flatMap((task) =>
    success().map((event) => {
      const id = `${String(event["event_id"])}-${task}`;
      const span = event["span_id"] === undefined ? {} : { span_id: `span-${task}` };
      const attributes = event["attributes"] as Json;
      const produced =
        attributes["producing_span_id"] === undefined ? {} : { producing_span_id: `span-${task}` };
      return {
        ...event,
        ...span,
        event_id: id,
        task_id: task,
        attributes: { ...attributes, ...produced },
      };
    }),
  );
  test("both tasks succeed", () => {
    expect(judged(tasks)).toEqual(["success", []]);
    expect(judged(tasks, "a")).toEqual(["success", []]);
  });
  test("a denial without a label blocks every task", () => {
    const window = [...tasks, binding(2, false)];
    for (const task of [null, "a", "b"]) expect(judged(window, task)[0]).toBe("failed");
  });
  test("a positive word frees each task that was delivered after it", () => {
    const early = tasks.map((event) =>
      event["event_id"] === "delivery-b" ? { ...event, timestamp: "2026-11-21T08:00:32Z" } : event,
    );
    const window = [...early, binding(2, false), binding(35, true)];
    expect(judged(window, "a")[0]).toBe("success");
    for (const task of [null, "b"]) expect(judged(window, task)[0]).toBe("failed");
  });
  test("a labelled one blocks its own", () => {
    const window = [...tasks, binding(2, false, { task_id: "a" })];
    expect(judged(window)[0]).toBe("failed");
    expect(judged(window, "a")[0]).toBe("failed");
    expect(judged(window, "b")[0]).toBe("success");
  });
});

describe("roles of declared sources", () => {
  const window = (role: Json, version = "12"): Json[] => {
    const declared = { resource_type: "ledger", ref: "ledger-44", version: "12", ...role };
    return success({
      intent: intent({}, { input_refs: [declared] }),
      artifact: artifact({}, { input_refs: [{ ...declared, version }] }),
    });
  };
  test.each([
    {},
    { role: "authoritative_current_source" },
    { role: "authoritative_copy" },
    { role: "witness" },
  ])("%j must match", (role) => {
    expect(judged(window(role))).toEqual(["success", []]);
    expect(judged(window(role, "11"))).toEqual(["partial", ["artifact_source_mismatch"]]);
  });
  test("a supporting one need not", () => {
    expect(judged(window({ role: "supporting" }, "11"))).toEqual(["success", []]);
  });
});

describe("what a later delivery of something else does not hide", () => {
  const elsewhere = at(
    50,
    "delivery",
    { delivery_target: "mail", emitted: true, acknowledged: true },
    { event_id: "mail" },
  );
  test.each<[string, Json[], string]>([
    [
      "a word on a second resource of the artifact's delivery",
      success({
        delivery: delivery({}, { input_refs: [invoice("1"), { ...ledger, ref: "b", ...unowned }] }),
      }),
      "failed",
    ],
    ["a word of the contract's delivery", success({ delivery: delivery(unowned) }), "failed"],
    ["a word of the contract's record", success({ contract: contract(unowned) }), "failed"],
    ["nothing", success(), "success"],
  ])("%s", (_caption, events, status) => {
    expect(judged([...events, elsewhere])[0]).toBe(status);
  });
  test("a fresh delivery of the same does", () => {
    const denied = delivery(
      {},
      { input_refs: [invoice("1"), { ...ledger, ref: "b", ...unowned }] },
    );
    const fresh = delivery({}, { event_id: "fresh", timestamp: "2026-11-21T08:00:50Z" });
    expect(judged([...success({ delivery: denied }), fresh])[0]).toBe("success");
  });
});

test("a superseded delivery's labelled word does not block another task that names its subject", () => {
  const task = (label: string, extra: Json = {}): Json[] =>
    success().map((event) => ({
      ...event,
      event_id: `${String(event["event_id"])}-${label}`,
      task_id: label,
      ...(event["event_kind"] === "delivery" ? extra : {}),
    }));
  const other = { ...ledger, ref: "other-1" };
  const early = delivery(
    {},
    {
      event_id: "early",
      task_id: "a",
      timestamp: "2026-11-21T08:00:35Z",
      input_refs: [invoice("1"), { ...other, ...unowned }],
    },
  );
  const names = { input_refs: [invoice("1"), other] };
  expect(judged([...task("a"), ...task("b", names), early])).toEqual(["success", []]);
  expect(judged([...task("a", names), ...task("b"), early])[0]).toBe("failed");
});
