/** @module Counts: number of memory rows at a place and the time of the newest. Returns no row. */
import { scopedKinds } from "@turnproof/semconv";
import type { ScopedKind } from "@turnproof/semconv";

import { entityLevels } from "./entity-memory.ts";
import { filterOf } from "./place.ts";
import type { Level, MemoryPlace } from "./place.ts";
import type { WatchedStore } from "./watched-store.ts";

/** Rows of one kind at a place. */
export interface KindCount {
  readonly count: number;
  /** Time of the newest row; null when there is none. */
  readonly latest_at: string | null;
}

const levels: readonly Level[] = ["agentId", "memoryId", "threadId"];

function levelsOf(kind: ScopedKind, place: MemoryPlace): readonly Level[] {
  if (kind === "entity") return entityLevels(place);
  return kind === "semantic_cache" ? ["agentId", "memoryId"] : levels;
}

/** Counts of every scoped kind at the place. */
export async function countMemory(
  store: WatchedStore,
  place: MemoryPlace,
): Promise<{ readonly [K in ScopedKind]: KindCount }> {
  const counted = await Promise.all(
    scopedKinds.map(async (kind) => {
      const at = levelsOf(kind, place);
      const count = await store.store.count(filterOf(place, at), kind);
      const [newest] = await store.list(place, at, kind, 1);
      return [kind, { count, latest_at: newest?.created_at ?? null }] as const;
    }),
  );
  return Object.fromEntries(counted) as { [K in ScopedKind]: KindCount };
}
