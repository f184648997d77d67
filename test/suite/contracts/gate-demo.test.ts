/**
 * @module The gate over the demo week: a thousand halves of the same turns, with a part of the
 * evidence gone, give at most 5 % false alarms, and a planted regression is found as often as the
 * plan states.
 */
import { gate, parseContracts, planGate } from "@turnproof/contracts";
import type { ContractTrials, GateReport } from "@turnproof/contracts";
import { readRoots } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { openPriceList } from "../../../collector/src/cost/price-list.ts";
import { measureTrials, sideTurns, trialsOf } from "../../../collector/src/judge/gate-turns.ts";
import type { SideTurn } from "../../../collector/src/judge/gate-turns.ts";
import { listen } from "../../../collector/src/server.ts";
import { sendWeek } from "../../apps/week/week.ts";
import { openDesk, quiet } from "../collector/desk.ts";
import { turnsOf } from "../collector/recounting.ts";
import { numbers } from "./simulated-trials.ts";
import { cut, whole } from "./turns.ts";

const { contracts } = parseContracts(`version: 1
contracts:
  - { name: clean, expect: [{ clause: ended }, { clause: no_errors }] }
  - { name: tools, expect: [{ clause: tools_clean }] }
  - { name: quick, expect: [{ clause: duration, at_most_ms: 4000 }] }
`);
const names = contracts.map(({ name }) => name);
const comparisons = 1_000;

let close = async (): Promise<void> => undefined;
afterAll(() => close());
/** The turns of the week; of every tenth window a part is missing. */
let turns: readonly SideTurn[] = [];

beforeAll(async () => {
  const desk = await openDesk({}, { judge: false });
  const server = await listen(desk.collector.app, { host: "127.0.0.1", port: 0, log: quiet });
  close = () => server.close();
  await sendWeek({ endpoint: server.url, endMs: Date.UTC(2026, 0, 8), turns: 400, seed: "gate" });
  await vi.waitFor(
    async () => {
      const page = await desk.json<{ pending_frames: number }>("/traces/turns.json?limit=1");
      expect(page.pending_frames).toBe(0);
    },
    { timeout: 60_000, interval: 100 },
  );
  const roots = [...new Set((await turnsOf(desk.store)).map(({ row }) => row.root_trace_id ?? ""))];
  const prices = await openPriceList(undefined);
  const read = await readRoots(desk.store, allTenants, roots);
  turns = read.flatMap(({ events }, at) => {
    const metadata = { ...(at % 10 === 0 ? cut : whole), as_of: "2099-01-01T00:00:00Z" };
    return sideTurns({ events, metadata }, { contracts, goldens: [] }, prices);
  });
}, 120_000);

/** The turns in an order of chance. */
function shuffled(next: () => number): readonly SideTurn[] {
  return turns
    .map((turn) => ({ turn, at: next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ turn }) => turn);
}

function halves(next: () => number): readonly [readonly SideTurn[], readonly SideTurn[]] {
  const all = shuffled(next);
  return [all.slice(0, all.length / 2), all.slice(all.length / 2)];
}

function compared(
  baseline: readonly SideTurn[],
  candidate: readonly SideTurn[],
): { readonly report: GateReport; readonly trials: readonly ContractTrials[] } {
  const trials = trialsOf(names, baseline, candidate);
  const measures = measureTrials(baseline, candidate);
  return { report: gate(trials, measures, { allowedGrowth: 0 }), trials };
}

test("the week has every result, durations, tokens and unknown ones", () => {
  expect(turns.length).toBeGreaterThanOrEqual(400);
  const results = new Set(turns.flatMap((turn) => turn.results.map(({ result }) => result)));
  expect(results).toEqual(new Set(["holds", "violated", "not_established"]));
  const { report } = compared(...halves(numbers(1)));
  expect(report.contracts.map(({ name }) => name)).toEqual(names);
  expect(report.measures.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["duration", "tokens"]),
  );
});

test("halves of the same turns: at most 5 % false alarms in 1,000 comparisons", () => {
  const next = numbers(61);
  let alarms = 0;
  for (let run = 0; run < comparisons; run += 1) {
    if (compared(...halves(next)).report.outcome === "regressed") alarms += 1;
  }
  expect(alarms).toBeLessThanOrEqual(comparisons * 0.05);
});

test("a regression of the stated size, planted into one half, is found with the stated power", () => {
  const next = numbers(62);
  const runs = 300;
  let found = 0;
  for (let run = 0; run < runs; run += 1) {
    const [baseline, candidate] = halves(next);
    const { trials } = compared(baseline, candidate);
    const clean = trials.find(({ name }) => name === "clean") as ContractTrials;
    const { smallestDrop: drop = 1, baselineViolated: rate = 0 } = planGate(clean, 1);
    expect(drop).toBeLessThan(0.5);
    const planted = clean.candidate.map((trial) =>
      trial.result === "holds" && next() < drop / (1 - rate)
        ? ({ ...trial, result: "violated" } as const)
        : trial,
    );
    const { outcome } = gate([{ ...clean, candidate: planted }], []);
    if (outcome === "regressed") found += 1;
  }
  expect(found / runs).toBeGreaterThanOrEqual(0.8 - 3 * Math.sqrt((0.8 * 0.2) / runs));
});
