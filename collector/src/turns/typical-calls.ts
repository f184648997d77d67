/**
 * @module TypicalCalls: how long the tools of a turn usually take: nearest-rank percentiles over
 * the calls of other turns in the principal's scope, in the week before the turn ended.
 */
import type { TurnRow } from "@turnproof/evidence";
import { isoTime } from "@turnproof/semconv";
import type { EvidenceScope, TurnReader } from "@turnproof/store";

import type { TypicalCall } from "../ui/display/typical-call.ts";

const weekMs = 7 * 86_400_000;
/** Fewer calls are no measure of what is usual. */
const callsMin = 5;

/** Usual durations of the tools of these turns, by name; with too few calls, none. */
export async function typicalCalls(
  ledger: TurnReader,
  scope: EvidenceScope,
  turns: readonly TurnRow[],
): Promise<readonly TypicalCall[]> {
  const names = [...new Set(turns.flatMap(({ tool_names }) => tool_names))].toSorted();
  const ends = turns.map(({ ended_at }) => Date.parse(ended_at)).filter(Number.isFinite);
  if (names.length === 0 || ends.length === 0) return [];
  const to = Math.min(...ends);
  const figures = await ledger.callFigures(
    {
      scope,
      where: [
        { any: names.map((has) => ({ list: "tool_name", has })) },
        {
          time: "ended_at",
          from: isoTime(to - weekMs),
          to: isoTime(to),
        },
      ],
    },
    "tool",
    ["name"],
  );
  return figures
    .flatMap(({ group: { name }, calls, duration_unknown: unknown, p50_ms, p95_ms }) => {
      const known = calls - unknown;
      if (typeof name !== "string" || !names.includes(name) || known < callsMin) return [];
      return p50_ms === null || p95_ms === null
        ? []
        : [{ tool_name: name, calls: known, p50_ms, p95_ms }];
    })
    .toSorted((a, b) => (a.tool_name < b.tool_name ? -1 : 1));
}
