/**
 * @module Calls that overlap: `before` compares starts, `ended` also the end of the first, and
 * `within_ms` counts an overlap as 0 ms.
 */
import { defineContract, evaluateTurns } from "@turnproof/contracts";
import type { Clause, Outcome } from "@turnproof/contracts";
import type { TurnEvent } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { end, tool, whole } from "./turns.ts";

type Order = Extract<Clause, { readonly clause: "order" }>;

const before: Order = { clause: "order", tool: "approve", before: { tool: "delete_user" } };
const ended: Order = { ...before, ended: true };

function judge(clause: Clause, events: readonly TurnEvent[]): Outcome | undefined {
  const contract = defineContract({ name: "order", expect: [clause] });
  return evaluateTurns(events, [contract], { metadata: whole })[0]?.contracts[0]?.result;
}

/** An approval of `ms` from 1,000 on, and a deletion `gap` after its end. */
function pair(ms: number, gap: number, by = "desk"): TurnEvent[] {
  const at = 1_000 + ms + gap;
  return [
    tool("approve", 1_000, {}, { ms }),
    tool("delete_user", at, {}, { producer_id: by }),
    end(),
  ];
}

describe("ended", () => {
  test("is violated by an overlap, which `before` alone allows", () => {
    for (const near of [{}, { immediately: true }, { within_calls: 1 }] as const) {
      expect(judge({ ...before, ...near }, pair(900, -800))).toBe("holds");
      expect(judge({ ...ended, ...near }, pair(900, -800))).toBe("violated");
      expect(judge({ ...ended, ...near }, pair(900, 0))).toBe("holds");
    }
  });

  test("of one process is open by what its two clocks may differ", () => {
    expect(judge(ended, pair(900, -2))).toBe("not_established");
    expect(judge(ended, pair(900, -3))).toBe("violated");
  });

  test("of two producers is open by their skew", () => {
    const results = [-501, -500, 500, 501].map((gap) => judge(ended, pair(2_000, gap, "other")));
    expect(results).toEqual(["violated", "not_established", "not_established", "holds"]);
  });

  test("is not established where the end of the first is not recorded", () => {
    const [approve, ...others] = pair(900, 10);
    if (approve === undefined) throw new Error("no approval");
    const started = approve.started_at ?? "";
    const open = { ...approve, phase: "start", status: "started", timestamp: started } as const;
    expect(judge(before, [open, ...others])).toBe("holds");
    expect(judge(ended, [open, ...others])).toBe("not_established");
    // Another approval that has ended suffices.
    expect(judge(ended, [open, tool("approve", 10), ...others])).toBe("holds");
  });

  test("of `after` and `never_after` is about the end of the first as well", () => {
    const after: Order = { clause: "order", tool: "delete_user", after: { tool: "approve" } };
    const never: Order = { clause: "order", tool: "approve", never_after: { tool: "delete_user" } };
    const reverse: Order = {
      clause: "order",
      tool: "delete_user",
      never_after: { tool: "approve" },
    };
    const overlap = pair(900, -800);
    expect(judge({ ...after, ended: true }, overlap)).toBe("violated");
    expect(judge({ ...after, ended: true }, pair(900, 1))).toBe("holds");
    expect(judge(reverse, overlap)).toBe("violated");
    expect(judge({ ...reverse, ended: true }, overlap)).toBe("holds");
    expect(judge({ ...reverse, ended: true }, pair(900, 1))).toBe("violated");
    expect(judge({ ...never, ended: true }, overlap)).toBe("holds");
  });

  test("is in the sentence", () => {
    const contract = defineContract({ name: "order", expect: [ended] });
    const [turn] = evaluateTurns(pair(900, -800), [contract], { metadata: whole });
    expect(turn?.contracts[0]?.clauses[0]?.sentence).toBe(
      "1 of 1 breaks the order: call of approve without overlap before call of delete_user.",
    );
  });
});

test("within_ms counts an overlap as 0 ms, and `ended` excludes it", () => {
  expect(judge({ ...before, within_ms: 0 }, pair(900, -800))).toBe("holds");
  expect(judge({ ...before, within_ms: 0 }, pair(900, 1))).toBe("violated");
  expect(judge({ ...ended, within_ms: 0 }, pair(900, -800))).toBe("violated");
  expect(judge({ ...ended, within_ms: 0 }, pair(900, 0))).toBe("holds");
  expect(judge({ ...before, within_ms: 0 }, pair(2_000, -501, "other"))).toBe("holds");
  expect(judge({ ...before, within_ms: 0 }, pair(2_000, -499, "other"))).toBe("not_established");
});
