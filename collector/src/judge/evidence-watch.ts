/**
 * @module EvidenceWatch: compares turns with their evidence while the collector runs: when the
 * store answers, when damage is met, and when a count for the account finds fewer events.
 */
import { setTimeout as sleep } from "node:timers/promises";

import { CodedError, codeOf } from "@turnproof/semconv";
import type { EvidenceStore, TablePart } from "@turnproof/store";

import { partPath } from "../backend/store-places.ts";
import { accountAside } from "./evidence-account.ts";
import type { AccountKeeper } from "./evidence-account.ts";
import type { Parts } from "../parts.ts";
import type { MissingEvidence, SetAsidePart } from "../receive/ingest.ts";
import { compareEvidence } from "./evidence-check.ts";
import type { Ledgered, ComparedEvidence } from "./evidence-check.ts";
import { withdrawDamaged } from "./withdrawn-proof.ts";

/** Parts that are named; those beyond are counted. */
const partsNamedMax = 10;

/** The part of a store that is watched. */
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

/** What a look rests on. */
interface LookOptions extends Omit<WatchOptions, "everyMs"> {
  /** What the look before found. */
  readonly last: MissingEvidence | undefined;
}

/** What a look found. */
interface Look<T> {
  readonly found: T;
  /** True where turns have to be compared again. */
  readonly isDue: boolean;
}

type Compare = () => Promise<Look<ComparedEvidence>>;

/**
 * Sets parts aside, counts and compares. What is counted is noted before every turn is compared,
 * which takes minutes in a large ledger. @throws CodedError of the store
 */
async function look(
  watched: Watched,
  store: CheckedStore,
  { withdraw, account, last }: LookOptions,
): Promise<Look<MissingEvidence>> {
  const { closing: signal, damage, ingest, log } = watched;
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
  const counts = {
    parts_set_aside: set.length,
    parts,
    events_missing: missing,
    account: account?.state() ?? null,
  };
  ingest.noteMissing({ ...(last ?? notCompared), ...counts });
  const { found, isDue } = await compared(watched, store, { withdraw, aside });
  // Rows that turns rest on are among the events of the account: a line states more than the last.
  if (found.rows_missing > Math.max(last?.rows_missing ?? 0, missing ?? 0)) {
    log.error("evidence_missing", { count: found.rows_missing });
  }
  const whole = { ...found, ...counts };
  ingest.noteMissing(whole);
  return { found: whole, isDue };
}

/** Before the first comparison is done. */
const notCompared = { turns: null, roots_missing: null, rows_missing: null, roots: [] } as const;

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

/** How counts are repeated. */
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

function setAsidePart({ table, part }: TablePart): SetAsidePart {
  return { table, path: partPath(table, part, true) };
}
