/** @module The tables: in step with the registry, every column round-trips, and the engine holds the caps. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createClient } from "@clickhouse/client";
import type { ClickHouseClientConfigOptions } from "@clickhouse/client";
import type { TurnEvent } from "@turnproof/evidence";
import { registryRows } from "@turnproof/semconv";
import { clickhouse, eventColumns } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { everybody, receivedAt, sampleEvent } from "@turnproof/store/testing";
import { createChdbConnection } from "chdb/connection";
import { afterAll, beforeAll, expect, test } from "vitest";

import { clickhouseDdl, ddlFile, turnsDdl, turnsDdlFile } from "../../generate/clickhouse-ddl.ts";

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

test("the .sql file is what the registry says", async () => {
  expect(await readFile(ddlFile, "utf8")).toBe(clickhouseDdl());
  expect(await readFile(turnsDdlFile, "utf8")).toBe(turnsDdl());
});

test("every registry row has one column, and no column is a map or JSON", () => {
  const names = eventColumns.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const row of registryRows) expect(names).toContain(row.event);
  for (const { type } of eventColumns) expect(type).not.toMatch(/Map|JSON|Object|Tuple|Variant/);
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
  const page = await store.root(everybody, "root-1", { limit: 1_000 });
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

test("caps and closed values are held by the tables themselves", async () => {
  const client = rawClient();
  const insert = (column: string, value: string): Promise<unknown> =>
    client.command({
      query: `INSERT INTO events (received_at, root_trace_id, ${column}) VALUES (now(), 'r', ${value})`,
    });
  await expect(insert("status", "'fine'")).rejects.toMatchObject({ code: "469" });
  await expect(insert("thread_id", `repeat('x', 1000)`)).rejects.toMatchObject({ code: "469" });
  await expect(insert("item_names", `arrayMap(x -> 'n', range(33))`)).rejects.toMatchObject({
    code: "469",
  });
  await expect(insert("finish_reason", `[repeat('x', 1000)]`)).rejects.toMatchObject({
    code: "469",
  });
  await client.close();
});

/** A value that the column's condition refuses. */
function beyond({ check, type }: (typeof eventColumns)[number]): string {
  if (check?.form === "numbers") return `arrayMap(x -> 0::${type.slice(6, -1)}, range(33))`;
  return check?.form === "texts" ? `['n', repeat('x', 721)]` : `repeat('x', 721)`;
}

test.each(eventColumns.filter(({ check }) => check !== undefined))(
  "the cap of $name is held whatever the other columns say",
  async (column) => {
    const client = rawClient();
    const query =
      column.name === "root_trace_id"
        ? `INSERT INTO events (received_at, root_trace_id) VALUES (now(), ${beyond(column)})`
        : `INSERT INTO events (received_at, root_trace_id, ${column.name}) VALUES (now(), 'r', ${beyond(column)})`;
    await expect(client.command({ query })).rejects.toMatchObject({ code: "469" });
    await client.close();
  },
);

test("data of a newer version is refused", async () => {
  const client = rawClient();
  await client.command({ query: "INSERT INTO migrations (version, name) VALUES (999, 'future')" });
  await expect(clickhouse({ connection: { dataDir } })).rejects.toThrow("store_version_newer");
  await client.command({ query: "TRUNCATE TABLE migrations" });
  await client.command({ query: "INSERT INTO migrations (version, name) VALUES (1, 'evidence')" });
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
