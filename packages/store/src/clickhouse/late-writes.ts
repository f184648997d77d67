/**
 * @module LateWrites: turns of roots that lost rows after their writer read them. A deletion
 * raises the root's epoch before it deletes rows, so a writer that checks the epochs after its
 * write either sees the deletion, and withdraws the write, or wrote before the rows were deleted.
 * When a writer is killed in between, the next start withdraws its write (faults R27).
 */
import type { TurnRecord } from "../ledger/turn-record.ts";
import { versionNumber, versionOfNumber } from "../ledger/turn-writes.ts";
import { rootHash } from "./bundle-table.ts";
import { mutate } from "./cluster-tables.ts";
import type { Engine, Tables } from "./engine.ts";
import { standingOf } from "./root-counts.ts";
import { bindings, hexOf, inRuns, namesPerStatement } from "./sql-text.ts";

/** Rows of one statement. */
const rowsPerStatement = 500;

/** A row of the table: its digest, which is the key, and its version. */
interface Row {
  readonly key: string;
  readonly version: bigint;
}

/** Withdraws writes that are based on rows deleted meanwhile. */
export async function withdrawLate(tables: Tables, records: readonly TurnRecord[]): Promise<void> {
  const { engine } = tables;
  if (records.length === 0 || !(await hasEpochs(engine))) return;
  const epochs = await epochsOf(engine, [...new Set(records.map(hashOf))]);
  const late = records.filter((record) => record.version.epoch < (epochs.get(hashOf(record)) ?? 0));
  const rows = late.map(({ key, version }) => ({ key, version: versionNumber(version) }));
  await withdraw(tables, rows);
}

/**
 * Withdraws the writes of killed writers: versions from before a deletion for which the root now
 * has fewer rows than they were made from, or a later version. A version with neither is kept: its
 * root shares its hash with another one, which lost rows.
 */
export async function withdrawLeft(tables: Tables): Promise<void> {
  const { engine } = tables;
  if (!(await hasEpochs(engine))) return;
  const answer = await engine.query(
    `SELECT key, toString(version) AS number, root_trace_id FROM turn_ledger
WHERE gone = 0
  AND (murmurHash3_32(concat('id:', root_trace_id)) AS hash) IN (SELECT root FROM root_epochs)
  AND (hash, toUInt32(bitShiftRight(version, 40)))
    NOT IN (SELECT root, max(epoch) FROM root_epochs GROUP BY root)`,
  );
  const [keys = [], versions = [], roots = []] = ["key", "number", "root_trace_id"].map((name) =>
    (answer.columns.get(name) ?? []).map(String),
  );
  const standing = await standingOf(engine, [...new Set(roots)]);
  const rewritten = await rewrittenOf(engine, [...new Set(roots)]);
  const left = keys.flatMap((key, at): readonly Row[] => {
    const [root = "", version] = [roots[at], BigInt(versions[at] ?? 0)];
    const isMore = versionOfNumber(version).rows > (standing.get(root)?.rows ?? 0);
    return isMore || rewritten.has(root) ? [{ key, version }] : [];
  });
  await withdraw(tables, left);
}

/**
 * Deletes versions. Keys are digests, so the statement, which the engine keeps, contains no id.
 */
async function withdraw(tables: Tables, rows: readonly Row[]): Promise<void> {
  for (let from = 0; from < rows.length; from += rowsPerStatement) {
    const some = rows
      .slice(from, from + rowsPerStatement)
      .map(({ key, version }) => `(unhex('${hexOf(key)}'), ${version})`);
    await mutate(tables, "turn_ledger", `(key, version) IN (${some.join(", ")})`);
  }
}

/** False while no rows of any root were deleted. */
async function hasEpochs(engine: Engine): Promise<boolean> {
  const { columns } = await engine.query("SELECT toFloat64(count()) AS n FROM root_epochs");
  return Number(columns.get("n")?.[0] ?? 0) > 0;
}

/** Number of deletions in these roots, by the hash of the root. */
async function epochsOf(
  engine: Engine,
  hashes: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const found = new Map<number, number>();
  for (let from = 0; from < hashes.length; from += namesPerStatement) {
    const some = hashes.slice(from, from + namesPerStatement);
    const { columns } = await engine.query(
      `SELECT root, max(epoch) AS epoch FROM root_epochs
WHERE root IN (${some.join(", ")}) GROUP BY root`,
    );
    const epochs = columns.get("epoch") ?? [];
    for (const [at, root] of (columns.get("root") ?? []).entries()) {
      found.set(Number(root), Number(epochs[at]));
    }
  }
  return found;
}

/** Those of these roots that have turns from before and after a deletion. */
async function rewrittenOf(engine: Engine, roots: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const some of inRuns(roots, namesPerStatement)) {
    const bind = bindings();
    const { columns } = await engine.query(
      `SELECT root_trace_id FROM turn_ledger WHERE root_trace_id IN ${bind.texts(some)} AND gone = 0
GROUP BY root_trace_id HAVING uniqExact(bitShiftRight(version, 40)) > 1`,
      bind.parameters,
    );
    for (const root of columns.get("root_trace_id") ?? []) found.add(String(root));
  }
  return found;
}

function hashOf({ row }: TurnRecord): number {
  return rootHash(row.root_trace_id ?? "");
}
