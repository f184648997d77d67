/**
 * @module DamageDesk: damage of the store that a read or a write met while the collector runs. It
 * is logged once, Health and the check of the store have it, and no turn of a damaged trace is a
 * success.
 */
import type { Log } from "../log.ts";
import { damageOf } from "./store-damage.ts";

/** What was met; counts and content-free words only. */
export interface DamageReport {
  /** The field of the store's error; null where no file or table is damaged. */
  readonly store: string | null;
  /** Traces with rows that cannot be decoded. */
  readonly traces: number;
}

/** Where damage is noted, in any thread. */
export interface Damage {
  /** A file or table is damaged; the field is that of the error `store_corrupt`. */
  noteStore(field: string): void;
  /** Rows of these traces cannot be decoded. */
  noteRoots(roots: readonly string[]): void;
  /** The damaged parts are set aside: the rest of the file or table is served; in the main thread. */
  endStore(): void;
  report(): DamageReport;
  /** Calls with traces that were not known before; in the main thread. */
  listen(listener: (roots: readonly string[]) => void): void;
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
  let store: { readonly field: string; readonly at: number } | undefined;
  return {
    noteStore(field) {
      store = { field, at: performance.now() };
      const code = "store_corrupt";
      const damage = damageOf({ code, field, isServer });
      if (damage === undefined || logged.has(field)) return;
      logged.add(field);
      const { path, table, command } = damage;
      log.error("store_damaged", { code, path, ...(table === null ? {} : { table }), command });
    },
    noteRoots(roots) {
      const found = roots.filter((root) => !known.has(root)).slice(0, rootsMax - known.size);
      if (found.length === 0) return;
      const damage = damageOf({ code: "store_corrupt", isServer });
      // A line for each trace of a large damage would hide the others.
      if (known.size === 0) {
        log.error("evidence_damaged", { count: found.length, command: damage?.command ?? "" });
      }
      for (const root of found) known.add(root);
      for (const listener of listeners) listener(found);
    },
    endStore: () => void (store = undefined),
    report() {
      const isPast = isServer && store !== undefined && performance.now() - store.at > serverMs;
      return { store: isPast ? null : (store?.field ?? null), traces: known.size };
    },
    roots: () => [...known],
    listen: (listener) => void listeners.push(listener),
  };
}
