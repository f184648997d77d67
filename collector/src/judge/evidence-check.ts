/**
 * @module EvidenceCheck: compares each turn of the ledger with the evidence that it rests on. A
 * turn holds how many rows of its root were stored when it was judged; fewer without a deletion
 * mean that evidence is gone, such as by a lost part or a folder that was removed.
 */
import { setTimeout as sleep } from "node:timers/promises";

import type { EvidenceStore, HeldTurn, ShortRoots } from "@turnproof/store";

import { collectorScope } from "../access/grants.ts";
import type { MissingEvidence } from "../receive/ingest.ts";
import { provenOn, withdrawProof } from "./withdrawn-proof.ts";

/** How the comparison is paced; times in milliseconds. */
interface CheckOptions {
  readonly signal: AbortSignal;
  /** Least pause between two pages. */
  readonly pauseMs?: number;
  /**
   * True where the ledger may be written: a success that rests on a gap becomes `partial`, and a
   * contract that holds not established.
   */
  readonly withdraw?: boolean;
  /** After how long a root is looked at again before it is reported; default 2 s. */
  readonly againMs?: number;
}

/** Most roots that are named; those beyond are counted. */
const namedMax = 10_000;

/** The part of a store that turns are compared with. */
export type Ledgered = Pick<EvidenceStore, "ledger" | "standing" | "shortRoots">;

/** What a comparison of all turns found. */
export interface ComparedEvidence extends Pick<MissingEvidence, "roots"> {
  readonly turns: number;
  readonly roots_missing: number;
  readonly rows_missing: number;
}

/**
 * Compares all turns; `unproven` of those whose evidence is gone are still recorded as a success,
 * or as one that holds by a contract.
 *
 * @throws CodedError of the store, and the signal's reason
 */
export async function compareEvidence(
  store: Ledgered,
  { signal, pauseMs = 20, againMs = 2_000, withdraw = false }: CheckOptions,
): Promise<ComparedEvidence & { readonly unproven: number }> {
  const missing = new Map<string, number>();
  let turns = 0;
  let unproven = 0;
  let after: string | null = null;
  do {
    const began = performance.now();
    const page: ShortRoots = await store.shortRoots(collectorScope(), after, signal);
    turns += page.turns;
    const suspected = await store.ledger.turnsOf(page.roots);
    if ((await gapsOf(store, suspected)).size > 0) {
      // Rows and turns are not read in one moment: what is being deleted is not gone.
      await sleep(againMs, undefined, { signal });
      const still = await stillThere(store, suspected);
      const gaps = await gapsOf(store, still);
      for (const [root, rows] of gaps) missing.set(root, Math.max(rows, missing.get(root) ?? 0));
      for await (const resting of provenOn(store, still, new Set(gaps.keys()))) {
        if (withdraw) await withdrawProof(store, resting);
        else unproven += resting.length;
      }
    }
    after = page.next;
    // At most half of the time is spent on it.
    const pause = Math.max(pauseMs, performance.now() - began);
    if (after !== null) await sleep(pause, undefined, { signal });
  } while (after !== null);
  return {
    turns,
    unproven,
    roots_missing: missing.size,
    rows_missing: [...missing.values()].reduce((sum, rows) => sum + rows, 0),
    roots: [...missing.keys()].slice(0, namedMax),
  };
}

/** Those of the turns that the ledger still has, resting on as many rows. */
async function stillThere(
  store: Ledgered,
  turns: readonly HeldTurn[],
): Promise<readonly HeldTurn[]> {
  const roots = new Set(turns.map(({ root_trace_id: root }) => root));
  const held = await store.ledger.turnsOf([...roots]);
  const still = new Set(held.map(({ key, version }) => `${key} ${version.rows}`));
  return turns.filter(({ key, version }) => still.has(`${key} ${version.rows}`));
}

/** Missing rows of the roots of these turns; roots without a gap are not in it. */
async function gapsOf(
  store: Ledgered,
  turns: readonly HeldTurn[],
): Promise<ReadonlyMap<string, number>> {
  const gaps = new Map<string, number>();
  const roots = new Set(turns.map(({ root_trace_id: root }) => root));
  if (roots.size === 0) return gaps;
  const standing = await store.standing([...roots]);
  for (const { root_trace_id: root, version } of turns) {
    const stands = standing.get(root) ?? { rows: 0, epoch: 0 };
    // A deletion raises the epoch before rows go, and the turn is written anew after it.
    if (stands.epoch > version.epoch || stands.rows >= version.rows) continue;
    gaps.set(root, Math.max(gaps.get(root) ?? 0, version.rows - stands.rows));
  }
  return gaps;
}
