/**
 * @module SharedServers: stores that several collectors share, and turns that are sent to one of
 * these until they are acknowledged.
 */
import { setTimeout as sleep } from "node:timers/promises";

import { createClient } from "@clickhouse/client";

import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import { startClickhouseServer } from "../../servers/clickhouse-http.ts";
import { startPostgres } from "../../servers/postgres.ts";
import { spansOf } from "./failed-turn.ts";

/** Token with which spans are sent. */
export const ingestToken = "ingest-q7KxZt4Wm9Rc2Yd8";

/** A store of several collectors. */
export interface SharedServer {
  readonly env: Record<string, string>;
  /** Ledger rows that stand for each root and turn, with their verdict. */
  rows(): Promise<readonly (readonly [root: string, verdict: string])[]>;
  close(): Promise<unknown>;
}

/** A PostgreSQL. */
export async function postgresServer(): Promise<SharedServer> {
  const server = await startPostgres();
  const database = await server.createDatabase();
  return {
    close: () => server.close(),
    env: { TURNPROOF_BACKEND: "postgres", TURNPROOF_POSTGRES_URL: server.url(database) },
    async rows() {
      const sql = "SELECT root_trace_id, verdict FROM turn_ledger WHERE NOT gone";
      const rows = await server.run(database, sql);
      return rows.map((row) => [String(row["root_trace_id"]), String(row["verdict"])]);
    },
  };
}

/** A server of ClickHouse's HTTP protocol. */
export async function clickhouseServer(): Promise<SharedServer> {
  const server = await startClickhouseServer();
  return {
    close: () => server.close(),
    env: { TURNPROOF_BACKEND: "clickhouse", TURNPROOF_CLICKHOUSE_URL: `${server.url}/turnproof` },
    async rows() {
      const client = createClient({ url: server.url, database: "turnproof" });
      const query = "SELECT root_trace_id, verdict FROM turn_ledger FINAL WHERE NOT gone";
      const result = await client.query({ query, format: "JSONCompactEachRow" });
      const rows = await result.json<[string, string]>();
      await client.close();
      return rows;
    },
  };
}

let spans = 0;
const spanId = (): string => (++spans).toString(16).padStart(16, "0");

async function put(url: string, sent: readonly object[]): Promise<boolean> {
  const body = encodeProtobuf(traceRequest(sent as never, { "service.name": "desk" })) as BodyInit;
  const headers = {
    "content-type": "application/x-protobuf",
    authorization: `Bearer ${ingestToken}`,
  };
  const init = { method: "POST", body, headers, signal: AbortSignal.timeout(10_000) };
  const answer = await fetch(`${url}/v1/traces`, init).catch(() => undefined);
  await answer?.arrayBuffer().catch(() => {});
  return answer?.status === 200;
}

/** Sends until it is acknowledged, as an exporter does. */
async function send(url: string, sent: readonly object[]): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (await put(url, sent)) return;
    await sleep(100);
  }
  throw new Error("never acknowledged");
}

/** A turn whose two spans arrive in requests of their own, so that collectors share it. */
export async function sendTurn(url: string, agent: string, failed: boolean): Promise<string> {
  const traceId = (0x1000 + ++spans).toString(16).padStart(32, "0");
  const root = spanId();
  const span = spansOf(traceId, agent);
  const status = failed ? { status: { code: 2 } } : {};
  await send(url, [span(spanId(), "execute_tool", { parentSpanId: root, ...status })]);
  await send(url, [span(root, "invoke_agent", {})]);
  return traceId;
}
