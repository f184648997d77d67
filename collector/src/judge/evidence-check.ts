/**
 * @module EvidenceCheck: compares each turn of the ledger with the evidence that it rests on. A
 * turn holds how many rows of its root were stored when it was judged; fewer without a deletion
 * mean that evidence is gone, such as by a lost part or a folder that was removed.
 */
import { setTimeout as sleep } from "node:timers/promises";

import { CodedError, codeOf } from "@turnproof/semconv";
import type { EvidenceStore, HeldTurn, ShortRoots, TablePart, TurnRecord } from "@turnproof/store";

import { collectorScope } from "../access/grants.ts";
import { partPath } from "../backend/store-places.ts";
import { hasHolds, shownNames } from "../backend/unproven-contracts.ts";
import { accountAside } from "./evidence-account.ts";
import type { AccountKeeper } from "./evidence-account.ts";
import type { Parts } from "../parts.ts";
import type { MissingEvidence, SetAsidePart } from "../receive/ingest.ts";

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

/** Most turns of one root whose verdict is withdrawn. */
const turnsOfRootMax = 10_000;
/** Parts that are named; those beyond are counted. */
const partsNamedMax = 10;
/** Most roots that are named; those beyond are counted. */
const namedMax = 10_000;

type Ledgered = Pick<EvidenceStore, "ledger" | "standing" | "shortRoots">;
type CheckedStore = Ledgered & Pick<EvidenceStore, "readAll" | "setAside">;

/** Least and most wait before a store that does not answer is compared again; it doubles. */
const compareAgainMs = [1_000, 30_000] as const;
/** Least time between two counts for the account; a count takes a hundredth of the time at most. */
const countEveryMs = 60_000;

/** Parts of the collector, and where what is missing is noted. */
interface Watched extends Pick<Parts, "closing" | "damage" | "log"> {
  readonly ingest: Pick<Parts["ingest"], "noteMissing">;
}

/** What the comparison rests on. */
interface WatchOptions {
  /** As in the options of the comparison. */
  readonly withdraw: boolean;
  /** The account of the data directory; undefined for a server's store. */
  readonly account: AccountKeeper | undefined;
  /** Least time between two counts, milliseconds; a minute by default. */
  readonly everyMs?: number;
}

/**
 * Sets damaged parts aside, compares when the store answers and again when damage of the store is
 * met, and counts for the account until the collector closes.
 */
export async function watchEvidence(
  watched: Watched,
  store: CheckedStore,
  { withdraw, account, everyMs = countEveryMs }: WatchOptions,
): Promise<void> {
  const { closing: signal, damage, ingest, log } = watched;
  if (account?.state() === "damaged")
    log.error("evidence_account_unusable", { file: accountAside });
  let met = new AbortController();
  damage.listenStore(() => met.abort());
  let last: MissingEvidence | undefined;
  const [leastMs, mostMs] = compareAgainMs;
  let waitMs: number = leastMs;
  while (!signal.aborted) {
    met = new AbortController();
    try {
      const { found, isDue } = await look(watched, store, { withdraw, account, last });
      last = found;
      waitMs = leastMs;
      ingest.noteMissing(found);
      const compare: Compare = () => compared(watched, store, { withdraw, aside: false });
      const next = AbortSignal.any([signal, met.signal]);
      const counted = { signal: next, damage, ingest, log, everyMs, isDue };
      last = await keepCounting(account, compare, counted, found);
    } catch (error) {
      if (signal.aborted) return;
      const code = codeOf(error);
      const isDamaged = code === "store_corrupt";
      if (!isDamaged) log.warn("evidence_not_compared", { code });
      // A damaged store, which the desk of damage has, may be restored while the collector runs.
      if (!isDamaged && (!CodedError.is(error) || error.retryable !== true)) return;
      // The wait ends when the collector closes.
      await sleep(waitMs, undefined, { signal, ref: false }).catch(() => {});
      waitMs = Math.min(waitMs * 2, mostMs);
    }
  }
}

interface LookOptions extends Omit<WatchOptions, "everyMs"> {
  /** What the look before found. */
  readonly last: MissingEvidence | undefined;
}

interface Look<T> {
  readonly found: T;
  /** True where turns have to be compared again. */
  readonly isDue: boolean;
}

type Compare = () => Promise<Look<ComparedEvidence>>;

/** Sets parts aside, counts and compares. @throws CodedError of the store */
async function look(
  watched: Watched,
  store: CheckedStore,
  { withdraw, account, last }: LookOptions,
): Promise<Look<MissingEvidence>> {
  const { closing: signal, damage, log } = watched;
  const set = withdraw ? ((await store.setAside?.(signal)) ?? []) : [];
  const parts = set.slice(0, partsNamedMax).map(setAsidePart);
  const aside = set.length > (last?.parts_set_aside ?? 0);
  if (aside) {
    const named = parts.map(({ path }) => path).join(", ");
    log.error("parts_set_aside", { count: set.length, parts: named, command: "turnproof restore" });
  }
  const missing = (await account?.count(signal)) ?? null;
  if (missing !== null && missing > (last?.events_missing ?? 0)) {
    damage.noteGone();
    log.error("evidence_missing", { count: missing });
  }
  const { found, isDue } = await compared(watched, store, { withdraw, aside });
  // Rows that turns rest on are among the events of the account: a line states more than the last.
  if (found.rows_missing > Math.max(last?.rows_missing ?? 0, missing ?? 0)) {
    log.error("evidence_missing", { count: found.rows_missing });
  }
  const counts = { parts_set_aside: set.length, parts, events_missing: missing };
  return { found: { ...found, ...counts, account: account?.state() ?? null }, isDue };
}

