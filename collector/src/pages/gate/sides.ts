/** @module Sides: the newest turns of one side of a gate, with their events judged by contracts. */
import type { Reading } from "../../access/grants.ts";
import type { TypedIdentity } from "../../access/typed-identity.ts";
import type { PriceList } from "../../cost/price-list.ts";
import { settledSideTurns } from "../../judge/gate-turns.ts";
import type { SideTurn } from "../../judge/gate-turns.ts";
import { producerReports } from "../../judge/losses.ts";
import { metadataOf } from "../../judge/verdict.ts";
import type { Parts } from "../../parts.ts";
import { knownNames } from "../../turns/free-text.ts";
import { rootWindows } from "../../turns/root-windows.ts";
import { turnQueryOf } from "../../turns/turn-conditions.ts";
import { collectRoot } from "../../turns/window.ts";

/** Most turns of a side, because the events of each are read. */
export const turnsMax = 200;

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
  const query = turnQueryOf(reading, { q: terms }, { typed, names });
  const order = { by: "ended_at" } as const;
  const { records, next } = await ledger.listTurns(query, {
    order,
    limit: turnsMax,
  });
  const set = parts.contracts?.set ?? { contracts: [], goldens: [] };
  // Read once: they are the same for every root.
  const reports = await producerReports(parts);
  const turns: SideTurn[] = [];
  for await (const one of rootWindows(parts, reading, records)) {
    const { root, settled, wanted } = one;
    const window = one.window ?? (await collectRoot(parts, reading, root, { settled }));
    const metadata = await metadataOf(parts, window, reports);
    turns.push(...settledSideTurns({ events: window.events, metadata }, wanted, set, prices));
  }
  return { turns, more: next !== null };
}
