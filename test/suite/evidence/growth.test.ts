/**
 * The judge is linear in every window, the contrived ones included (evidence: Reconcile). Not
 * timed: each read of a field of an event is counted, and four times the events may cost no more
 * than five times the reads.
 */
import {
  buildCausalWaterfall,
  buildLineage,
  buildTraceHealth,
  compareTraceWindows,
  findInsights,
  normalizeEvents,
  reconcileOutcome,
} from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { adversarialWindows } from "./adversarial-windows.ts";
import { whole } from "./text-windows.ts";
import type { Json } from "./verdict-cases.ts";

const size = 100;
const factor = 4;
/** Logarithms of sorting stay under this; a square would be sixteen. */
const growthMax = 5.5;

/** A counter, and a wrapper that counts every read of what it wraps, however deep. */
function counting(): { readonly reads: () => number; readonly wrap: (value: Json) => Json } {
  let reads = 0;
  const wrap = <T>(value: T): T => {
    if (typeof value !== "object" || value === null) return value;
    const own = Array.isArray(value)
      ? value.map(wrap)
      : Object.fromEntries(Object.entries(value).map(([name, held]) => [name, wrap(held)]));
    return new Proxy(own, {
      get(target, name, receiver): unknown {
        reads += 1;
        return Reflect.get(target, name, receiver);
      },
    }) as T;
  };
  return { reads: () => reads, wrap };
}

const judges: { readonly [name: string]: (events: readonly Json[]) => unknown } = {
  normalize: (events) => normalizeEvents(events),
  reconcile: (events) => reconcileOutcome(events, { normalizationMetadata: whole }),
  waterfall: (events) => buildCausalWaterfall(events),
  compare: (events) => compareTraceWindows(events, events),
  health: (events) => buildTraceHealth(events),
  insights: (events) => findInsights(events, { scope: "turn" }),
  lineage: (events) => buildLineage(events, { ref: "invoice-5" }),
};

function readsOf(judge: (events: readonly Json[]) => unknown, events: readonly Json[]): number {
  const { reads, wrap } = counting();
  // With a revision an event is judged as it is; without one, a copy would be, uncounted.
  const wrapped = events.map((event) => wrap({ revision: 1, ...event }));
  judge(wrapped);
  return reads();
}

describe.each(Object.entries(adversarialWindows))("%s", (_name, build) => {
  test.each(Object.entries(judges))("%s", (_part, judge) => {
    const small = readsOf(judge, build(size));
    const large = readsOf(judge, build(size * factor));
    expect(small).toBeGreaterThan(size);
    expect(large / small).toBeLessThan(growthMax);
  });
});
