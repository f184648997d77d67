/** @module The tables: in step with the registry, every field round-trips and is seen by SQL. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createClient } from "@clickhouse/client";
import type { ClickHouseClientConfigOptions } from "@clickhouse/client";
import type { TurnEvent } from "@turnproof/evidence";
import { registryRows } from "@turnproof/semconv";
import { clickhouse } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { allTenants, receivedAt, sampleEvent } from "@turnproof/store/testing";
import { createChdbConnection } from "chdb/connection";
import { afterAll, beforeAll, expect, test } from "vitest";

import { eventColumns } from "../../../packages/store/src/tables/event-columns.ts";
import { callTable, turnTable } from "../../../packages/store/src/tables/turn-table.ts";
import {
  callUsageDdl,
  callUsageDdlFile,
  reasonsDdl,
  reasonsDdlFile,
  turnSetsDdl,
  turnSetsDdlFile,
  turnsDdl,
  turnsDdlFile,
} from "../../generate/clickhouse-ddl.ts";

let dataDir: string;
let store: EvidenceStore;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "turnproof-tables-"));
  store = await clickhouse({ connection: { dataDir } });
});
afterAll(async () => {
  await store.close();
  await rm(dataDir, { recursive: true, force: true });
});

const rawClient = (): ReturnType<typeof createClient> => {
  const connection = createChdbConnection({ path: join(dataDir, "clickhouse") });
  type Injected = NonNullable<ClickHouseClientConfigOptions["connection"]>;
  return createClient({ connection: connection as unknown as Injected });
};

test("the .sql files are what the registry says", async () => {
  expect(await readFile(turnsDdlFile, "utf8")).toBe(turnsDdl());
  expect(await readFile(turnSetsDdlFile, "utf8")).toBe(turnSetsDdl());
  expect(await readFile(callUsageDdlFile, "utf8")).toBe(callUsageDdl());
  expect(await readFile(reasonsDdlFile, "utf8")).toBe(reasonsDdl());
});

test("every registry row has one commented column in the view, none a map or JSON", async () => {
  const client = rawClient();
  const result = await client.query({ query: "DESCRIBE TABLE events", format: "JSONEachRow" });
  const columns = await result.json<{ name: string; type: string; comment: string }>();
  const comments = new Map(columns.map(({ name, comment }) => [name, comment]));
  for (const row of registryRows) expect(comments.get(row.event), row.event).toBe(row.brief);
  for (const { type } of columns) expect(type).not.toMatch(/Map|JSON|Object|Variant/);
  await client.close();
});

test("columns of the views have the types that data.md names", async () => {
  const client = rawClient();
  const types: Readonly<Record<string, RegExp>> = {
    integer: /^(Nullable\()?U?Int64\)?$/,
    number: /^(Nullable\()?Float64\)?$/,
    time: /^(Nullable\()?DateTime64\(\d, 'UTC'\)\)?$/,
    texts: /^Array\(.*String\)+$/,
  };
  for (const [name, table] of Object.entries({
    events: eventColumns,
    turns: turnTable,
    calls: callTable,
  })) {
    const result = await client.query({ query: `DESCRIBE TABLE ${name}`, format: "JSONEachRow" });
    const columns = await result.json<{ name: string; type: string }>();
    const typeOf = new Map(columns.map((column) => [column.name, column.type]));
    for (const column of table) {
      const wanted = types[column.type];
      if (wanted === undefined) continue;
      expect(`${name}.${column.name} ${typeOf.get(column.name)}`).toMatch(
        new RegExp(`^${name}\\.${column.name} ${wanted.source.slice(1)}`),
      );
    }
  }
  await client.close();
});

/** A value that the row's type and closed values allow. */
function valueOf(row: (typeof registryRows)[number]): unknown {
  const text = row.values?.find((value) => value !== "") ?? `v ${row.event} ü '"\\`;
  switch (row.type) {
    case "string":
      return text;
    case "boolean":
      return false;
    case "int":
      return Number.MAX_SAFE_INTEGER;
    case "double":
      return -0.1;
    case "string[]":
      return [text, "", text];
    case "boolean[]":
      return [true, false];
    case "int[]":
      return [0, -5, 2 ** 40];
    case "double[]":
      return [0.5, -1e300, 5e-324];
  }
}

test("every attribute and every field comes back as it went in", async () => {
  const rows = registryRows.filter((row) => row.slot === "attributes");
  const ref = {
    resource_type: "document",
    ref: "d-1",
    version: "2",
    role: "authoritative_current_source",
    ownership_verified: false,
    provenance_status: "verified" as const,
  };
  const bare = { resource_type: "page", ref: "p-1" };
  const whole: TurnEvent = {
    ...sampleEvent("aa"),
    event_id: "own-id",
    external_id: "x-1",
    application_id: "desk",
    agent_id: "helper",
    user_id: null,
    memory_id: "m",
    thread_id: "t",
    run_id: "r",
    turn_id: "turn",
    started_at: "2026-03-01T10:00:00.25Z",
    duration_ms: 12.5,
    parent_span_id: "zz",
    parent_remote: false,
    links: [{ trace_id: "t1", span_id: "s1" }],
    caused_by_event_id: "zz:result",
    task_id: "task",
    component: "worker",
    ingest_trusted: false,
    producer_id: "p",
    producer_seq: 0,
    identity_derived: ["memory_id"],
    source_store: "trace",
    input_refs: [ref, bare],
    output_refs: [bare],
    selection_ledger: [
      {
        resource: ref,
        candidate_rank: 0,
        relevance_score: 0,
        selected: false,
        selection_reason: "x",
      },
      { resource: bare },
    ],
    dropped: { attribute_unknown: 3 },
    attributes: {},
  };
  const events = [
    whole,
    // One attribute each, so that gaps between rows are met in every column.
    ...rows.map((row, i) => ({
      ...sampleEvent(`s${i}`),
      attributes: { [row.event]: valueOf(row) },
    })),
    { ...sampleEvent("ack"), attributes: { acknowledged: null } },
  ];
  await store.append({ batchId: "all", receivedAt: receivedAt(1), events });
  const page = await store.root(allTenants, "root-1", { limit: 1_000 });
  const found = new Map(page.events.map((event) => [event.span_id, event]));
  expect(found.get("aa")).toEqual({ ...whole, received_at: receivedAt(1), revision: 1 });
  for (const event of events.slice(1)) {
    expect(found.get(event.span_id)?.attributes).toEqual(event.attributes);
  }
  expect(await store.readBack("all", receivedAt(1))).toEqual({
    rows: events.length,
    complete: true,
  });
});

