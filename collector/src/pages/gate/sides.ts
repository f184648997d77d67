/** @module Sides: the newest turns of one side of a gate, with their events judged by contracts. */
import { turnKey } from "@turnproof/evidence";
import { paced } from "@turnproof/store";

import type { Reading } from "../../access/grants.ts";
import type { TypedIdentity } from "../../access/typed-identity.ts";
import type { PriceList } from "../../cost/price-list.ts";
import { settledSideTurns } from "../../judge/gate-turns.ts";
import type { SideTurn } from "../../judge/gate-turns.ts";
import { producerReports } from "../../judge/losses.ts";
import { metadataOf } from "../../judge/verdict.ts";
import type { Parts } from "../../parts.ts";
import { knownNames } from "../../turns/free-text.ts";
import { turnQuestion } from "../../turns/turn-conditions.ts";
import { collectRoot, collectRoots } from "../../turns/window.ts";

/** How a side is read. */
export interface SideReading {
  readonly reading: Reading;
  readonly typed: TypedIdentity;
  readonly prices: PriceList;
  readonly turnsMax: number;
}

/**
 * The newest turns under these terms; `more` where further ones match.
 *
 * @throws CodedError `parameter_invalid` for a word that is not understood
 */
export async function readSide(
  parts: Parts,
  terms: string,
  { reading, typed, prices, turnsMax }: SideReading,
): Promise<{ readonly turns: readonly SideTurn[]; readonly more: boolean }> {
  const { ledger } = parts.store;
  const names = await knownNames(ledger, reading.scope, terms);
  const question = turnQuestion(reading, { q: terms }, { typed, names });
  const order = { by: "ended_at" } as const;
  const { records, next } = await ledger.listTurns(question, {
    order,
    limit: turnsMax,
  });
  const set = parts.contracts?.set ?? { contracts: [], goldens: [] };
  const byRoot = Map.groupBy(records, ({ row }) => row.root_trace_id ?? "");
  const roots = [...byRoot.keys()].filter((root) => root !== "");
  const unfiltered: Reading = { ...reading, query: { store: "all" } };
  const windows = await collectRoots(parts, unfiltered, roots);
  // Read once: they are the same for every root.
  const reports = await producerReports(parts);
  const pass = paced();
  const turns: SideTurn[] = [];
  for (const root of roots) {
    await pass();
    const window = windows.get(root) ?? (await collectRoot(parts, unfiltered, root));
    const wanted = new Set((byRoot.get(root) ?? []).map(({ row }) => turnKey(row)));
    const metadata = await metadataOf(parts, window, reports);
    turns.push(...settledSideTurns({ events: window.events, metadata }, wanted, set, prices));
  }
  return { turns, more: next !== null };
}
