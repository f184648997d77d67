/**
 * Twenty contracts over 100,000 events, beside the verdict over the same events, and the judge of
 * the collector with and without them:
 *
 *   npx node -C @turnproof/source test/bench/contracts/run.ts [events]
 *
 * The figures are the medians of five passes after a warm one, in milliseconds of process CPU.
 * Exits with 1 when the contracts take longer than a second, or make the judgement of a turn more
 * than six times as dear.
 */
import { evaluateTurns } from "@turnproof/contracts";
import { reconcileOutcome } from "@turnproof/evidence";

import { buildWindow } from "../evidence/window.ts";
import { judgeCost } from "./judge.ts";
import { contracts } from "./twenty.ts";

const goalMs = 1_000;
const ratioMost = 6;
const metadata = {
  window_complete: true,
  truncated: false,
  normalization_errors: 0,
  read_completeness: "complete",
} as const;

function medianMs(run: () => unknown): number {
  run();
  const times = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return times.toSorted((a, b) => a - b)[2] ?? 0;
}

const events = buildWindow(Number(process.argv[2] ?? 100_000));
const judge = await judgeCost(events);
const judged = evaluateTurns(events, contracts, { metadata });
const contractsMs = medianMs(() => evaluateTurns(events, contracts, { metadata }));
const verdictMs = medianMs(() => reconcileOutcome(events, { normalizationMetadata: metadata }));
const results = judged.flatMap((turn) => turn.contracts);
console.log(
  `${events.length} events, ${judged.length} turns, ${contracts.length} contracts, ` +
    `${results.length} results (${results.filter(({ result }) => result === "holds").length} hold)`,
);
console.log(`contracts ${contractsMs.toFixed(0)} ms, verdict ${verdictMs.toFixed(0)} ms`);
console.log(`ratio ${(contractsMs / verdictMs).toFixed(2)}; goal ${goalMs} ms`);
const ratio = judge.contractsMs / judge.plainMs;
console.log(
  `judge ${judge.plainMs.toFixed(0)} ms, with contracts ${judge.contractsMs.toFixed(0)} ms`,
);
console.log(`ratio ${ratio.toFixed(2)}; at most ${ratioMost}`);
const wanted = judged.length * contracts.length;
const isWhole = results.length === wanted && judge.results === wanted;
if (!isWhole || contractsMs > goalMs || ratio > ratioMost) process.exitCode = 1;
