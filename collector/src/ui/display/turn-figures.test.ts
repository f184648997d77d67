/**
 * @module A turn's bar is scaled by its own agent's p95, and by the list's while the agent has too
 * few turns for one.
 */
import type { TurnRow } from "@turnproof/evidence";
import { describe, expect, it } from "vitest";

import { durationScale, facetExtent, rowScale } from "./turn-figures.ts";

function turnsOf(agentId: string, durations: readonly (number | null)[]): TurnRow[] {
  return durations.map(
    (duration_ms) =>
      ({ agent_id: agentId, duration_ms, ended_at: "2026-11-20T10:00:00Z" }) as unknown as TurnRow,
  );
}

describe("durationScale", () => {
  const quick = turnsOf("quick", [50, 60, 70, 80, 100]);
  const slow = turnsOf("slow", [60_000, 70_000, 80_000, 90_000, 100_000]);
  const few = turnsOf("few", [500, null, 900, 700, 800]);
  const scale = rowScale([...quick, ...slow, ...few]);

  it("puts the tick of every agent at the same place", () => {
    expect(durationScale(scale, "quick")).toEqual({ scaleMs: 125, p95Ms: 100 });
    expect(durationScale(scale, "slow")).toEqual({ scaleMs: 125_000, p95Ms: 100_000 });
  });

  it("counts no turn that never ended: what was seen of it is not how long it took", () => {
    const open = turnsOf("quick", [9_000, 9_000]).map((row) => ({
      ...row,
      timing_state: "missing_completion" as const,
    }));
    expect(durationScale(rowScale([...quick, ...open]), "quick").p95Ms).toBe(100);
  });

  it("has no tick for an agent with fewer than five known durations", () => {
    expect(durationScale(scale, "few")).toEqual({ scaleMs: scale.fullMs, p95Ms: null });
    expect(durationScale(scale, undefined)).toEqual({ scaleMs: scale.fullMs, p95Ms: null });
  });
});

describe("facetExtent", () => {
  it("never claims more turns than were counted", () => {
    expect(facetExtent({ complete: true, turns: 1204 })).toBe("All 1,204 turns");
    expect(facetExtent({ complete: true, turns: 1 })).toBe("All 1 turn");
    expect(facetExtent({ complete: false, turns: 9 })).toMatch(
      /, not all: others wait or cannot be read$/,
    );
  });
});
