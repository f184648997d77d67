/**
 * Time per event of the judge at growing sizes, with the ratio from each size to the next.
 *
 *   npx node -C @turnproof/source test/bench/evidence/run.ts [events] [--hot]
 *
 * Two measures, because one of them alone misleads:
 *
 * - Cold: every size works through the same events (a million), cut into windows of that size, with
 *   all events in memory and the answers of a pass kept until it ends. No window is met twice in a
 *   row, so caches and garbage collection are the same for each size, and what grows is the
 *   algorithm. The ratios are of this measure.
 * - Hot: one window of each size again and again, as a server judges a turn that it has just read.
 *   A thousand events fit the processor's cache and die young; the ratio to ten thousand shows the
 *   machine as much as the algorithm.
 *
 * Figures are process CPU of all threads, so that waiting for a busy machine is not counted and
 * collecting garbage is, as the median of the repetitions. Each size has a process of its own,
 * warmed on small windows, with an old space of at most 5 GB and everything else as node sets it.
 * Exits with 1 when a goal is missed.
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

/** Milliseconds of one pass per part, over all events (cold) and over one window (hot). */
interface SizeTimes {
  readonly cold: PartTimes;
  readonly hot: PartTimes;
}
type PartTimes = readonly (readonly [name: string, ms: number])[];

const oldSpaceMb = 5_120;
const warmEvents = 5_000;
const sizes = [1_000, 10_000, 100_000, 1_000_000];
const hotRepetitions: { readonly [size: number]: number } = { 1_000: 60, 10_000: 15, 100_000: 7 };
const coldRepetitions = 3;
const ratioMax = 1.3;
const drawn: ReadonlySet<string> = new Set(["normalize", "reconcile", "waterfall"]);

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
function measure(size: number, total: number, hotOnly: boolean): SizeTimes {
  const small = buildWindow(warmEvents);
  for (const part of Object.values(parts)) medianMs(() => part(small), 10);
  const events = buildWindow(hotOnly ? size : total);
  const windows: (readonly unknown[])[] = [];
  for (let from = 0; from < events.length; from += size) {
    windows.push(events.slice(from, from + size));
  }
  const first = windows[0] as readonly unknown[];
  const hot = Object.entries(parts).map(([name, part]) => {
    return [name, medianMs(() => part(first), hotRepetitions[size] ?? 3)] as const;
  });
  if (hotOnly) return { cold: [], hot };
  const cold = Object.entries(parts).map(([name, part]) => {
    return [name, medianMs(() => windows.map((window) => part(window)), coldRepetitions)] as const;
  });
  return { cold, hot };
}

const [, , first, second, third] = process.argv;
if (first === "--size") {
  process.send?.(measure(Number(second), Number(third), process.argv.includes("--hot")));
  process.disconnect?.();
} else {
  const given = process.argv.slice(2).find((word) => !word.startsWith("--"));
  await compareSizes(Number(given ?? 1_000_000), process.argv.includes("--hot"));
}

function measureApart(size: number, total: number, hotOnly: boolean): Promise<SizeTimes> {
  const execArgv = [...process.execArgv, `--max-old-space-size=${oldSpaceMb}`];
  const args = ["--size", String(size), String(total), ...(hotOnly ? ["--hot"] : [])];
  const child = fork(new URL(import.meta.url), args, { execArgv });
  return new Promise((resolve, reject) => {
    child.once("message", (times) => resolve(times as SizeTimes));
    child.once("exit", (code) => reject(new Error(`the process of ${size} ended with ${code}`)));
  });
}

/** Prints µs per event by part and size; returns the ratios over the bound. */
function printTable(title: string, rows: ReadonlyMap<string, readonly number[]>): string[] {
  const over: string[] = [];
  console.log(title);
  for (const [name, figures] of rows) {
    const ratios = figures.slice(1).map((figure, at) => figure / (figures[at] as number));
    const cells = figures.map((figure) => figure.toFixed(3).padStart(11)).join("");
    const reported = ratios.map((ratio) => ratio.toFixed(2));
    console.log(`${name.padEnd(22)}${cells}   ${reported.join(" ")}`);
    ratios.forEach((ratio, at) => {
      if (ratio > ratioMax)
        over.push(`${name}: ${reported[at]} from ${sizes[at]} to ${sizes[at + 1]}`);
    });
  }
  return over;
}

async function compareSizes(total: number, hotOnly: boolean): Promise<void> {
  const measured = sizes.filter((size) => size <= total);
  const cold = new Map<string, number[]>();
  const hot = new Map<string, number[]>();
  const sums: number[] = [];
  const note = (rows: Map<string, number[]>, name: string, us: number): void => {
    rows.set(name, [...(rows.get(name) ?? []), us]);
  };
  for (const size of measured) {
    const times = await measureApart(size, total, hotOnly);
    for (const [name, ms] of times.cold) note(cold, name, (ms / total) * 1000);
    for (const [name, ms] of times.hot) note(hot, name, (ms / size) * 1000);
    sums.push(times.hot.reduce((sum, [name, ms]) => sum + (drawn.has(name) ? ms : 0), 0));
  }
  const head = measured.map((size) => size.toLocaleString("en").padStart(11)).join("");
  const over = hotOnly ? [] : printTable(`cold, µs per event    ${head}   ratios`, cold);
  printTable(`hot, µs per event     ${head}   ratios`, hot);
  console.log(`\nnormalize + reconcile + waterfall, hot`);
  measured.forEach((size, at) => {
    const [ms = 0] = sums.slice(at);
    console.log(`${size.toLocaleString("en").padStart(11)}  ${ms.toFixed(0)} ms`);
  });
  const [, , hundred, million] = sums;
  const missed = [
    ...over,
    ...(hundred !== undefined && hundred > 600 ? ["100,000 events took more than 0.6 s"] : []),
    ...(hundred !== undefined && million !== undefined && million > 13 * hundred
      ? ["1,000,000 events took more than 13 × the time of 100,000"]
      : []),
  ];
  for (const goal of missed) console.log(`missed: ${goal}`);
  process.exitCode = missed.length === 0 ? 0 : 1;
}
