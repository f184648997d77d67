/** @module Three values of `when`: over the whole, in a window with a gap, and before the end. */
import { defineContract, evaluateTurns } from "@turnproof/contracts";
import type { Clause } from "@turnproof/contracts";
import type { TurnEvent } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { cut, end, tool, whole } from "./turns.ts";

const handOver = (clause: Clause) =>
  defineContract({
    name: "hand-over",
    when: { calls: { tool: "search", outcome: "empty" } },
    expect: [clause],
  });
const empty = tool("search", 1, { tool_outcome: "empty" });
const found = tool("search", 1);
const failed = tool("search", 1, { tool_outcome: "error" }, { status: "error" });
const handed = tool("handover", 30);

function judged(events: readonly TurnEvent[], metadata: typeof whole, clause: Clause): object {
  const [turn] = evaluateTurns(events, [handOver(clause)], { metadata, otherwise: null });
  const [contract] = turn?.contracts ?? [];
  return contract === undefined
    ? { applies: false }
    : { applies: contract.applies, result: contract.result };
}

describe("when a search found nothing", () => {
  const once: Clause = { clause: "calls", tool: "handover", at_least: 1 };
  const never: Clause = { clause: "calls", tool: "handover", never: true };
  test.each([
    ["met, and handed over", [empty, handed, end()], whole, once, true, "holds"],
    ["met, and not handed over", [empty, end()], whole, once, true, "violated"],
    ["not met", [found, end()], whole, once, false, undefined],
    // A repetition of the search may be missing.
    ["with a gap, not handed over", [empty, end()], cut, once, null, "not_established"],
    ["with a gap, handed over", [empty, handed, end()], cut, once, null, "holds"],
    ["with a gap, handed over against it", [empty, handed], cut, never, null, "not_established"],
    ["with a gap, found", [found, end()], cut, once, null, "not_established"],
    ["with a gap, failed", [failed, end()], cut, once, null, "not_established"],
    ["before the end", [found], whole, once, null, "not_established"],
  ] as const)("%s", (_, events, metadata, clause, applies, result) => {
    expect(judged(events, metadata, clause)).toEqual(
      result === undefined ? { applies } : { applies, result },
    );
  });
});
