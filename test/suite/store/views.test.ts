/** The views for SQL: every column of an export with its type, and the values of the ledger. */
import {
  callRowsOf,
  callTable,
  clickhouse,
  eventColumns,
  lentEngineOf,
  turnTable,
} from "@turnproof/store";
import type { ColumnType, ColumnValue, EvidenceStore, LentEngine } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

import { readNative } from "../../../packages/store/src/clickhouse/native-reader.ts";
import { recordEvents, turnEvents } from "../collector/desk.ts";
import { temporaryDirectories } from "./temporary-directory.ts";

const directories = temporaryDirectories();
let store: EvidenceStore;
let engine: LentEngine;
beforeAll(async () => {
  store = await clickhouse({ connection: { dataDir: await directories.make() } });
  const lent = lentEngineOf(store);
  if (lent === undefined) throw new Error("no embedded engine");
  engine = lent;
  const events = [
    ...turnEvents({ root: "root-1", user: "alice" }),
    ...turnEvents({ root: "root-2", user: null }),
  ];
  const receivedAt = "2026-11-21T10:00:00.000000Z";
  await store.append({ batchId: "views", receivedAt, events });
  await recordEvents(store, events);
});
afterAll(async () => {
  await store.close();
  await directories.remove();
});

async function requested(sql: string): Promise<readonly Record<string, unknown>[]> {
  const { bytes } = await engine.select(sql);
  const { columns, rows } = readNative(Buffer.from(bytes));
  return Array.from({ length: rows }, (_, at) =>
    Object.fromEntries([...columns].map(([name, values]) => [name, values[at]])),
  );
}

/** Types of the engine that hold each type of a column. */
const types: Readonly<Record<ColumnType, RegExp>> = {
  text: /^(LowCardinality\()?String\)?$/,
  json: /^String$/,
  integer: /^(Nullable\()?U?Int(8|16|32|64)\)?$/,
  number: /^Nullable\(Float64\)$/,
  flag: /^(Nullable\()?Bool\)?$/,
  time: /^(Nullable\()?DateTime64\([69], 'UTC'\)\)?$/,
  texts: /^Array\((LowCardinality\()?String\)?\)$/,
};

for (const [view, table] of Object.entries({
  events: eventColumns,
  turns: turnTable,
  calls: callTable,
})) {
  test(`the view ${view} has every documented column, with a comment`, async () => {
    const rows = await requested(
      `SELECT name, type, comment FROM system.columns
WHERE database = currentDatabase() AND table = '${view}'`,
    );
    const held = new Map(rows.map((row) => [row["name"], row]));
    for (const { name, type } of table) {
      expect([name, held.get(name)?.["type"]]).toEqual([name, expect.stringMatching(types[type])]);
    }
    if (view !== "events") {
      for (const row of rows) expect(row["comment"], String(row["name"])).not.toBe("");
    }
  });
}

const plain = (value: unknown): unknown => (value === "" ? null : value);

/** Texts and numbers of a table's rows, as the view has them. */
function expected<Row>(
  table: readonly { name: string; type: ColumnType; value: (row: Row) => ColumnValue }[],
  rows: readonly Row[],
): readonly Record<string, unknown>[] {
  const compared = table.filter(({ type }) => type === "text" || type === "number");
  return rows.map((row) =>
    Object.fromEntries(compared.map(({ name, value }) => [name, plain(value(row))])),
  );
}

test("turns and calls have the values of the ledger", async () => {
  const { records } = await store.ledger.listTurns(
    { scope: allTenants, where: [] },
    { order: { by: "first_received" }, limit: 10 },
  );
  const turns = expected(turnTable, records);
  const calls = expected(
    callTable,
    records.flatMap((turn) => callRowsOf(turn, allTenants)),
  );
  expect(turns).toHaveLength(2);
  expect(calls).toHaveLength(4);
  for (const [view, rows] of [["turns", turns] as const, ["calls", calls] as const]) {
    const names = Object.keys(rows[0] ?? {});
    const read = await requested(`SELECT ${names.join(", ")} FROM ${view}`);
    const sorted = (all: readonly Record<string, unknown>[]): readonly string[] =>
      all.map((row) => JSON.stringify(names.map((name) => plain(row[name]) ?? null))).toSorted();
    expect(sorted(read)).toEqual(sorted(rows));
  }
});

test("events have their parts as JSON", async () => {
  const rows = await requested(
    "SELECT attributes_json, input_refs_json FROM events WHERE event_kind = 'model_call' LIMIT 1",
  );
  expect(JSON.parse(String(rows[0]?.["attributes_json"]))).toMatchObject({ model: "small-1" });
  expect(rows[0]?.["input_refs_json"]).toBe("");
});