test("the view shows every attribute and every field as it was said", async () => {
  const client = rawClient();
  const select = async (sql: string): Promise<Record<string, unknown>[]> => {
    const settings = { output_format_json_quote_64bit_integers: 0 } as const;
    const query = `SELECT ${sql}`;
    const result = await client.query({
      query,
      format: "JSONEachRow",
      clickhouse_settings: settings,
    });
    return result.json<Record<string, unknown>>();
  };
  const rows = registryRows.filter((row) => row.slot === "attributes");
  const shown = await select("* FROM events WHERE root_trace_id = 'root-1'");
  const bySpan = new Map(shown.map((row) => [row["span_id"], row]));
  for (const [i, row] of rows.entries()) {
    const value = valueOf(row);
    const stated = row.event === "acknowledged" ? String(value) : value;
    expect([row.event, bySpan.get(`s${i}`)?.[row.event]]).toEqual([row.event, stated]);
  }
  expect(bySpan.get("ack")).toMatchObject({ acknowledged: "null", scope: "", user_id: "" });
  expect(bySpan.get("aa")).toMatchObject({
    event_id: "own-id",
    external_id: "x-1",
    application_id: "desk",
    scope: "anonymous",
    user_id: "",
    thread_id: "t",
    timestamp: "2026-03-01 10:00:01.000000001",
    started_at: "2026-03-01 10:00:00.250000000",
    duration_ms: 12.5,
    parent_remote: false,
    ingest_trusted: false,
    schema_version: 3,
    producer_seq: 0,
    link_traces: ["t1"],
    input_refs: ["d-1", "p-1"],
    input_ownership: ["false", ""],
    output_types: ["page"],
    ledger_refs: ["d-1", "p-1"],
    ledger_ranks: [0, null],
    ledger_selected: ["false", ""],
    dropped_reasons: ["attribute_unknown"],
    dropped_counts: [3],
    identity_derived: ["memory_id"],
  });
  expect(bySpan.get("s0")).toMatchObject({ full_event_id: "s0:result", agent_id: "" });
  await client.close();
});

test("a filter on receipt leaves rows out before they are unpacked", async () => {
  const client = rawClient();
  const query = `EXPLAIN indexes = 1 SELECT count() FROM events
    WHERE received_at >= toDateTime64('2031-01-01 00:00:00', 6, 'UTC') AND event_kind = 'turn'`;
  const text = await (await client.query({ query, format: "TabSeparated" })).text();
  expect(text).toMatch(/Min-Max[\s\S]*Parts: 0\/1/);
  await client.close();
});

test("a body that was damaged is left out, and the page says so", async () => {
  const client = rawClient();
  await store.append({
    batchId: "damaged",
    receivedAt: receivedAt(2),
    events: [sampleEvent("dd", { root_trace_id: "root-damaged" })],
  });
  await client.command({
    query: `ALTER TABLE bundles UPDATE body = replace(body, '"tool_call"', '"other_call"')
      WHERE root_trace_id = 'root-damaged' SETTINGS mutations_sync = 2`,
  });
  const root = await store.root(allTenants, "root-damaged", { limit: 10 });
  expect([root.events.length, root.bounded]).toEqual([0, true]);
  const page = await store.page(allTenants, {}, { limit: 1_000 });
  expect([page.events.length > 0, page.bounded]).toEqual([true, true]);
  await client.close();
});

test("data of a newer version is refused", async () => {
  const client = rawClient();
  await client.command({ query: "INSERT INTO migrations (version, name) VALUES (999, 'future')" });
  await expect(clickhouse({ connection: { dataDir } })).rejects.toThrow("store_version_newer");
  await client.command({ query: "TRUNCATE TABLE migrations" });
  await client.command({ query: "INSERT INTO migrations (version, name) VALUES (10, 'bundles')" });
  await client.close();
});

test("the engine's hash is ours", async () => {
  const { murmur32 } = await import("../../../packages/store/src/bundle/murmur.ts");
  const client = rawClient();
  const texts = ["", "a", "ab", "abc", "abcd", "agent:helper", "ü💩", "x".repeat(241), "a\u0000b"];
  for (const text of texts) {
    const hex = Buffer.from(text).toString("hex");
    const result = await client.query({
      query: `SELECT murmurHash3_32(unhex('${hex}')) AS hash`,
      format: "JSONEachRow",
    });
    const [row] = await result.json<{ hash: number }>();
    expect(murmur32(text)).toBe(row?.hash);
  }
  await client.close();
});
