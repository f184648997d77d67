/**
 * Twenty contracts over 100,000 events, beside the judge's verdict over the same events:
 *
 *   npx node -C @turnproof/source test/bench/contracts/run.ts [events]
 *
 * The figures are the medians of five passes after a warm one, in milliseconds of process CPU.
 * Exits with 1 when the contracts take longer than a second.
 */
import { evaluateTurns } from "@turnproof/contracts";
import { reconcileOutcome } from "@turnproof/evidence";

import { buildWindow } from "../evidence/window.ts";
import { contracts } from "./twenty.ts";

const goalMs = 1_000;
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
if (results.length !== judged.length * contracts.length || contractsMs > goalMs)
  process.exitCode = 1;
