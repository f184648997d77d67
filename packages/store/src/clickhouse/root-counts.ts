/** @module RootCounts: number of stored events of a root, and of deletions in it. */
import type { HeldEvents, RootCounts } from "../evidence-store.ts";
import { ofRootsSql, rootHash } from "./bundle-table.ts";
import type { Engine } from "./engine.ts";
import { smallSettings } from "./engine-client.ts";
import { inRuns, namesPerStatement } from "./sql-text.ts";

/** The standing of these roots; an unknown root is absent. */
export async function standingOf(
  engine: Engine,
  roots: readonly string[],
): Promise<ReadonlyMap<string, RootCounts>> {
  const standing = new Map<string, RootCounts>();
  const known = await engine.knownRoots?.(roots);
  for (const [root, rows] of known ?? []) if (rows > 0) standing.set(root, { rows, epoch: 0 });
  const others = known === undefined ? roots : roots.filter((root) => !known.has(root));
  for (const some of inRuns(others, namesPerStatement)) await addStanding(engine, some, standing);
  return standing;
}

/** All stored events, and deletions. */
export async function heldIn(engine: Engine, signal?: AbortSignal): Promise<HeldEvents> {
  const answer = await engine.query(
    `SELECT (SELECT toFloat64(sum(events)) FROM bundles WHERE events > 0) AS events,
  (SELECT toFloat64(sum(epoch)) FROM
    (SELECT max(epoch) AS epoch FROM root_epochs GROUP BY root)) AS deletions`,
    {},
    signal,
  );
  const value = (name: string): number => Number(answer.columns.get(name)?.[0] ?? 0);
  return { events: value("events"), deletions: value("deletions") };
}

async function addStanding(
  engine: Engine,
  roots: readonly string[],
  standing: Map<string, RootCounts>,
): Promise<void> {
  const hashes = roots.map(rootHash);
  // Copies of a batch that was sent again much later are the same rows.
  const answer = await engine.query(
    `SELECT root_trace_id, toUInt32(0) AS root, toFloat64(sum(events)) AS rows, toUInt32(0) AS epoch
FROM (SELECT DISTINCT root_trace_id, batch, events, cityHash64(body) FROM bundles
    WHERE ${ofRootsSql(roots)} AND events > 0)
GROUP BY root_trace_id
UNION ALL SELECT '', root, toFloat64(0), max(epoch) FROM root_epochs
WHERE root IN (${hashes.join(", ")}) GROUP BY root
SETTINGS ${smallSettings}`,
  );
  const column = (name: string): readonly unknown[] => answer.columns.get(name) ?? [];
  const [names, places, counts, epochs] = ["root_trace_id", "root", "rows", "epoch"].map(column);
  const rows = new Map<unknown, number>();
  const epochOf = new Map<unknown, number>();
  for (let at = 0; at < answer.rows; at += 1) {
    if (Number(epochs?.[at]) > 0) epochOf.set(places?.[at], Number(epochs?.[at]));
    else rows.set(names?.[at], Number(counts?.[at]));
  }
  for (const [at, root] of roots.entries()) {
    const own = { rows: rows.get(root) ?? 0, epoch: epochOf.get(hashes[at]) ?? 0 };
    if (own.rows > 0 || own.epoch > 0) standing.set(root, own);
  }
}
