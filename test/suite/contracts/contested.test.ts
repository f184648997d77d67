/**
 * @module One event that is stored twice with other contents at the same times: no order between
 * the contents is known, so nothing that depends on them is established.
 */
import fc from "fast-check";
import { defineContract, evaluateTurns } from "@turnproof/contracts";
import type { Outcome } from "@turnproof/contracts";
import { dedupeEvents, reconcileOutcome } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { contracts } from "./every-clause.ts";
import { resultsOf, turns } from "./generated-turns.ts";
import { end, model, tool, whole } from "./turns.ts";

const clean = defineContract({
  name: "clean",
  expect: [{ clause: "calls", tool: "refund", outcome: "success", at_least: 1 }],
});
const called = defineContract({
  name: "called",
  expect: [{ clause: "calls", tool: "lookup", at_least: 1 }],
});

const broken = defineContract({
  name: "broken",
  expect: [{ clause: "calls", tool: "refund", outcome: "error", at_least: 1 }],
});

const refund = tool("refund", 1_000);
const failed: TurnEvent = {
  ...refund,
  status: "error",
  attributes: { tool_name: "refund", tool_outcome: "error" },
};
const rest = [tool("lookup", 500), model(1_500), end()];

function results(events: readonly unknown[]): Record<string, Outcome | undefined> {
  const [turn] = evaluateTurns(events, [clean, broken, called], { metadata: whole });
  return Object.fromEntries(turn?.contracts.map((one) => [one.contract, one.result]) ?? []);
}

describe("two contents at the same times", () => {
  test.each([
    ["without a receipt", {}, {}],
    [
      "of one receipt",
      { received_at: "2026-01-01T00:00:09Z" },
      { received_at: "2026-01-01T00:00:09Z" },
    ],
    ["of which one has a receipt", {}, { received_at: "2026-01-01T00:00:09Z" }],
    ["of two producers", { producer_seq: 4 }, { producer_id: "other", producer_seq: 5 }],
  ])("%s decide nothing", (_, first, second) => {
    const both = [
      { ...refund, ...first },
      { ...failed, ...second },
    ];
    for (const copies of [both, both.toReversed()]) {
      expect(results([...copies, ...rest])).toEqual({
        clean: "not_established",
        broken: "not_established",
        called: "holds",
      });
      expect(evaluateTurns([...copies, ...rest], [clean], { metadata: whole })[0]).toMatchObject({
        whole: false,
        reasons: ["contested"],
      });
    }
  });

  test.each([
    [
      "a later receipt",
      { received_at: "2026-01-01T00:00:08Z" },
      { received_at: "2026-01-01T00:00:09Z" },
    ],
    ["a later number of one producer", { producer_seq: 9 }, { producer_seq: 10 }],
    ["a later time", {}, { timestamp: "2026-01-01T00:00:01.011Z" }],
  ])("with %s the latest stands", (_, first, second) => {
    const [bad, good] = [
      [
        { ...refund, ...first },
        { ...failed, ...second },
      ],
      [
        { ...failed, ...first },
        { ...refund, ...second },
      ],
    ];
    expect(results([...bad, ...rest])["clean"]).toBe("violated");
    expect(results([...bad.toReversed(), ...rest])["clean"]).toBe("violated");
    expect(results([...good, ...rest])["clean"]).toBe("holds");
  });

  test("a retry of the same content takes nothing away", () => {
    const retried = results([refund, { ...refund }, ...rest]);
    expect(retried).toEqual({ clean: "holds", broken: "violated", called: "holds" });
  });

  test("of an untrusted producer leave the result to the trusted evidence", () => {
    const untrusted = {
      ingest_trusted: false,
      event_id: "other:result",
      span_id: "other",
    } as const;
    const both = [
      { ...refund, ...untrusted },
      { ...failed, ...untrusted },
    ];
    const [turn] = evaluateTurns([refund, ...both, ...rest], [called], { metadata: whole });
    expect(turn).toMatchObject({ whole: true, reasons: [], contracts: [{ result: "holds" }] });
  });

  test("keep a verdict partial, with the reason", () => {
    const window = { normalizationMetadata: whole };
    const agreed = reconcileOutcome([refund, ...rest], window);
    expect(agreed.window).toMatchObject({ complete: true, reasons: [] });
    const verdict = reconcileOutcome([refund, failed, ...rest], window);
    expect(verdict.window).toEqual({
      complete: false,
      read_completeness: "complete",
      reasons: ["contested"],
    });
    expect(verdict.status).not.toBe("success");
  });
});

test("the mark of a contested event survives a reader, JSON and a second reading", () => {
  const read = dedupeEvents([refund, failed, ...rest]).events;
  expect(read.filter(({ contested }) => contested === true)).toHaveLength(1);
  const copy = JSON.parse(JSON.stringify(read)) as unknown[];
  expect(results(copy)["clean"]).toBe("not_established");
  expect(results([...copy, refund])["clean"]).toBe("not_established");
  // As a bundle or an older reader has it, it is normalized first.
  const loose = copy.map((event) => ({ ...(event as object), source_store: undefined, extra: 1 }));
  expect(results(loose)["clean"]).toBe("not_established");
});

test("what is established with two contents is so with each of them", () => {
  const decided = new Set<Outcome>();
  fc.assert(
    fc.property(turns, turns, fc.nat(), ([...events], others, at) => {
      const place = at % events.length;
      const one = events[place] as TurnEvent;
      const other = others.find(({ event_kind: kind }) => kind === one.event_kind);
      if (other === undefined) return;
      const { event_id, span_id = "", turn_id = "", timestamp, phase } = one;
      const second: TurnEvent = { ...other, event_id, span_id, turn_id, timestamp, phase };
      const both = resultsOf([...events, second], contracts, { metadata: whole });
      for (const content of [one, second]) {
        const alone = resultsOf(events.with(place, content), contracts, { metadata: whole });
        for (const [contract, { result }] of both) {
          if (result === "not_established") continue;
          decided.add(result);
          expect([contract, result]).toEqual([contract, alone.get(contract)?.result ?? "holds"]);
        }
      }
    }),
    { numRuns: 1_500 },
  );
  expect(decided).toEqual(new Set(["holds", "violated"]));
});
