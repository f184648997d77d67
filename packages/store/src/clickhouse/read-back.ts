/** @module ReadBack: what the tables really hold of a batch, and which roots have grown quiet. */
import type { BatchReadback } from "@turnproof/evidence";
import type { RootStanding } from "../evidence-store.ts";
import { microseconds } from "../stored-event.ts";
import { epochMicros } from "../time.ts";
import type { Engine } from "./connection.ts";
import { batchNumber, rowMarkSql } from "./prepared-batch.ts";
import { bindings } from "./sql-text.ts";

/**
 * Counts the rows of a batch and compares them with its manifest (faults R9, R11). A batch that was
 * sent again long after may lie twice; it is complete when every copy is.
 */
export async function readBack(
  engine: Engine,
  batchId: string,
  receivedAt: string,
): Promise<BatchReadback> {
  const bind = bindings();
  const batch = batchNumber(batchId);
  const manifest = await engine.query(
    `SELECT first_received, last_received, events, digest FROM batches
WHERE batch = ${batch} AND batch_id = ${bind.text(batchId)} LIMIT 1`,
    bind.parameters,
  );
  const at = (name: string): unknown => manifest.columns.get(name)?.[0];
  const known = manifest.rows > 0;
  const last = known ? Number(at("last_received")) : epochMicros(microseconds(receivedAt));
  const first = known ? Number(at("first_received")) : last;
  const held = await engine.query(
    `SELECT toUInt32(count()) AS events, sum(toUInt64(murmurHash3_32(${rowMarkSql}))) AS digest
FROM events WHERE batch = ${batch}
    AND received_at >= fromUnixTimestamp64Micro(${first})
    AND received_at <= fromUnixTimestamp64Micro(${last})`,
  );
  const rows = Number(held.columns.get("events")?.[0] ?? 0);
  const digest = (held.columns.get("digest")?.[0] ?? 0n) as bigint;
  if (!known) return { rows, complete: false };
  const wanted = Number(at("events"));
  if (wanted === 0) return { rows, complete: true };
  const copies = rows / wanted;
  const complete =
    Number.isInteger(copies) && copies > 0 && digest === (at("digest") as bigint) * BigInt(copies);
  return { rows: Math.min(rows, wanted), complete };
}

/** Roots whose latest row was received in the half-open span, the longest quiet first. */
export async function quietRoots(
  engine: Engine,
  since: string,
  quietBefore: string,
  limit: number,
): Promise<readonly string[]> {
  const from = epochMicros(microseconds(since));
  const before = epochMicros(microseconds(quietBefore));
  const answer = await engine.query(
    `SELECT root_trace_id, max(received_at) AS last FROM events
WHERE received_at >= fromUnixTimestamp64Micro(${from})
GROUP BY root_trace_id HAVING last < fromUnixTimestamp64Micro(${before})
ORDER BY last, root_trace_id LIMIT ${Math.max(Math.floor(limit), 0)}`,
  );
  return (answer.columns.get("root_trace_id") ?? []) as string[];
}

/** Standing of those of the roots that have rows. */
export async function standingOf(
  engine: Engine,
  roots: readonly string[],
): Promise<ReadonlyMap<string, RootStanding>> {
  const bind = bindings();
  const answer = await engine.query(
    `SELECT root_trace_id, toFloat64(count()) AS events FROM events
WHERE root_trace_id IN ${bind.texts(roots)} GROUP BY root_trace_id`,
    bind.parameters,
  );
  const counts = (answer.columns.get("events") ?? []) as readonly number[];
  const names = (answer.columns.get("root_trace_id") ?? []) as readonly string[];
  return new Map(names.map((root, at) => [root, { rows: Number(counts[at]), epoch: 0 }]));
}