/** Compares all turns, reads everything where damage is hidden, and notes that it is done. */
async function compared(
  watched: Watched,
  store: CheckedStore,
  { withdraw, aside }: { readonly withdraw: boolean; readonly aside: boolean },
): Promise<Look<ComparedEvidence>> {
  const { closing: signal, damage } = watched;
  const beganMs = performance.now();
  const { unproven, ...found } = await compareEvidence(store, { signal, withdraw });
  const whole = !aside && damage.isHidden() && (await isWhole(watched, store, withdraw));
  return { found, isDue: damage.compared({ beganMs, aside, whole, withdrawn: unproven === 0 }) };
}

/** Whether everything can be read. */
async function isWhole(
  { closing: signal, log }: Watched,
  store: CheckedStore,
  withdraw: boolean,
): Promise<boolean> {
  try {
    const read = await store.readAll?.(signal);
    // Before a success is answered again.
    if (withdraw && read !== undefined) await withdrawDamaged(store, read.damagedRoots);
    return read !== undefined;
  } catch (error) {
    if (signal.aborted) throw error;
    const code = codeOf(error);
    // The store notes damage that a read meets.
    if (code !== "store_corrupt") log.warn("evidence_not_read", { code });
    return false;
  }
}

interface RepeatedCount extends Omit<Watched, "closing"> {
  readonly signal: AbortSignal;
  readonly everyMs: number;
  readonly isDue: boolean;
}

/**
 * Counts again and again, until the signal aborts. More events that are gone are compared with the
 * turns that rest on them.
 */
async function keepCounting(
  account: AccountKeeper | undefined,
  compare: Compare,
  { signal, damage, ingest, log, everyMs, ...before }: RepeatedCount,
  found: MissingEvidence,
): Promise<MissingEvidence> {
  let last = found;
  let { isDue } = before;
  let tookMs = 0;
  while (!signal.aborted) {
    const pause = Math.max(everyMs, tookMs * 100);
    // The wait ends when the collector closes, or damage is met.
    await sleep(pause, undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) break;
    const began = performance.now();
    try {
      const missing = (await account?.count(signal)) ?? null;
      const isMore = (missing ?? 0) > (last.events_missing ?? 0);
      if (isMore) {
        damage.noteGone();
        log.error("evidence_missing", { count: missing ?? 0 });
      }
      isDue ||= isMore;
      if (missing !== last.events_missing) {
        last = { ...last, events_missing: missing };
        ingest.noteMissing(last);
      }
      // A comparison that the store ends is made again after the next count.
      if (isDue) {
        const again = await compare();
        last = { ...last, ...again.found };
        ingest.noteMissing(last);
        ({ isDue } = again);
      }
    } catch (error) {
      // A store that is away, or a disk that is full, is counted later.
      const code = codeOf(error);
      if (!signal.aborted) log.warn("evidence_not_counted", { code });
    }
    tookMs = performance.now() - began;
  }
  return last;
}

/** What a comparison of all turns found. */
export type ComparedEvidence = Omit<
  MissingEvidence,
  "events_missing" | "parts_set_aside" | "parts" | "account"
>;

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

/**
 * Success that rests on rows which cannot be decoded becomes `partial`, and a contract that holds
 * not established.
 */
export async function withdrawDamaged(
  store: Pick<EvidenceStore, "ledger">,
  roots: readonly string[],
): Promise<void> {
  const turns = await store.ledger.turnsOf(roots);
  for await (const resting of provenOn(store, turns, new Set(roots))) {
    await withdrawProof(store, resting);
  }
}

/** Those of these turns that are a success or hold by a contract, root by root. */
async function* provenOn(
  store: Pick<EvidenceStore, "ledger">,
  turns: readonly HeldTurn[],
  roots: ReadonlySet<string>,
): AsyncGenerator<readonly TurnRecord[]> {
  const versions = new Map(turns.map(({ key, version }) => [key, version.rows]));
  for (const root of roots) {
    const { records } = await store.ledger.listTurns(
      { scope: collectorScope(), where: [{ text: "root_trace_id", is: root }] },
      { order: { by: "first_received" }, limit: turnsOfRootMax },
    );
    const resting = records.filter(
      (record) =>
        versions.get(record.key) === record.version.rows &&
        (record.row.verdict === "success" || hasHolds(record)),
    );
    if (resting.length > 0) yield resting;
  }
}

/**
 * The judge cannot judge these turns again: a version that rests on fewer rows never replaces one
 * that rests on more. So the same version is written with another verdict.
 */
async function withdrawProof(
  { ledger }: Pick<EvidenceStore, "ledger">,
  resting: readonly TurnRecord[],
): Promise<void> {
  await ledger.putTurns(
    resting.map((record) => {
      const { row } = record;
      const verdict = row.verdict === "success" ? "partial" : row.verdict;
      return { ...record, row: { ...row, verdict }, names: shownNames(record) };
    }),
  );
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

function setAsidePart({ table, part }: TablePart): SetAsidePart {
  return { table, path: partPath(table, part, true) };
}
