/** @module Twenty contracts that both benches judge by. */
import { defineContract } from "@turnproof/contracts";
import type { TurnContract } from "@turnproof/contracts";

/** Twenty contracts of one to five clauses, as a team that gates on them would have. */
export const contracts: readonly TurnContract[] = Array.from({ length: 20 }, (_, at) =>
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
