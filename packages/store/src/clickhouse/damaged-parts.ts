/**
 * @module DamagedParts: parts of the tables whose files do not match their checksums. As it
 * starts, the engine sets aside parts that it cannot load, but it reads no content for that. So
 * each part is checked, and one that fails is set aside before a page meets it.
 */
import { setTimeout as sleep } from "node:timers/promises";

import { CodedError } from "@turnproof/semconv";

import type { EvidenceStore, TablePart, HeldEvents } from "../evidence-store.ts";
import { openEngine } from "./connection.ts";
import type { Engine } from "./engine.ts";
import { heldIn, standingOf } from "./root-counts.ts";
import { requireKnown } from "./migration.ts";
import { shortRoots } from "./short-roots.ts";
import { clickhouseTurns } from "./turn-ledger.ts";

/** Sets aside the parts that fail, and answers with all that are set aside. */
export async function setAside(
  engine: Engine,
  signal?: AbortSignal,
): Promise<readonly TablePart[]> {
  for await (const { table, part } of failing(engine, signal)) {
    await engine.command(`ALTER TABLE ${table} DETACH PART '${part}'`);
  }
  return partsIn(engine, "system.detached_parts WHERE ", signal);
}

/** What compares turns with the events that they rest on. */
export type Comparable = Pick<EvidenceStore, "ledger" | "standing" | "shortRoots">;

/** A part that is not whole; `isAside` where the engine does not serve it any more. */
export interface FailedPart extends TablePart {
  readonly isAside: boolean;
}

/** What was found in the directory of an embedded engine. */
export interface PartsLook<T> {
  readonly damaged: readonly FailedPart[];
  /** Undefined where the damaged parts cannot be read. */
  readonly read: { readonly held: HeldEvents; readonly compared: T } | undefined;
}

/**
 * What the embedded engine of a directory holds, which parts fail, which are set aside, and what
 * `compare` returns for it. Makes and changes no table; the engine itself sets aside what it cannot
 * load.
 * @throws CodedError `store_locked` while another process uses the directory
 */
export async function lookAtParts<T>(
  dataDir: string,
  compare: (store: Comparable) => Promise<T>,
): Promise<PartsLook<T>> {
  const engine = await openEngine({ dataDir }, { mayChange: false });
  try {
    await requireKnown(engine);
    const aside = await partsIn(engine, "system.detached_parts WHERE ");
    const damaged = aside.map((part) => ({ ...part, isAside: true }));
    for await (const part of failing(engine)) damaged.push({ ...part, isAside: false });
    try {
      const compared = await compare({
        ledger: clickhouseTurns({ engine, cluster: undefined }),
        standing: (roots) => standingOf(engine, roots),
        shortRoots: (...requested) => shortRoots(engine, ...requested),
      });
      return { damaged, read: { held: await heldIn(engine), compared } };
    } catch (error) {
      // A part that a start would set aside is still read here.
      if (damaged.every(({ isAside }) => isAside)) throw error;
      return { damaged, read: undefined };
    }
  } finally {
    await engine.close();
  }
}

/** Active parts that fail their check; at most half of the time is spent on it. */
async function* failing(engine: Engine, signal?: AbortSignal): AsyncGenerator<TablePart> {
  for (const each of await partsIn(engine, "system.parts WHERE active AND ", signal)) {
    const began = performance.now();
    // A part that was merged meanwhile is no part any more, which is not damage.
    const isDamaged =
      !(await isWhole(engine, each, signal)) && !(await isWhole(engine, each, signal));
    if (isDamaged) yield each;
    await sleep(performance.now() - began, undefined, { ...(signal && { signal }) });
  }
}

async function partsIn(
  engine: Engine,
  from: string,
  signal?: AbortSignal,
): Promise<readonly TablePart[]> {
  const answer = await engine.query(
    `SELECT table, name FROM ${from} database = currentDatabase() ORDER BY table, name`,
    {},
    signal,
  );
  const [tables = [], names = []] = ["table", "name"].map((name) => answer.columns.get(name));
  return Array.from(tables, (table, at) => ({ table: String(table), part: String(names[at]) }));
}

async function isWhole(engine: Engine, part: TablePart, signal?: AbortSignal): Promise<boolean> {
  try {
    const answer = await engine.query(
      `CHECK TABLE ${part.table} PART '${part.part}' SETTINGS check_query_single_value_result = 0`,
      {},
      signal,
    );
    return Number(answer.columns.get("is_passed")?.[0] ?? 1) !== 0;
  } catch (error) {
    if (CodedError.is(error)) return true;
    throw error;
  }
}
