/**
 * @module LegacyTable: the table of bundles of an earlier schema, whatever its columns are called.
 * Nothing here is ever written.
 */
import { limits } from "@turnproof/semconv";

import { legacyCollection, legacyRowsOf } from "../legacy-bundles.ts";
import type { LegacyBundles, LegacyRows } from "../legacy-bundles.ts";
import type { Session } from "./database.ts";

/** The legacy bundles of a database; undefined where it has no such table as it is opened. */
export async function legacyTable(session: Session): Promise<LegacyBundles | undefined> {
  const { rows } = await session.query(
    `SELECT to_regclass('${legacyCollection}')::text AS name,
    has_table_privilege(to_regclass('${legacyCollection}'), 'SELECT')::text AS readable`,
  );
  if (rows[0]?.["readable"] !== "true") return undefined;
  let known: { readonly mark: string; readonly rows: LegacyRows } | undefined;
  return {
    async read() {
      // Rows that came, went or were changed since, such as by the migration of tenants.
      const state = await session.query(
        `SELECT count(*)::text || ' ' || coalesce(max(xmin::text::bigint), 0)::text AS mark
FROM ${legacyCollection}`,
      );
      const mark = state.rows[0]?.["mark"] as string;
      if (known?.mark !== mark) known = { mark, rows: await readRows(session) };
      return known.rows;
    },
  };
}

async function readRows(session: Session): Promise<LegacyRows> {
  const { rows } = await session.query(
    `SELECT to_jsonb(t)::text AS record FROM ${legacyCollection} AS t LIMIT ${limits.rootEventsMax}`,
  );
  return legacyRowsOf(rows.map((row) => withoutNulls(JSON.parse(row["record"] as string))));
}

/** A column that says nothing is a field that is not there. */
function withoutNulls(record: unknown): unknown {
  if (typeof record !== "object" || record === null) return record;
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}
