/**
 * @module Judge of the collector with and without twenty contracts in its folder, over the same
 * turns. Passes with and without them alternate; the figures are the medians of five after a warm
 * one, in milliseconds of process CPU.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { TurnEvent } from "@turnproof/evidence";
import { groupBy } from "@turnproof/semconv";

import { draftJudge } from "../../../collector/src/judge/judge-drafts.ts";
import { openLoadedContracts } from "../../../collector/src/judge/loaded-contracts.ts";
import { contracts } from "./twenty.ts";

const receivedAt = "2026-11-25T12:00:00.000000Z";
type Judge = ReturnType<typeof draftJudge>;

/** What the contracts add. */
export interface JudgeCost {
  readonly plainMs: number;
  readonly contractsMs: number;
  /** Results of contracts in one pass. */
  readonly results: number;
}

/** Judges the turns of these events with and without the contracts. */
export async function judgeCost(events: readonly TurnEvent[]): Promise<JudgeCost> {
  const received = events.map((event): TurnEvent => ({ ...event, received_at: receivedAt }));
  const byTurn = groupBy(received, (event) => JSON.stringify([event.root_trace_id, event.turn_id]));
  const turns = [...byTurn.values()];
  const folder = mkdtempSync(join(tmpdir(), "turnproof-twenty-"));
  writeFileSync(join(folder, "twenty.json"), JSON.stringify({ version: 1, contracts }));
  const standing = await openLoadedContracts({ contracts: folder });
  const [plain, judged] = [draftJudge({}), draftJudge({}, standing)];
  const both = Array.from({ length: 6 }, () => [pass(plain, turns), pass(judged, turns)] as const);
  standing?.close();
  rmSync(folder, { recursive: true });
  const median = (at: 0 | 1): number =>
    both
      .slice(1)
      .map((one) => one[at].ms)
      .toSorted((a, b) => a - b)[2] ?? 0;
  // Each result has a name with the contract's version and one without.
  return {
    plainMs: median(0),
    contractsMs: median(1),
    results: (both[0]?.[1].results ?? 0) / 2,
  };
}

/** CPU of a pass over all turns, and the names of results in it. */
function pass(
  judge: Judge,
  turns: readonly (readonly TurnEvent[])[],
): { readonly ms: number; readonly results: number } {
  const before = process.cpuUsage();
  let results = 0;
  for (const own of turns) {
    const judgement = judge({ root: "", events: own, rows: 1, epoch: 0 })?.({} as never, own);
    if (judgement === undefined) throw new Error("a turn is not judged");
    results += judgement.contracts?.length ?? 0;
  }
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1_000, results };
}
