/**
 * @module KnownDamage: which files and tables of the store are known to be damaged, from the fields
 * of its errors. Damage that turns may rest on is remembered over a restart.
 */
import { isoNow } from "@turnproof/semconv";

import type { Log } from "../log.ts";
import type { DamageFile } from "./damage-file.ts";
import { damageOf, touchesTurns } from "./store-damage.ts";
import type { StoreDamage } from "./store-damage.ts";

/** What is known of one damage. */
interface Met {
  readonly damage: StoreDamage;
  /** When it was last met, by the clock of the process. */
  readonly at: number;
  /** When it was first met, ISO 8601 UTC. */
  readonly since: string;
}

/** What the knowledge rests on. */
export interface KnownDamageOptions {
  /** True where the store is a server's. */
  readonly isServer: boolean;
  /** Where damage is remembered; absent for a store that ends with the process. */
  readonly file?: Pick<DamageFile, "earlier" | "keep"> | undefined;
}

/** What was read. */
export interface WholeLook {
  /** When it began, by the clock of the process. */
  readonly beganMs: number;
  /** True where damaged parts are set aside: the rest of the file or table is served. */
  readonly aside: boolean;
  /** True where everything that turns rest on was read, and no damage was met. */
  readonly whole: boolean;
}

/** Damage of one store. */
export interface KnownDamage {
  /** It was met. True where it is new and turns may rest on it. */
  note(field: string): boolean;
  /**
   * Forgets what a comparison proves gone. True where other damage is left that turns may rest on.
   */
  compared(of: WholeLook): boolean;
  /** As in a report of damage. */
  shown(): string | null;
  /** True while turns may rest on damage. */
  touchesTurns(): boolean;
  /** True while only a read of everything finds what is damaged. */
  isHidden(): boolean;
}

/** A server's tables can be repaired while the collector runs; a file that is open cannot. */
const serverMs = 60_000;

/** Opens it; what an earlier process knew is known. */
export function openKnownDamage(log: Log, { isServer, file }: KnownDamageOptions): KnownDamage {
  const logged = new Set<string>();
  /** Each damage by its field; the latest one last. */
  const met = new Map<string, Met>();
  const note = (field: string, since: string): boolean => {
    const code = "store_corrupt";
    const damage = damageOf({ code, field, isServer });
    if (damage === undefined) return false;
    const before = met.get(field);
    met.delete(field);
    met.set(field, { damage, at: performance.now(), since: before?.since ?? since });
    if (!logged.has(field)) {
      logged.add(field);
      const { path, table, command } = damage;
      log.error("store_damaged", { code, path, ...(table === null ? {} : { table }), command });
    }
    return before === undefined && touchesTurns(damage);
  };
  const touching = (): readonly (readonly [field: string, met: Met])[] =>
    [...met].filter(([, { damage }]) => touchesTurns(damage));
  const keep = (): void =>
    file?.keep(touching().map(([field, { since }]) => ({ field, met_at: since })));
  for (const { field, met_at: since } of file?.earlier ?? []) note(field, since);
  return {
    note(field) {
      const isNew = note(field, isoNow());
      if (isNew) keep();
      return isNew;
    },
    compared({ beganMs, aside, whole }) {
      const ended = [...met].filter(([, { damage, at }]) => {
        // The comparison reads each table of evidence, but no row as a whole.
        const isRead = touchesTurns(damage) && (whole || damage.table !== null);
        return (aside || isRead) && at < beganMs;
      });
      for (const [field] of ended) {
        met.delete(field);
        // The next one has a line of its own.
        logged.delete(field);
      }
      if (ended.length > 0) {
        log.info("store_damage_ended", { count: ended.length });
        keep();
      }
      return touching().length > 0;
    },
    shown() {
      const [field, last] = [...met].at(-1) ?? [null];
      const isPast = isServer && last !== undefined && performance.now() - last.at > serverMs;
      return isPast ? null : field;
    },
    touchesTurns: () => touching().length > 0,
    isHidden: () => touching().some(([, { damage }]) => damage.table === null),
  };
}
