/**
 * Time per event of the judge at growing sizes, with the ratio from each size to the next (design
 * 8: 100,000 events normalized, reconciled and drawn in 0.6 s; a million in 1.3 × ten times that).
 *
 *   npx node -C @turnproof/source test/bench/evidence/run.ts [largest size]
 *
 * Figures are process CPU of all threads, so that waiting for a busy machine is not counted and
 * collecting garbage is, as the median of the repetitions. Each size has a process of its own,
 * warmed on small windows, with an old space of at most 4 GB (a million events and the largest
 * answer, a comparison, are about 2.5 GB) and everything else as node sets it. Exits with 1 when a
 * goal is missed.
 */
import { fork } from "node:child_process";

import {
  buildCausalWaterfall,
  buildTraceHealth,
  compareTraceWindows,
  findInsights,
  normalizeEvents,
  reconcileOutcome,
} from "@turnproof/evidence";

import { buildWindow } from "./window.ts";

const metadata = {
  window_complete: true,
  truncated: false,
  normalization_errors: 0,
  read_completeness: "complete",
} as const;

const parts: { readonly [name: string]: (events: readonly unknown[]) => unknown } = {
  normalize: (events) => normalizeEvents(events),
  reconcile: (events) => {
    const { status } = reconcileOutcome(events, { normalizationMetadata: metadata });
    if (status !== "success") throw new Error(`the window verdicts ${status}`);
  },
  waterfall: (events) => buildCausalWaterfall(events),
  compare: (events) =>
    compareTraceWindows(events, events, {
      baselineMetadata: metadata,
      candidateMetadata: metadata,
    }),
  health: (events) => buildTraceHealth(events, { normalizationMetadata: metadata }),
  insights: (events) => findInsights(events, { scope: "window" }),
};

type PartTimes = readonly (readonly [name: string, ms: number])[];

const oldSpaceMb = 4_096;
const warmEvents = 5_000;
const repetitionsOf: { readonly [size: number]: number } = { 1_000: 60, 10_000: 15, 100_000: 7 };

function medianMs(run: () => unknown, repetitions: number): number {
  const times: number[] = [];
  for (let at = 0; at < repetitions; at += 1) {
    const from = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(from);
    times.push((user + system) / 1000);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] as number;
}

/** All parts at one size, in this process. */
function measure(size: number): PartTimes {
  const small = buildWindow(warmEvents);
  for (const part of Object.values(parts)) medianMs(() => part(small), 10);
  const events = buildWindow(size);
  return Object.entries(parts).map(([name, part]) => {
    return [name, medianMs(() => part(events), repetitionsOf[size] ?? 3)] as const;
  });
}

if (process.argv[2] === "--size") {
  process.send?.(measure(Number(process.argv[3])));
  process.disconnect?.();
} else await compareSizes(Number(process.argv[2] ?? 1_000_000));

function measureApart(size: number): Promise<PartTimes> {
  const execArgv = [...process.execArgv, `--max-old-space-size=${oldSpaceMb}`];
  const child = fork(new URL(import.meta.url), ["--size", String(size)], { execArgv });
  return new Promise((resolve, reject) => {
    child.once("message", (times) => resolve(times as PartTimes));
    child.once("exit", (code) => reject(new Error(`the process of ${size} ended with ${code}`)));
  });
}

async function compareSizes(largest: number): Promise<void> {
  const sizes = [1_000, 10_000, 100_000, 1_000_000].filter((size) => size <= largest);
  const totals = new Map<number, number>();
  const perEvent = new Map<string, number[]>();
  for (const size of sizes) {
    for (const [name, ms] of await measureApart(size)) {
      const known = perEvent.get(name) ?? [];
      known.push((ms / size) * 1000);
      perEvent.set(name, known);
      if (["normalize", "reconcile", "waterfall"].includes(name)) {
        totals.set(size, (totals.get(size) ?? 0) + ms);
      }
    }
  }

  console.log(
    `µs per event          ${sizes.map((size) => size.toLocaleString("en").padStart(11)).join("")}   ratios`,
  );
  for (const [name, figures] of perEvent) {
    const ratios = figures.slice(1).map((figure, at) => figure / (figures[at] as number));
    const cells = figures.map((figure) => figure.toFixed(3).padStart(11)).join("");
    console.log(
      `${name.padEnd(22)}${cells}   ${ratios.map((ratio) => ratio.toFixed(2)).join(" ")}`,
    );
  }
  const hundred = totals.get(100_000);
  const million = totals.get(1_000_000);
  console.log(`\nnormalize + reconcile + waterfall`);
  for (const [size, ms] of totals)
    console.log(`${size.toLocaleString("en").padStart(11)}  ${ms.toFixed(0)} ms`);
  const missed = [
    ...(hundred !== undefined && hundred > 600 ? ["100,000 events took more than 0.6 s"] : []),
    ...(hundred !== undefined && million !== undefined && million > 13 * hundred
      ? ["1,000,000 events took more than 13 × the time of 100,000"]
      : []),
  ];
  for (const goal of missed) console.log(`missed: ${goal}`);
  process.exitCode = missed.length === 0 ? 0 : 1;
}
