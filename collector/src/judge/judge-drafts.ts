/**
 * @module JudgeDrafts: judges turns at the drain, while their events are in memory, assuming no
 * losses. When the root is quiet, complete and without known losses, its turns are settled from
 * that; every other root is judged again from its events.
 */
import { judgeSettledTurn, overlapsLoss } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { compareTimes, isoTime } from "@turnproof/semconv";
import { settleDrafts } from "@turnproof/store";
import type { DraftedRoot, JudgeRoot, RootCounts, TurnRecord } from "@turnproof/store";

import type { Config } from "../config/config.ts";
import type { JudgeInput, JudgeMemory } from "./judge-input.ts";
import { codesOf, unendedCodes } from "./judge-codes.ts";
import { knownLosses } from "./losses.ts";
import type { JudgeParts } from "../parts.ts";
import { contractNames } from "./loaded-contracts.ts";
import type { LoadedContracts } from "./loaded-contracts.ts";

/**
 * Judges a root as stored, as a complete window without losses. A root with an unfinished
 * operation is not judged: its verdict depends on the time and on its process.
 */
export function draftJudge(
  { turnLimits }: Pick<Config, "turnLimits">,
  contracts?: LoadedContracts,
): JudgeRoot {
  return ({ events }) => {
    const asOf = latestReceipt(events);
    if (asOf === undefined) return undefined;
    const normalizationMetadata = {
      window_complete: true,
      truncated: false,
      normalization_errors: [],
      read_completeness: "complete",
      quarantined_roots: [],
      losses: [],
      as_of: asOf,
      producers: [],
      ...(turnLimits === undefined ? {} : { turn_limits: turnLimits }),
    } as const;
    return (_row, own) => {
      const found = judgeSettledTurn(own, { normalizationMetadata });
      const { findings, open_until: until, status } = found.verdict;
      if (until !== null || findings.some(({ code }) => unendedCodes.has(code))) return undefined;
      const results = contractNames(contracts, own, normalizationMetadata);
      return { verdict: status, ...codesOf(found), ...results, judged_at: asOf, as_of: asOf };
    };
  };
}

/** Latest receipt of all events; undefined where one has none. */
function latestReceipt(events: readonly TurnEvent[]): string | undefined {
  let latest: string | undefined;
  for (const { received_at: at } of events) {
    if (at === undefined) return undefined;
    if (latest === undefined || compareTimes(at, latest) > 0) latest = at;
  }
  return latest;
}

/** Roots that were settled from their drafts, and those to be judged from their events. */
export interface SettledDrafts {
  readonly settled: readonly TurnRecord[];
  readonly others: ReadonlyMap<string, RootCounts>;
}

/** Settles the roots whose drafts allow it. */
export async function settleDrafted(
  parts: JudgeParts,
  standing: ReadonlyMap<string, RootCounts>,
  { mark, reports }: JudgeInput,
  { open, losses }: JudgeMemory,
): Promise<SettledDrafts> {
  const drafted = new Map<string, DraftedRoot>();
  const others = new Map<string, RootCounts>();
  for (const [root, stands] of standing) {
    const one = parts.recorder?.drafted(root, stands);
    if (one === undefined || compareTimes(one.draft.asOf, mark) > 0) others.set(root, stands);
    else if (hasLosses(parts, one, reports)) others.set(root, stands);
    else drafted.set(root, one);
  }
  const judgedAt = isoTime(parts.now());
  // A failed write may have settled some of them: a later loss has to reach these too.
  for (const { draft } of drafted.values()) losses.judged(draft.voices);
  const settled = await settleDrafts(parts.store.ledger, [...drafted.values()], judgedAt);
  for (const root of drafted.keys()) open.note(root, null);
  return { settled, others };
}

function hasLosses(
  parts: JudgeParts,
  { draft }: DraftedRoot,
  reports: readonly TurnEvent[],
): boolean {
  const { voices, extent } = draft;
  const { losses, quarantined_roots: roots } = knownLosses(parts, voices, reports);
  if (roots.length > 0) return true;
  return extent !== undefined && losses.some((loss) => overlapsLoss(extent, loss));
}
