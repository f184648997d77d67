/**
 * Two services with clocks, delays, retries and restarts of their own, through the real recorder,
 * processor, mapping, normalizer and judge: every honest turn is a success, no dishonest one is.
 * `SIMULATED_TURNS` names how many honest turns and how many of each lie.
 */
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { context } from "@opentelemetry/api";
import { normalizeEvents, reconcileOutcome, resolveEvents } from "@turnproof/evidence";
import type { Verdict } from "@turnproof/evidence";
import { afterAll, beforeAll, expect, test } from "vitest";

import { randomOf } from "../oracle/random.ts";
import { lies, play } from "./scenario.ts";
import type { Lie } from "./scenario.ts";

const turns = Number(process.env["SIMULATED_TURNS"] ?? 40);
const timeout = 60_000 + turns * 2_000;

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
});
afterAll(() => {
  context.disable();
});

async function verdictOf(seed: number, lie: Lie | undefined): Promise<Verdict> {
  const received = await play(randomOf(seed), lie);
  const { events, errors } = normalizeEvents(received);
  expect(errors).toEqual([]);
  // A day later everything that comes has come, and what did not end never will.
  const as_of = new Date(Date.now() + 86_400_000).toISOString();
  return reconcileOutcome(resolveEvents(events), {
    normalizationMetadata: {
      window_complete: true,
      truncated: false,
      normalization_errors: 0,
      read_completeness: "complete",
      as_of,
    },
  });
}

test("every honest turn is a success", { timeout }, async () => {
  for (let seed = 0; seed < turns; seed += 1) {
    const { status, findings, missing_stages, window } = await verdictOf(seed, undefined);
    const codes = findings.map(({ code }) => code);
    expect({ seed, status, codes, missing_stages, reasons: window.reasons }).toMatchObject({
      seed,
      status: "success",
    });
  }
});

test.each(lies)("no turn is a success: %s", { timeout }, async (lie) => {
  for (let seed = 0; seed < Math.ceil(turns / 8); seed += 1) {
    const { status, verified } = await verdictOf(seed, lie);
    expect({ seed, verified, success: status === "success" }).toEqual({
      seed,
      verified: false,
      success: false,
    });
  }
});
