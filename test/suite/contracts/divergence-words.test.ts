/**
 * @module The sentence of a turn that leaves its golden trajectory: another call, the outcome, the
 * arguments, or a call more or fewer.
 */
import { defineContract, evaluateTurns } from "@turnproof/contracts";
import type { GoldenStep } from "@turnproof/contracts";
import type { TurnEvent } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { end, tool, whole } from "./turns.ts";

type Compare = "outcome" | "arguments";
type Match = "strict" | "ordered" | "unordered" | "subset" | "superset";

const print = (of: string): string => `k1_${of.repeat(26)}`;

function divergence(
  match: Match,
  steps: readonly GoldenStep[],
  calls: readonly TurnEvent[],
  compare: readonly Compare[] = [],
): { readonly sentence: string; readonly step: number | undefined } {
  const contract = defineContract({
    name: "golden",
    expect: [{ clause: "trajectory", match, steps: [...steps], compare: [...compare] }],
  });
  const [turn] = evaluateTurns([...calls, end()], [contract], { metadata: whole });
  const found = turn?.contracts[0]?.clauses[0];
  expect(found?.result).toBe("violated");
  return { sentence: found?.sentence ?? "", step: found?.diverged_at };
}

const step = (name: string, more: Partial<GoldenStep> = {}): GoldenStep => ({
  kind: "tool",
  name,
  ...more,
});
const find = tool("find", 1);

test.each<[Match, string]>([
  ["strict", "Step 2 differs: expected tool refund, recorded tool mail."],
  [
    "unordered",
    "Step 2 (tool mail) is not in the golden trajectory, of which step 2 (tool refund) is missing.",
  ],
  [
    "subset",
    "Step 2 (tool mail) is not in the golden trajectory, of which step 2 (tool refund) is missing.",
  ],
  ["superset", "Golden step 2 (tool refund) is missing."],
  ["ordered", "Golden step 2 (tool refund) is missing."],
])("another tool: %s", (match, sentence) => {
  const found = divergence(match, [step("find"), step("refund")], [find, tool("mail", 30)]);
  expect(found).toEqual({ sentence, step: 2 });
});

const failed = "(expected success, recorded error)";
test.each<[Match, string]>([
  ["strict", `Step 2 (tool refund) differs in its outcome ${failed}.`],
  ["unordered", `Step 2 (tool refund) differs in its outcome ${failed}.`],
  ["subset", `Step 2 (tool refund) differs in its outcome ${failed}.`],
  [
    "superset",
    `Golden step 2 (tool refund) is missing: step 2 of the turn differs in its outcome ${failed}.`,
  ],
  [
    "ordered",
    `Golden step 2 (tool refund) is missing: step 2 of the turn differs in its outcome ${failed}.`,
  ],
])("the outcome: %s", (match, sentence) => {
  const steps = [step("find", { outcome: "success" }), step("refund", { outcome: "success" })];
  const calls = [find, tool("refund", 30, { tool_outcome: "error" })];
  expect(divergence(match, steps, calls, ["outcome"])).toEqual({ sentence, step: 2 });
});

test.each<Match>(["strict", "unordered"])("the arguments, and both: %s", (match) => {
  const steps = [step("refund", { outcome: "success", fingerprint: print("a") })];
  const call = tool("refund", 1, { tool_outcome: "error", call_fingerprint: print("b") });
  const words =
    "its arguments (expected fingerprint k1_aaaaaaaa…, recorded fingerprint k1_bbbbbbbb…)";
  expect(divergence(match, steps, [call], ["arguments"]).sentence).toBe(
    `Step 1 (tool refund) differs in ${words}.`,
  );
  expect(divergence(match, steps, [call], ["outcome", "arguments"]).sentence).toBe(
    `Step 1 (tool refund) differs in its outcome ${failed} and ${words}.`,
  );
});

test.each<[Match, string, string, string]>([
  [
    "strict",
    "Step 2 (tool refund) is not in the golden trajectory. The turn has 1 call more than the golden trajectory.",
    "Step 2 differs: expected tool refund, recorded tool mail. The turn has 1 call more than the golden trajectory.",
    "Step 2 is missing: expected tool refund, recorded no call. The turn has 1 call fewer than the golden trajectory.",
  ],
  [
    "unordered",
    "Step 2 (tool refund) is not in the golden trajectory. The turn has 1 call more than the golden trajectory.",
    "Step 2 (tool mail) is not in the golden trajectory. The turn has 1 call more than the golden trajectory.",
    "Golden step 2 (tool refund) is missing. The turn has 1 call fewer than the golden trajectory.",
  ],
])("one call more, and one fewer: %s", (match, twice, between, fewer) => {
  const refund = tool("refund", 60);
  const sentence = (steps: readonly GoldenStep[], calls: readonly TurnEvent[]): string =>
    divergence(match, steps, calls).sentence;
  expect(sentence([step("refund")], [tool("refund", 1), refund])).toBe(twice);
  expect(sentence([step("find"), step("refund")], [find, tool("mail", 30), refund])).toBe(between);
  expect(sentence([step("find"), step("refund")], [find])).toBe(fewer);
});

test("of equal steps, the one without a call is the one that differs", () => {
  const steps = [step("find"), step("find"), step("find")];
  expect(divergence("strict", steps, [find, tool("find", 30)])).toEqual({
    sentence:
      "Step 3 is missing: expected tool find, recorded no call. The turn has 1 call fewer than the golden trajectory.",
    step: 3,
  });
});
