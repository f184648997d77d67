/**
 * Time per event of the judge at growing sizes, with the ratio from each size to the next (design
 * 8: 100,000 events normalized, reconciled and drawn in 0.6 s; a million in 1.3 × ten times that).
 *
 *   npx node -C @turnproof/source test/bench/evidence/run.ts [largest size]
 *
 * Figures are process CPU, so that waiting for a busy machine is not counted, as the median of the
 * repetitions of one process; collecting garbage is in it. Exits with 1 when a goal is missed.
 */
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

const largest = Number(process.argv[2] ?? 1_000_000);
const sizes = [1_000, 10_000, 100_000, 1_000_000].filter((size) => size <= largest);

function medianMs(run: () => unknown, size: number): number {
  const repetitions = size >= 1_000_000 ? 1 : size >= 100_000 ? 3 : Math.ceil(50_000 / size);
  const times: number[] = [];
  for (let at = 0; at < repetitions; at += 1) {
    const from = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(from);
    times.push((user + system) / 1000);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] as number;
}

const totals = new Map<number, number>();
const perEvent = new Map<string, number[]>();
for (const size of sizes) {
  const events = buildWindow(size);
  for (const [name, part] of Object.entries(parts)) {
    const ms = medianMs(() => part(events), events.length);
    const known = perEvent.get(name) ?? [];
    known.push((ms / events.length) * 1000);
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
  console.log(`${name.padEnd(22)}${cells}   ${ratios.map((ratio) => ratio.toFixed(2)).join(" ")}`);
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
