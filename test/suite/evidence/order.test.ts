/**
 * Order: sequence within a producer, causality and then times across producers. Receipt bounds a
 * time and is never an order by itself.
 */
import { reconcileOutcome } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { artifact, at, contract, delivery, success, whole, without } from "./text-windows.ts";
import type { Json } from "./verdict-cases.ts";

const judged = (events: readonly unknown[]): [string, string[]] => {
  const verdict = reconcileOutcome(events, { normalizationMetadata: whole });
  const backwards = reconcileOutcome(events.toReversed(), { normalizationMetadata: whole });
  expect(backwards).toEqual(verdict);
  return [verdict.status, [...new Set(verdict.findings.map(({ code }) => code))].toSorted()];
};

const clock = (ms: number, base = 0): string =>
  new Date(Date.parse("2026-11-21T08:00:00Z") + base + ms).toISOString();
const web = { producer_id: "web" };
const worker = { producer_id: "worker" };
/** The turn over two producers: the worker makes the artifact, the web app does the rest. */
const two = (changes: { readonly [id: string]: Json | null } = {}): Json[] =>
  success(changes).map((event) => {
    const who = ["work", "artifact"].includes(String(event["event_id"])) ? worker : web;
    const received = {
      received_at: clock(2_000 + Date.parse(String(event["timestamp"])) - Date.parse(clock(0))),
    };
    return { ...who, ...received, ...event };
  });
const moved = (event: Json, ms: number, extra: Json = {}): Json => ({
  ...event,
  timestamp: clock(ms),
  ...extra,
});

describe("one producer", () => {
  const numbered = (change: { readonly [id: string]: Json } = {}): Json[] =>
    success().map((event, index) => ({
      ...event,
      ...web,
      producer_seq: index + 1,
      ...change[String(event["event_id"])],
    }));
  test("its numbers order, whatever its times say", () => {
    expect(judged(numbered())).toEqual(["success", []]);
    expect(judged(numbered({ delivery: { timestamp: clock(500) } }))).toEqual(["success", []]);
    expect(judged(numbered({ delivery: { producer_seq: 2.5 } }))[0]).not.toBe("success");
    expect(judged(numbered({ artifact: { producer_seq: 9 } }))[0]).toBe("partial");
  });
  test("what was received before the time of what it follows is a conflict", () => {
    const early = { timestamp: clock(500), received_at: clock(600) };
    expect(judged(numbered({ delivery: early }))).toEqual(["partial", ["clock_conflict"]]);
  });
});

describe("times that run against the numbers of one producer", () => {
  const again = (extra: Json): Json => delivery({}, { event_id: "again", ...web, ...extra });
  const times = (ms: number): Json => ({ timestamp: clock(ms), received_at: clock(ms + 500) });
  const numbered = (): Json[] =>
    success().map((event, index) => ({ ...event, ...web, producer_seq: 10 * (index + 1) }));
  test("two of one number are ordered by their times", () => {
    const [first, ...rest] = numbered();
    const last = rest.at(-1) ?? {};
    const refused = {
      ...again({ producer_seq: last["producer_seq"] }),
      ...times(5_000),
      attributes: { emitted: false },
    };
    expect(judged([first, ...rest])).toEqual(["success", []]);
    expect(judged([first, ...rest, refused])).toEqual(["success", []]);
    expect(judged([first, ...rest, { ...refused, ...times(90_000) }])[0]).toBe("failed");
  });
  test("a state that was received before the time of the one before it is a conflict", () => {
    const window = [...numbered(), again({ producer_seq: 95, ...times(50_000) })];
    expect(judged(window)).toEqual(["success", []]);
    const early = again({ producer_seq: 95, ...times(1_000) });
    expect(judged([...numbered(), early])[1]).toContain("clock_conflict");
  });
});

describe("receipt", () => {
  test.each([2_000, 7_200_000])("a batch that arrives %i ms late is no conflict", (late) => {
    const later = { received_at: clock(20_000 + late) };
    const events = two({ artifact: artifact({}, later) });
    expect(judged(events)).toEqual(["success", []]);
  });
});

describe("skew between producers", () => {
  test.each<[number, string]>([
    [0, "success"],
    [-1, "success"],
    [-500, "success"],
    [-501, "partial"],
    [-5_000, "partial"],
  ])("a delivery %i ms after the artifact that it names", (ms, status) => {
    const events = two({
      delivery: moved(delivery(), 30_000 + ms),
      contract: moved(contract(), 1_500),
      artifact: moved(artifact(), 30_000),
    });
    expect(judged(events)[0]).toBe(status);
  });
  test("another version is no bridge", () => {
    const other = { input_refs: [{ resource_type: "invoice", ref: "invoice-5", version: "2" }] };
    const events = two({
      delivery: moved(delivery({}, other), 29_900),
      contract: moved(contract(), 1_500),
      artifact: moved(artifact(), 30_000),
    });
    expect(judged(events)[0]).toBe("partial");
  });
  test("a contract of another producer is bridged by causality alone", () => {
    const parsed = moved(contract({}, { ...worker, span_id: "dddddddddddddd01" }), 40_300);
    expect(judged(two({ contract: parsed }))[0]).toBe("partial");
    for (const cause of [
      { caused_by_event_id: "contract" },
      { parent_span_id: "dddddddddddddd01" },
      { links: [{ trace_id: "9d2f1c0b7a6e4d5c8b3a291807f6e5d4", span_id: "dddddddddddddd01" }] },
    ]) {
      expect(judged(two({ contract: parsed, delivery: delivery({}, cause) }))).toEqual([
        "success",
        [],
      ]);
    }
  });
  test("what a delivery caused came after it", () => {
    const made = artifact({}, { caused_by_event_id: "delivery" });
    expect(judged(two({ artifact: made }))[0]).toBe("partial");
    const skewed = { delivery: moved(delivery(), 29_900), contract: moved(contract(), 1_500) };
    const within = { ...skewed, artifact: moved(made, 30_000) };
    expect(judged(two(within))[0]).toBe("partial");
  });
});

