/**
 * @module ClickhouseOperatorRows: what operators write, as versions of which the largest stands.
 * The engine has no conditional write: the standing version is read first, one change of this
 * process after the other. A deleted row leaves an empty version until retention or a deletion of
 * users runs.
 */
import { randomUUID } from "node:crypto";

import { serialQueue } from "@turnproof/journal";

import type { OperatorKind, OperatorPlace, OperatorRow, OperatorTable } from "../operator-rows.ts";
import { mutate } from "./cluster-tables.ts";
import type { EngineAnswer, Tables } from "./engine.ts";
import { NativeBlock } from "./native-writer.ts";
import { bindings, hexOf, inRuns, namesPerStatement } from "./sql-text.ts";

/** Rows of one version are ordered by their value, so that every reader sees the same one. */
const selected = `SELECT kind, tenant, place, id, any(subject) AS about,
    toFloat64(max(version)) AS last, any(created_at) AS since,
    argMax(value, (version, value)) AS standing
FROM operator_rows`;
const grouped = "GROUP BY kind, tenant, place, id";

/** The rows over tables. */
export function clickhouseOperatorRows(tables: Tables): OperatorTable {
  const { engine } = tables;
  const changes = serialQueue();
  /** The largest version of an id, under any owner; with an empty value it is deleted. */
  const standing = async (of: OperatorPlace): Promise<OperatorRow | undefined> => {
    const bind = bindings();
    const sql = `${selected} WHERE id = ${bind.text(of.id)} ${grouped}`;
    const [row] = rowsOf(await engine.query(sql, bind.parameters));
    return row;
  };
  const insert = async (row: OperatorRow): Promise<void> => {
    const block = new NativeBlock();
    block.set("kind", "String", row.kind);
    block.set("tenant", "String", row.tenant);
    block.set("place", "String", row.place);
    block.set("id", "String", row.id);
    block.set("subject", "String", row.subject);
    block.set("version", "UInt64", BigInt(row.version));
    block.set("created_at", "String", row.created_at);
    block.set("value", "String", row.value);
    block.endRow();
    await engine.insert("operator_rows", block.encode(), `operator_${randomUUID()}`);
  };
  return {
    async list(kind, tenants, place) {
      const found: OperatorRow[] = [];
      for (const some of inRuns(tenants, namesPerStatement)) {
        const bind = bindings();
        const sql = `${selected} WHERE kind = ${bind.text(kind)} AND place = ${bind.text(place)}
    AND tenant IN ${bind.texts(some)} ${grouped} HAVING standing != ''`;
        found.push(...rowsOf(await engine.query(sql, bind.parameters)));
      }
      return found;
    },
    write: (row) =>
      changes(async () => {
        const before = await standing(row);
        if (row.version === 1 ? before !== undefined : !isVersion(before, row, row.version - 1)) {
          return false;
        }
        await insert(row);
        return true;
      }),
    remove: (of) =>
      changes(async () => {
        const before = await standing(of);
        if (before === undefined || !isVersion(before, of, of.version)) return false;
        await insert({ ...before, version: of.version + 1, value: "" });
        return true;
      }),
    async after(id, limit) {
      const bind = bindings();
      const sql = `${selected} WHERE id > ${bind.text(id)} ${grouped}
ORDER BY id LIMIT ${Math.trunc(limit)}`;
      return rowsOf(await engine.query(sql, bind.parameters));
    },
    async forget(ids) {
      for (const some of inRuns(ids, namesPerStatement)) {
        const names = some.map((id) => `unhex('${hexOf(id)}')`);
        await mutate(tables, "operator_rows", `id IN (${names.join(", ")})`);
      }
    },
  };
}

function isVersion(
  row: OperatorRow | undefined,
  { kind, tenant, place }: OperatorPlace,
  version: number,
): boolean {
  if (row === undefined || row.value === "" || row.version !== version) return false;
  return row.kind === kind && row.tenant === tenant && row.place === place;
}

function rowsOf({ rows, columns }: EngineAnswer): readonly OperatorRow[] {
  const text = (name: string, row: number): string => String(columns.get(name)?.[row]);
  return Array.from({ length: rows }, (_, row) => ({
    kind: text("kind", row) as OperatorKind,
    tenant: text("tenant", row),
    place: text("place", row),
    id: text("id", row),
    subject: text("about", row),
    version: Number(columns.get("last")?.[row]),
    created_at: text("since", row),
    value: text("standing", row),
  }));
}
