/**
 * @module WatchedStore: a store whose reads and writes note the damage that they meet. Its check
 * fails while a file or a table is known to be damaged: the query of a check reads few pages.
 */
import { CodedError } from "@turnproof/semconv";
import type { EventSlice, EvidenceStore } from "@turnproof/store";

import { boundStore } from "./bound-store.ts";
import type { Damage } from "./damage-tracker.ts";

/** The store; what its calls meet is noted. */
export function watchedStore(store: EvidenceStore, damage: Damage): EvidenceStore {
  const bound = boundStore(store);
  return {
    ...noting(bound, damage),
    ledger: noting(store.ledger, damage),
    operatorRows: noting(store.operatorRows, damage),
    async check() {
      const checked = await bound.check();
      const { store: field } = damage.report();
      if (!checked.ok || field === null) return checked;
      return { ok: false, code: "store_corrupt", reason: field, elapsedMs: checked.elapsedMs };
    },
    [Symbol.asyncDispose]: bound[Symbol.asyncDispose],
  };
}

/** The same of a store that is being opened. */
export function watchedLater(
  opening: Promise<EvidenceStore>,
  damage: Damage,
): Promise<EvidenceStore> {
  const watched = opening.then((store) => watchedStore(store, damage));
  // Those who await it receive the failure; until then it is not an unhandled one.
  watched.catch(() => {});
  return watched;
}

/** The methods of an object, each followed by a look at its result. */
function noting<T extends object>(of: T, damage: Damage): T {
  const methods = Object.entries(of).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === "function" ? followed(value as Method, damage) : value,
  ]);
  return Object.fromEntries(methods) as T;
}

type Method = (...requested: readonly unknown[]) => unknown;

function followed(method: Method, damage: Damage): Method {
  return (...requested) => {
    const answer = method(...requested);
    return answer instanceof Promise ? looked(answer, damage) : answer;
  };
}

async function looked(answer: Promise<unknown>, damage: Damage): Promise<unknown> {
  try {
    const found = await answer;
    const roots = damagedRootsOf(found);
    if (roots.length > 0) damage.noteRoots(roots);
    return found;
  } catch (error) {
    if (CodedError.is(error) && error.code === "store_corrupt") damage.noteStore(error.field ?? "");
    throw error;
  }
}

/** Damaged traces of a slice, or of the slices of several traces. */
function damagedRootsOf(found: unknown): readonly string[] {
  if (found instanceof Map) return [...found.values()].flatMap(damagedRootsOf);
  if (typeof found !== "object" || found === null) return [];
  // A slice without damage has the field, as undefined.
  return (found as Pick<EventSlice, "damagedRoots">).damagedRoots ?? [];
}