describe("causality", () => {
  const span = (ms: number, extra: Json = {}): Json =>
    at(
      0,
      "span",
      {},
      {
        event_id: "above",
        phase: "result",
        span_id: "eeeeeeeeeeeeee01",
        ...web,
        started_at: clock(ms),
        timestamp: clock(90_000),
        ...extra,
      },
    );
  test("an effect may end before its cause ends, and not begin before it begins", () => {
    const made = artifact({}, { parent_span_id: "eeeeeeeeeeeeee01" });
    expect(judged([...two({ artifact: made }), span(19_000)])).toEqual(["success", []]);
    expect(judged([...two({ artifact: made }), span(20_500)])).toEqual(["success", []]);
    expect(judged([...two({ artifact: made }), span(20_501)])).toEqual([
      "partial",
      ["clock_conflict"],
    ]);
  });
  test("a span that is said to begin twice began the first time", () => {
    const made = artifact({}, { parent_span_id: "eeeeeeeeeeeeee01" });
    const start = (ms: number): Json =>
      span(ms, { event_id: `start-${ms}`, phase: "start", timestamp: clock(ms) });
    expect(judged([...two({ artifact: made }), start(19_000), start(50_000)])).toEqual([
      "success",
      [],
    ]);
  });
  test("a cause that says only when it ended is no conflict", () => {
    const made = artifact({}, { parent_span_id: "eeeeeeeeeeeeee01" });
    expect(judged([...two({ artifact: made }), without(span(0), "started_at")])[0]).toBe("success");
  });
});

describe("contradictions of two producers", () => {
  const refusal = (ms: number, received: number, extra: Json = {}): Json =>
    moved(delivery({ acknowledged: false }, { event_id: "refusal", ...worker, ...extra }), ms, {
      received_at: clock(received),
    });
  test("a later refusal that was received later is the latest", () => {
    expect(judged([...two(), refusal(41_000, 43_000)])[0]).toBe("failed");
  });
  test("an earlier refusal that was received earlier is superseded", () => {
    expect(judged([...two(), refusal(35_000, 36_000)])).toEqual(["success", []]);
  });
  test("an earlier refusal that was received later is not established", () => {
    expect(judged([...two(), refusal(35_000, 60_000)])).toEqual([
      "partial",
      ["order_not_established"],
    ]);
  });
  test("unless the acknowledgement is its effect", () => {
    const again = delivery({}, { caused_by_event_id: "refusal" });
    expect(judged([...two({ delivery: again }), refusal(35_000, 60_000)])).toEqual(["success", []]);
  });
  test("or they are of one producer", () => {
    expect(judged([...two(), refusal(35_000, 60_000, web)])).toEqual(["success", []]);
  });
});

describe("a producer that is ahead", () => {
  const year = 73 * 365 * 86_400_000;
  test("is a note where nothing depends on it", () => {
    const ahead = success().map((event) => ({
      ...event,
      ...web,
      timestamp: clock(Date.parse(String(event["timestamp"])) - Date.parse(clock(0)), year),
      received_at: event["timestamp"],
    }));
    const verdict = reconcileOutcome(ahead, { normalizationMetadata: whole });
    expect(verdict).toMatchObject({
      status: "success",
      findings: [{ code: "clock_ahead", effect: "note" }],
    });
  });
  test("a delivery stamped 2099 does not outrank a later refusal", () => {
    const stamped = delivery(
      {},
      { timestamp: "2099-01-01T00:00:00Z", received_at: clock(41_000), producer_id: "edge" },
    );
    const refusal = delivery(
      { acknowledged: false },
      { event_id: "refusal", timestamp: clock(50_000), received_at: clock(51_000), ...web },
    );
    expect(judged(two({ delivery: stamped }))[0]).toBe("success");
    const [status, codes] = judged([...two({ delivery: stamped }), refusal]);
    expect([status, codes.includes("clock_ahead")]).toEqual(["failed", true]);
  });
  test("blocks where moving it back changes what is the latest", () => {
    const ahead = artifact({}, { timestamp: clock(39_000), received_at: clock(20_000), ...worker });
    const early = delivery({}, { timestamp: clock(38_000), received_at: clock(45_000), ...web });
    const verdict = reconcileOutcome(two({ artifact: ahead, delivery: early }), {
      normalizationMetadata: whole,
    });
    expect(verdict.status).toBe("partial");
    expect(verdict.findings).toMatchObject([
      { code: "clock_ahead", effect: "blocking", priority: 1 },
    ]);
  });
});
