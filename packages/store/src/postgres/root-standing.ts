/** @module RootStanding: number of stored events of a root, and of deletions in it. */
import type { HeldEvents, RootStanding } from "../evidence-store.ts";
import { epochKey } from "../ledger/epoch-key.ts";
import type { Session } from "./database.ts";
import { bindings } from "./sql-text.ts";
import { fromStored, toStoredJson } from "./stored-text.ts";

/**
 * Standing of those of the roots that have rows, or had some that were deleted. Events are counted
 * from the rows: the counts of `evidence_roots` remain when rows are gone.
 */
export async function standingOf(
  session: Session,
  roots: readonly string[],
): Promise<ReadonlyMap<string, RootStanding>> {
  const bind = bindings();
  const requested = roots.filter((root) => root.isWellFormed());
  const json = toStoredJson(requested.map((root) => ({ root, key: epochKey(root) })));
  const { rows } = await session.query(
    `SELECT a.root, coalesce((SELECT sum(b.events) FROM evidence_bundles b WHERE b.root = r.root), 0)::text
  AS events, coalesce(e.epoch, 0)::text AS epoch
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

/** All stored events, and deletions. */
export async function heldIn(session: Session): Promise<HeldEvents> {
  const { rows } = await session.query(
    `SELECT (SELECT coalesce(sum(events), 0) FROM evidence_bundles)::text AS events,
  (SELECT coalesce(sum(epoch), 0) FROM root_epochs)::text AS deletions`,
    [],
  );
  return { events: Number(rows[0]?.["events"]), deletions: Number(rows[0]?.["deletions"]) };
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
