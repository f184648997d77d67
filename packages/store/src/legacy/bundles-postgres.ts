/**
 * @module LegacyTable: the bundles table of an earlier schema, with any column names. Never
 * written to; rows with only one user's data can be deleted.
 */
import { limits } from "@turnproof/semconv";

import { legacyCollection, legacyErasure, legacyRowsOf } from "./bundles.ts";
import type { LegacyBundles, LegacyRows } from "./bundles.ts";
import type { Session } from "../postgres/database.ts";

/** The legacy bundles of a database; undefined without such a table when it is opened. */
export async function legacyTable(session: Session): Promise<LegacyBundles | undefined> {
  const { rows } = await session.query(
    `SELECT to_regclass('${legacyCollection}')::text AS name,
    has_table_privilege(to_regclass('${legacyCollection}'), 'SELECT')::text AS readable`,
  );
  if (rows[0]?.["readable"] !== "true") return undefined;
  let known: { readonly mark: string; readonly rows: LegacyRows } | undefined;
  return {
    async read() {
      // Rows that were added, deleted or changed since, such as by the migration of tenants.
      const state = await session.query(
        `SELECT count(*)::text || ' ' || coalesce(max(xmin::text::bigint), 0)::text AS mark
FROM ${legacyCollection}`,
      );
      const mark = state.rows[0]?.["mark"] as string;
      if (known?.mark !== mark) known = { mark, rows: await readRows(session) };
      return known.rows;
    },
    erase: legacyErasure({
      list: () => recordsOf(session),
      async remove(places) {
        const allowed = await session.query(
          `SELECT has_table_privilege('${legacyCollection}', 'DELETE')::text AS deletable`,
        );
        if (allowed.rows[0]?.["deletable"] !== "true") return false;
        for (let at = 0; at < places.length; at += rowsPerStep) {
          const some = places.slice(at, at + rowsPerStep).join(";");
          await session.query(
            `DELETE FROM ${legacyCollection}
WHERE ctid = ANY(string_to_array($1, ';')::tid[])`,
            [some],
          );
        }
        return true;
      },
    }),
  };
}

const rowsPerStep = 1_000;

/** Every record, with its row's position, which is stable while the table is not written. */
async function* recordsOf(
  session: Session,
): AsyncGenerator<{ readonly key: string; readonly record: unknown }> {
  for (let from = 0; ; from += rowsPerStep) {
    const { rows } = await session.query(
      `SELECT ctid::text AS place, to_jsonb(t)::text AS record FROM ${legacyCollection} AS t
ORDER BY ctid LIMIT ${rowsPerStep} OFFSET ${from}`,
    );
    for (const row of rows) {
      const record = withoutNulls(JSON.parse(row["record"] as string));
      yield { key: row["place"] as string, record };
    }
    if (rows.length < rowsPerStep) return;
  }
}

async function readRows(session: Session): Promise<LegacyRows> {
  const { rows } = await session.query(
    `SELECT to_jsonb(t)::text AS record FROM ${legacyCollection} AS t LIMIT ${limits.rootEventsMax}`,
  );
  return legacyRowsOf(rows.map((row) => withoutNulls(JSON.parse(row["record"] as string))));
}

/** A null column is an absent field. */
function withoutNulls(record: unknown): unknown {
  if (typeof record !== "object" || record === null) return record;
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}
