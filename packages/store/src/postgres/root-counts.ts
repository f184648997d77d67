/** @module RootCounts: number of stored events of a root, and of deletions in it. */
import type { HeldEvents, RootCounts } from "../evidence-store.ts";
import { epochKey } from "../ledger/epoch-key.ts";
import type { Database, Session } from "./database.ts";
import { bindings } from "./sql-text.ts";
import { fromStored, toStoredJson } from "./stored-text.ts";

/**
 * Standing of those of the roots that have rows, or had some that were deleted. Events are counted
 * from the rows: the counts of `evidence_roots` remain when rows are gone.
 */
export async function standingOf(
  session: Session,
  roots: readonly string[],
): Promise<ReadonlyMap<string, RootCounts>> {
  const bind = bindings();
  const requested = roots.filter((root) => root.isWellFormed());
  const json = toStoredJson(requested.map((root) => ({ root, key: epochKey(root) })));
  const { rows } = await session.query(
    `SELECT a.root, coalesce(e.epoch, 0)::text AS epoch,
  coalesce((SELECT sum(b.events) FROM evidence_bundles b WHERE b.root = r.root), 0)::text AS events
FROM jsonb_to_recordset(${bind.plain(json)}::jsonb) AS a(root text COLLATE "C", key bigint)
LEFT JOIN evidence_roots r ON r.root_trace_id = a.root
LEFT JOIN root_epochs e ON e.root = a.key
WHERE r.root IS NOT NULL OR e.root IS NOT NULL`,
    bind.parameters,
  );
  return new Map(
    rows.map((row) => {
      const standing = { rows: Number(row["events"]), epoch: Number(row["epoch"]) };
      return [fromStored(String(row["root"])), standing] as const;
    }),
  );
}

/** Batches of the first slice of a count. */
const firstSlice = 1_024;
/** How long a slice takes at most, in the order of magnitude. */
const sliceMs = 200;

/**
 * All stored events, and deletions, at one moment. A statement counts a slice of the batches, from
 * an index: one for all of many millions of rows would exceed the time limit of statements.
 */
export function heldIn(database: Database, signal?: AbortSignal): Promise<HeldEvents> {
  return database.transaction(async (session) => {
    await session.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    const { rows } = await session.query(
      `SELECT min(batch_no)::text AS first, max(batch_no)::text AS last,
  (SELECT coalesce(sum(epoch), 0) FROM root_epochs)::text AS deletions FROM evidence_bundles`,
    );
    const row = rows[0] ?? {};
    let events = 0;
    let slice = firstSlice;
    const last = Number(row["last"] ?? -1);
    for (let from = Number(row["first"] ?? 0); from <= last;) {
      signal?.throwIfAborted();
      const began = performance.now();
      events += await eventsIn(session, from, from + slice);
      from += slice;
      const isShort = performance.now() - began < sliceMs;
      slice = isShort ? slice * 2 : Math.max(1, Math.floor(slice / 2));
    }
    return { events, deletions: Number(row["deletions"]) };
  });
}

/** Events of the batches from a number up to another one, without it. */
async function eventsIn(session: Session, from: number, to: number): Promise<number> {
  const bind = bindings();
  const { rows } = await session.query(
    `SELECT coalesce(sum(events), 0)::text AS events FROM evidence_bundles
WHERE batch_no >= ${bind.plain(String(from))}::bigint AND batch_no < ${bind.plain(String(to))}::bigint`,
    bind.parameters,
  );
  return Number(rows[0]?.["events"]);
}

/** Raises the epoch of each root; inside the transaction that deletes. */
export async function raiseEpochs(session: Session, roots: readonly string[]): Promise<void> {
  const bind = bindings();
  // In one order everywhere, so that two deletions never deadlock.
  const keys = [...new Set(roots.map(epochKey))].toSorted((a, b) => a - b);
  await session.query(
    `INSERT INTO root_epochs AS held (root, epoch)
SELECT key, 1 FROM unnest(${bind.plain(`{${keys.join(",")}}`)}::bigint[]) AS key
ON CONFLICT (root) DO UPDATE SET epoch = held.epoch + 1`,
    bind.parameters,
  );
}
