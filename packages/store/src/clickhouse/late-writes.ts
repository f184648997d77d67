/**
 * @module LateWrites: turns of roots that lost rows after their writer read them. A deletion counts
 * itself at the root before it takes rows away, so a writer that looks at the counts after its
 * write either sees the deletion, and takes the write back, or wrote before the rows went.
 */
import type { TurnRecord } from "../ledger/turn-record.ts";
import { versionNumber } from "../ledger/turn-writes.ts";
import { rootHash } from "./bundle-table.ts";
import { mutate } from "./cluster-tables.ts";
import type { Engine, Tables } from "./connection.ts";
import { hexOf } from "./sql-text.ts";

/** Rows of one statement. */
const rowsPerStatement = 500;

/** Takes back what rests on rows that were deleted meanwhile. */
export async function withdrawLate(tables: Tables, records: readonly TurnRecord[]): Promise<void> {
  const epochs = await epochsOf(tables.engine, records);
  const late = records.filter((record) => record.version.epoch < (epochs.get(hashOf(record)) ?? 0));
  for (let from = 0; from < late.length; from += rowsPerStatement) {
    const rows = late
      .slice(from, from + rowsPerStatement)
      .map(({ key, version }) => `(unhex('${hexOf(key)}'), ${versionNumber(version)})`);
    // Keys are digests, so the text of the statement, which the engine keeps, names nothing.
    await mutate(tables, "turn_ledger", `(key, version) IN (${rows.join(", ")})`);
  }
}

/** How often rows were deleted of the roots of these records, by the hash of the root. */
async function epochsOf(
  engine: Engine,
  records: readonly TurnRecord[],
): Promise<ReadonlyMap<number, number>> {
  const count = await engine.query("SELECT toFloat64(count()) AS n FROM root_epochs");
  if (records.length === 0 || Number(count.columns.get("n")?.[0] ?? 0) === 0) return new Map();
  const hashes = [...new Set(records.map(hashOf))];
  const answer = await engine.query(
    `SELECT root, max(epoch) AS epoch FROM root_epochs
WHERE root IN (${hashes.join(", ")}) GROUP BY root`,
  );
  const epochs = answer.columns.get("epoch") ?? [];
  const roots = answer.columns.get("root") ?? [];
  return new Map(roots.map((root, at) => [Number(root), Number(epochs[at])]));
}

function hashOf({ row }: TurnRecord): number {
  return rootHash(row.root_trace_id ?? "");
}
