/**
 * Twenty contracts over 100,000 events, beside the judge's verdict over the same events:
 *
 *   npx node -C @turnproof/source test/bench/contracts/run.ts [events]
 *
 * The figures are the medians of five passes after a warm one, in milliseconds of process CPU.
 * Exits with 1 when the contracts take longer than a second.
 */
import { defineContract, evaluateTurns } from "@turnproof/contracts";
import type { TurnContract } from "@turnproof/contracts";
import { reconcileOutcome } from "@turnproof/evidence";

import { buildWindow } from "../evidence/window.ts";

const goalMs = 1_000;
const metadata = {
  window_complete: true,
  truncated: false,
  normalization_errors: 0,
  read_completeness: "complete",
} as const;

/** Twenty contracts of one to five clauses, as a team that gates on them would have. */
const contracts: readonly TurnContract[] = Array.from({ length: 20 }, (_, at) =>
  defineContract({
    name: `contract-${at}`,
    expect:
      [
        [
          { clause: "ended" as const },
          { clause: "no_errors" as const },
          { clause: "tools_clean" as const },
        ],
        [
          { clause: "order" as const, tool: "tool_0", before: { tool: "tool_1" } },
          { clause: "calls" as const, tool: `tool_${at % 5}`, at_most: 3 },
        ],
        [
          { clause: "duration" as const, at_most_ms: 60_000 },
          { clause: "tokens" as const, at_most: 100_000 },
          { clause: "retries" as const, at_most: 2 },
        ],
        [
          { clause: "artifact" as const, type: "reply", persisted: true as const },
          { clause: "delivery" as const, acknowledged: true as const },
          { clause: "output" as const, name: "feed" },
          { clause: "memory" as const, supplied: { at_least: 1 } },
          { clause: "cache" as const, decision: ["miss" as const, "bypassed" as const] },
        ],
        [
          {
            clause: "trajectory" as const,
            match: "superset" as const,
            steps: [{ kind: "tool" as const, name: "tool_0" }],
          },
        ],
      ][at % 5] ?? [],
  }),
);

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
