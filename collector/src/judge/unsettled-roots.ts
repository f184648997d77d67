/**
 * @module JudgeToDo: roots with unsettled turns in the ledger. Each writer of evidence writes
 * provisional turns, so these were stored by other processes and not judged yet.
 */
import type { TurnCondition } from "@turnproof/store";
import { groupBy } from "@turnproof/semconv";

import { collectorScope } from "../access/grants.ts";
import { unendedCodes } from "./judge-codes.ts";
import type { JudgeParts } from "../parts.ts";

const pageTurns = 1_000;

/** Roots with unjudged turns received by then, in batches. */
export function unjudgedRoots(parts: JudgeParts, quiet: string): AsyncIterable<readonly string[]> {
  return rootsOf(parts, [
    { text: "verdict", is: "unjudged" },
    { time: "received_at", to: quiet },
  ]);
}

/** Roots with turns that had not ended when they were judged, received since. */
export function unendedRoots(parts: JudgeParts, since: string): AsyncIterable<readonly string[]> {
  const any = [...unendedCodes].map((code): TurnCondition => ({ list: "code", has: code }));
  return rootsOf(parts, [{ any }, { time: "received_at", from: since }]);
}

async function* rootsOf(
  { store }: JudgeParts,
  where: readonly TurnCondition[],
): AsyncIterable<readonly string[]> {
  const query = { scope: collectorScope(), where };
  const order = { by: "first_received", ascending: true } as const;
  let after = {};
  for (;;) {
    const page = await store.ledger.listTurns(query, { order, limit: pageTurns, ...after });
    const roots = page.records.flatMap(({ row }) => row.root_trace_id ?? []);
    if (roots.length > 0) yield [...new Set(roots)];
    if (page.next === null) return;
    after = { after: page.next };
  }
}

/** Those of the roots whose turns are older than the stored rows. */
export async function unsettledRoots(
  parts: JudgeParts,
  roots: readonly string[],
): Promise<readonly string[]> {
  const unsettled: string[] = [];
  for (let from = 0; from < roots.length; from += rootsPerStatement) {
    const some = roots.slice(from, from + rootsPerStatement);
    unsettled.push(...(await unsettledOf(parts, some)));
  }
  return unsettled;
}

const rootsPerStatement = 500;

async function unsettledOf(
  parts: JudgeParts,
  roots: readonly string[],
): Promise<readonly string[]> {
  const standing = await parts.store.standing(roots);
  const held = groupBy(await parts.store.ledger.turnsOf(roots), (turn) => turn.root_trace_id);
  return roots.filter((root) => {
    const { rows, epoch } = standing.get(root) ?? { rows: 0, epoch: 0 };
    const turns = held.get(root) ?? [];
    return (
      turns.length === 0 ||
      turns.some(({ version: of }) => !of.settled || of.rows !== rows || of.epoch !== epoch)
    );
  });
}
