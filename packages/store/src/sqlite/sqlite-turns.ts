/** @module SqliteTurns: the ledger's turns in a SQLite database; the reference is `memoryTurns`. */
import { isoOfMicros } from "@turnproof/semconv";

import type { SqliteDatabase } from "./sqlite-database.ts";

import { turnPositionOf } from "../ledger/turn-conditions.ts";
import type { HeldTurn, TurnLedger } from "../ledger/turn-query.ts";
import type { TurnRecord } from "../ledger/turn-record.ts";
import { paced } from "../paced.ts";
import { inSteps } from "./bundle-writer.ts";
import { transaction } from "./sqlite-database.ts";
import { facetsOf } from "./turn-facets.ts";
import { countGroupsOf } from "../ledger/figure-rows.ts";
import { callsOf, countRows, figuresOf } from "./turn-figures.ts";
import { groupsOf } from "./turn-groups.ts";
import { orderedTurnsSql } from "./turn-order-values.ts";
import { turnRows, versionOf } from "./turn-rows.ts";
import { turnTablesSql } from "./turn-schema.ts";
import { afterSql, conditionSql, orderSql, whereSql } from "./turn-sql.ts";

/** Turns in this database; creates missing tables. */
export function sqliteTurns(database: SqliteDatabase, fewTurns?: number): TurnLedger {
  for (const sql of turnTablesSql) database.exec(sql);
  return turnsIn(database, fewTurns);
}

/**
 * Up to this many turns are read completely for their facets, which costs less than an index scan.
 */
const fewTurnsDefault = 300;

/** Turns in a database that has the tables. */
export function turnsIn(
  database: SqliteDatabase,
  fewTurns: number = fewTurnsDefault,
  writer?: SqliteDatabase,
): TurnLedger {
  const written = writer ?? database;
  const rows = turnRows(written);
  const write = <T>(given: readonly T[], put: (one: T) => void): Promise<void> =>
    transaction(written, () =>
      inSteps(stepsOf(given, put), writer === undefined ? undefined : paced()),
    );
  return {
    answeredIn: "store",
    putTurns: (records) => write(records, (record) => rows.put(record)),
    dropTurns: (gone) => write(gone, ({ key, version }) => rows.drop(key, version)),
    turnsOf: async (roots) => heldTurns(database, roots),
    async listTurns(query, { order, limit, after }) {
      query.signal?.throwIfAborted();
      const where = whereSql(query);
      const beyond = after === undefined ? { sql: "1", values: [] } : afterSql(order, after);
      const rows = database
        .prepare(
          `SELECT record FROM (SELECT id AS turn, row_number() OVER () AS nth FROM (
             SELECT id FROM ${orderedTurnsSql(order.by)} WHERE (${where.sql}) AND (${beyond.sql})
             ORDER BY ${orderSql(order)} LIMIT ?)) JOIN turn_records ON id = turn ORDER BY nth`,
        )
        .all(...where.values, ...beyond.values, limit + 1) as { readonly record: string }[];
      const records = rows.slice(0, limit).map(({ record }) => JSON.parse(record) as TurnRecord);
      const last = records.at(-1);
      const more = rows.length > limit && last !== undefined;
      return { records, next: more ? turnPositionOf(last, order) : null };
    },
    async countTurns(query) {
      query.signal?.throwIfAborted();
      const { sql, values } = whereSql(query);
      const row = database.prepare(`SELECT count(*) AS n FROM turns WHERE ${sql}`).get(...values);
      return Number(row?.["n"]);
    },
    async turnFacets(query, fields, valuesMax) {
      query.signal?.throwIfAborted();
      return facetsOf(database, whereSql(query), { fields, valuesMax, fewTurns });
    },
    async turnCounts(query, options) {
      query.signal?.throwIfAborted();
      const { also } = options;
      const alsoSql = also === undefined ? { sql: "0", values: [] } : conditionSql(also);
      return countGroupsOf(countRows(database, whereSql(query), options, alsoSql), options);
    },
    async turnFigures(query, options) {
      query.signal?.throwIfAborted();
      return figuresOf(database, whereSql(query), options);
    },
    async callFigures(query, kind, by, options) {
      query.signal?.throwIfAborted();
      return callsOf(database, whereSql(query), { kind, by, options });
    },
    async turnGroups(query, by, paging) {
      query.signal?.throwIfAborted();
      return groupsOf(database, query, by, paging);
    },
  };
}

function heldTurns(database: SqliteDatabase, roots: readonly string[]): readonly HeldTurn[] {
  const held = database
    .prepare(
      `SELECT key, root_trace_id, epoch, rows, settled, first_received
       FROM turns JOIN turn_versions USING (key)
       WHERE root_trace_id IN (SELECT value FROM json_each(?))`,
    )
    .all(JSON.stringify(roots.filter((root) => root.isWellFormed())));
  return held.map((row) => ({
    key: String(row["key"]),
    root_trace_id: String(row["root_trace_id"]),
    version: versionOf(row),
    first_received: isoOfMicros(Number(row["first_received"])),
  }));
}

function* stepsOf<T>(given: readonly T[], put: (one: T) => void): Generator<void> {
  for (const one of given) {
    put(one);
    yield;
  }
}
