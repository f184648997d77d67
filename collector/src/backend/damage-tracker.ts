/**
 * @module DamageTracker: damage of the store that a read or a write met. It is logged once, Health
 * and the check of the store have it, and no turn of a damaged trace is a success.
 */
import type { Log } from "../log.ts";
import { openKnownDamage } from "./known-damage.ts";
import type { KnownDamageOptions, WholeLook } from "./known-damage.ts";
import { damageOf } from "./store-damage.ts";

/** What was met; counts and content-free words only. */
export interface DamageReport {
  /** The field of the store's error; null where no file or table is damaged. */
  readonly store: string | null;
  /** Traces with rows that cannot be decoded. */
  readonly traces: number;
  /**
   * False while evidence is damaged or gone and it is not known which turns rest on it, or those of
   * them that are recorded as a success stay so: then no answer states a success.
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
   * compared again: a success was not withdrawn, or the store was damaged meanwhile.
   */
  compared(of: Comparison): boolean;
  /** True while only a read of everything finds what is damaged; in the main thread. */
  isHidden(): boolean;
  report(): DamageReport;
  /** Calls with traces that were not known before; in the main thread. */
  listen(listener: (roots: readonly string[]) => void): void;
  /** Calls when turns may rest on newly known damage of the store; in the main thread. */
  listenStore(listener: () => void): void;
}

/** A comparison of turns with the evidence that is left. */
export interface Comparison extends WholeLook {
  /** False where turns are still recorded as a success whose evidence is gone. */
  readonly withdrawn: boolean;
}

/** The same in the main thread. */
export interface DamageTracker extends Damage {
  /** Traces with damaged rows, of all tenants. */
  roots(): readonly string[];
}

/** Most traces that are kept. */
const rootsMax = 10_000;

/** What it rests on. */
export interface DamageTrackerOptions extends KnownDamageOptions {
  /** False where nothing is judged: a success that rests on damage stays recorded. */
  readonly withdraws: boolean;
}

/** Opens it; what an earlier process knew is known. */
export function openDamageDesk(log: Log, options: DamageTrackerOptions): DamageTracker {
  const known = new Set<string>();
  const listeners: ((roots: readonly string[]) => void)[] = [];
  const storeListeners: (() => void)[] = [];
  const store = openKnownDamage(log, options);
  let isGone = false;
  return {
    noteStore(field) {
      if (store.note(field)) for (const listener of storeListeners) listener();
    },
    noteRoots(roots) {
      const found = roots.filter((root) => !known.has(root));
      if (found.length === 0) return;
      const damage = damageOf({ code: "store_corrupt", isServer: options.isServer });
      // A line for each trace of a large damage would hide the others.
      if (known.size === 0) {
        log.error("evidence_damaged", { count: found.length, command: damage?.command ?? "" });
      }
      // Those beyond are withdrawn each time a read meets them.
      for (const root of found.slice(0, rootsMax - known.size)) known.add(root);
      for (const listener of listeners) listener(found);
    },
    noteGone: () => void (isGone = true),
    compared({ withdrawn, ...comparison }) {
      isGone = !withdrawn;
      return store.compared(comparison) || isGone;
    },
    isHidden: () => store.isHidden(),
    report: () => ({
      store: store.shown(),
      traces: known.size,
      located: !isGone && !store.touchesTurns() && (options.withdraws || known.size === 0),
    }),
    roots: () => [...known],
    listen: (listener) => void listeners.push(listener),
    listenStore: (listener) => void storeListeners.push(listener),
  };
}
