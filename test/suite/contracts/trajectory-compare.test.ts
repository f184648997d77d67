/** Trajectories that compare what a step may lack: outcomes, and fingerprints of several keys. */
import { defineContract, evaluateTurns } from "@turnproof/contracts";
import type { GoldenStep, TurnContract } from "@turnproof/contracts";
import type { WindowMetadata } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { cut, end, tool, whole } from "./turns.ts";

const fingerprint = (key: string, of: string): string => `${key}_${of.repeat(26)}`;
const matches = ["strict", "ordered", "unordered", "subset", "superset"] as const;

type Compare = "outcome" | "arguments";

function golden(
  steps: readonly GoldenStep[],
  match: (typeof matches)[number],
  compare: readonly Compare[],
): TurnContract {
  return defineContract({
    name: "golden",
    expect: [{ clause: "trajectory", match, steps: [...steps], compare: [...compare] }],
  });
}

function clauseOf(
  contract: TurnContract,
  events: readonly object[],
  metadata: WindowMetadata = whole,
): { readonly result?: string; readonly diverged_at?: number | undefined } {
  const [turn] = evaluateTurns(events, [contract], { metadata });
  const { result, diverged_at } = turn?.contracts[0]?.clauses[0] ?? {};
  return { ...(result === undefined ? {} : { result }), diverged_at };
}

const named = (name: string, more: Partial<GoldenStep> = {}): GoldenStep => ({
  kind: "tool",
  name,
  ...more,
});

test.each(matches)("fingerprints of another key are not compared: %s", (match) => {
  const steps = [named("refund", { fingerprint: fingerprint("k1", "a") })];
  const contract = golden(steps, match, ["arguments"]);
  const recorded = (of: string): readonly object[] => [
    tool("refund", 1, { call_fingerprint: of }),
    end(),
  ];
  for (const metadata of [whole, cut]) {
    const other = clauseOf(contract, recorded(fingerprint("k2", "a")), metadata);
    expect(other.result).toBe("not_established");
  }
  expect(clauseOf(contract, recorded(fingerprint("k1", "a"))).result).toBe("holds");
  expect(clauseOf(contract, recorded(fingerprint("k1", "b"))).result).toBe("violated");
});

test.each(matches)("other names differ, whatever a step lacks: %s", (match) => {
  const events = [tool("find_order", 1), tool("refund", 30), end()];
  for (const compare of ["outcome", "arguments"] as const) {
    const other = golden([named("zz"), named("yy")], match, [compare]);
    expect(clauseOf(other, events)).toEqual({ result: "violated", diverged_at: 1 });
    const same = golden([named("find_order"), named("refund")], match, [compare]);
    expect(clauseOf(same, events).result).toBe("not_established");
    expect(clauseOf(other, events, cut).result).not.toBe("violated");
  }
});
