/**
 * @module DamageDesk: damage of the store that a read or a write met while the collector runs. It
 * is logged once, Health and the check of the store have it, and no turn of a damaged trace is a
 * success.
 */
import type { Log } from "../log.ts";
import { damageOf, touchesTurns } from "./store-damage.ts";
import type { StoreDamage } from "./store-damage.ts";

/** What was met; counts and content-free words only. */
export interface DamageReport {
  /** The field of the store's error; null where no file or table is damaged. */
  readonly store: string | null;
  /** Traces with rows that cannot be decoded. */
  readonly traces: number;
  /**
   * False while evidence is damaged or gone and it is not known which turns rest on it: then no
   * answer states a success. A damaged file stays so until the next start.
   */
  readonly located: boolean;
}

/** Where damage is noted, in any thread. */
export interface Damage {
  /** A file or table is damaged; the field is that of the error `store_corrupt`. */
  noteStore(field: string): void;
  /** Rows of these traces cannot be decoded. */
  noteRoots(roots: readonly string[]): void;
  /** Evidence is gone, and turns are not compared with what is left; in the main thread. */
  noteGone(): void;
  /**
   * Turns were compared with all that is left; in the main thread. True where they have to be
   * compared again: a success was not withdrawn, or a table was missing meanwhile.
   */
  compared(of: Comparison): boolean;
  report(): DamageReport;
  /** Calls with traces that were not known before; in the main thread. */
  listen(listener: (roots: readonly string[]) => void): void;
  /** Calls when turns may rest on newly known damage of the store; in the main thread. */
  listenStore(listener: () => void): void;
}

/** A comparison of turns with the evidence that is left. */
export interface Comparison {
  /** When it began, by the clock of the process. */
  readonly beganMs: number;
  /** True where damaged parts are set aside: the rest of the file or table is served. */
  readonly aside: boolean;
  /** False where turns are still recorded as a success whose evidence is gone. */
  readonly withdrawn: boolean;
}

/** The same in the main thread. */
export interface DamageDesk extends Damage {
  /** Traces with damaged rows, of all tenants: never shown. */
  roots(): readonly string[];
}

/** Most traces that are kept. */
const rootsMax = 10_000;
/** A server's tables can be repaired while the collector runs; a file that is open cannot. */
const serverMs = 60_000;

/** Opens it. @param isServer true where the store is a server's */
export function openDamageDesk(log: Log, isServer: boolean): DamageDesk {
  const known = new Set<string>();
  const logged = new Set<string>();
  const listeners: ((roots: readonly string[]) => void)[] = [];
  const storeListeners: (() => void)[] = [];
  /** When each damage of the store was last met, by its field; the latest one last. */
  const met = new Map<string, { readonly damage: StoreDamage; readonly at: number }>();
  let isGone = false;
  return {
    noteStore(field) {
      const isNew = !met.delete(field);
      const code = "store_corrupt";
      const damage = damageOf({ code, field, isServer });
      if (damage === undefined) return;
      met.set(field, { damage, at: performance.now() });
      if (isNew && touchesTurns(damage)) for (const listener of storeListeners) listener();
      if (logged.has(field)) return;
      logged.add(field);
      const { path, table, command } = damage;
      log.error("store_damaged", { code, path, ...(table === null ? {} : { table }), command });
    },
    noteRoots(roots) {
      const found = roots.filter((root) => !known.has(root));
      if (found.length === 0) return;
      const damage = damageOf({ code: "store_corrupt", isServer });
      // A line for each trace of a large damage would hide the others.
      if (known.size === 0) {
        log.error("evidence_damaged", { count: found.length, command: damage?.command ?? "" });
      }
      // Those beyond are withdrawn each time a read meets them.
      for (const root of found.slice(0, rootsMax - known.size)) known.add(root);
      for (const listener of listeners) listener(found);
    },
    noteGone: () => void (isGone = true),
    compared({ beganMs, aside, withdrawn }) {
      isGone = !withdrawn;
      let isDue = isGone;
      for (const [field, { damage, at }] of met) {
        // The comparison reads each table of evidence, but no row as a whole.
        const isRead = damage.table !== null && touchesTurns(damage);
        if ((aside || isRead) && at < beganMs) met.delete(field);
        else isDue ||= isRead;
      }
      return isDue;
    },
    report() {
      const [field, last] = [...met].at(-1) ?? [null];
      const isPast = isServer && last !== undefined && performance.now() - last.at > serverMs;
      const located = !isGone && ![...met.values()].some(({ damage }) => touchesTurns(damage));
      return { store: isPast ? null : field, traces: known.size, located };
    },
    roots: () => [...known],
    listen: (listener) => void listeners.push(listener),
    listenStore: (listener) => void storeListeners.push(listener),
  };
}
