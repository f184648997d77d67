/**
 * @module The depth of a turn whose own span, or another one, has a parent that is not recorded.
 */
import { defineContract, evaluateTurns } from "@turnproof/contracts";
import type { TurnEvent, WindowMetadata } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { cut, end, step, tool, whole } from "./turns.ts";

function depth(
  most: number,
  events: readonly TurnEvent[],
  metadata: WindowMetadata = whole,
): string | undefined {
  const contract = defineContract({
    name: "depth",
    expect: [{ clause: "depth", at_most: most }],
  });
  const [turn] = evaluateTurns(events, [contract], { metadata });
  return turn?.contracts[0]?.result;
}

const remote = { ...end(), parent_span_id: "caller" };
const call = tool("lookup", 1);
const inner = tool("search", 5, {}, { parent_span_id: call.span_id ?? "" });

test("the parent of the turn's own span is no part of the turn", () => {
  expect(depth(3, [call, inner, remote])).toBe("holds");
  expect(depth(2, [call, inner, remote])).toBe("violated");
  expect(depth(3, [call, inner, end()])).toBe("holds");
});

test("any other parent that is not recorded leaves the depth open", () => {
  const lost = tool("search", 9, {}, { parent_span_id: "lost" });
  expect(depth(3, [call, inner, lost, remote])).toBe("not_established");
  expect(depth(2, [call, inner, lost, remote])).toBe("violated");
  expect(depth(3, [call, inner, remote], cut)).toBe("not_established");
  const begun = { ...remote, phase: "start", status: "started" } as const;
  expect(depth(3, [call, inner, begun])).toBe("not_established");
});

test("of two spans of a turn none is the turn's own for certain", () => {
  const other = step("turn", 20, {}, { parent_span_id: "lost" });
  expect(depth(3, [call, inner, remote, other])).toBe("not_established");
  expect(depth(3, [call, inner, end(), other])).toBe("not_established");
  const within = step("turn", 20);
  expect(depth(3, [call, inner, end(), within])).toBe("holds");
  // Which of both has the caller as its parent is not known.
  expect(depth(3, [call, inner, remote, within])).toBe("not_established");
});
