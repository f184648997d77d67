/**
 * A server that is away, silent or refuses when the collector starts: spans are taken, the log and
 * Health show which host does not answer and why, reads give up with a code, and all is well by
 * itself when the server is back. The same for one that falls silent later.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { createCollector, parseConfig } from "turnproof";
import type { Collector } from "turnproof";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import { startClickhouseServer } from "../../servers/clickhouse-http.ts";
import { startMongo } from "../../servers/mongodb.ts";
import { startPostgres } from "../../servers/postgres.ts";
import type { PostgresServer } from "../../servers/postgres.ts";
import { startGate } from "../../servers/tcp-gate.ts";
import type { TcpGate } from "../../servers/tcp-gate.ts";
import { chat, protobuf } from "../receive/harness.ts";

const closing: (() => Promise<unknown>)[] = [];
let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
  closing.push(() => postgres.close());
});
afterAll(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

interface Line {
  readonly event: string;
  readonly [field: string]: unknown;
}

interface Running {
  readonly collector: Collector;
  readonly lines: readonly Line[];
  get(path: string, accept?: string): Promise<Response>;
  send(count: number): Promise<number>;
  health(): Promise<HealthReport>;
}

interface HealthReport {
  readonly collector: {
    readonly store: { readonly ok: boolean; readonly host: string; readonly reason: string | null };
    readonly ingest: { readonly journal: { readonly pending_spans: number } };
  };
}

async function start(env: Record<string, string>): Promise<Running> {
  const dataDir = await mkdtemp(join(tmpdir(), "turnproof-away-"));
  closing.push(() => rm(dataDir, { recursive: true, force: true }));
  const lines: Line[] = [];
  const note = (event: string, fields: object = {}): void => void lines.push({ event, ...fields });
  const collector = await createCollector({
    config: parseConfig({ TURNPROOF_DATA_DIR: dataDir, ...env }),
    log: { info: note, warn: note, error: note },
    judge: false,
  });
  closing.push(() => collector.close(100));
  const get: Running["get"] = async (path, accept = "application/json") =>
    collector.app.request(`http://localhost:4318${path}`, { headers: { accept } });
  let sent = 0;
  return {
    collector,
    lines,
    get,
    async send(count) {
      const spans = Array.from({ length: count }, () => {
        sent += 1;
        return chat(sent);
      });
      const response = await collector.app.request("http://localhost:4318/v1/traces", {
        method: "POST",
        headers: protobuf,
        body: Uint8Array.from(encodeProtobuf(traceRequest(spans))),
      });
      return response.status;
    },
    health: async () => (await (await get("/traces/health.json")).json()) as HealthReport,
  };
}

async function until(holds: () => Promise<boolean>, ms = 30_000): Promise<void> {
  const end = Date.now() + ms;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error("it did not come to that");
    await sleep(100);
  }
}

interface Case {
  readonly gate: TcpGate;
  readonly env: Record<string, string>;
}

const cases = {
  clickhouse: async (): Promise<Case> => {
    const server = await startClickhouseServer({ user: "writer", password: "canary-secret" });
    closing.push(() => server.close());
    const gate = await startGate(Number(new URL(server.url).port));
    const url = `http://writer:canary-secret@127.0.0.1:${gate.port}/away`;
    return { gate, env: { TURNPROOF_BACKEND: "clickhouse", TURNPROOF_CLICKHOUSE_URL: url } };
  },
  postgres: async (): Promise<Case> => {
    const direct = new URL(postgres.url(await postgres.createDatabase()));
    const gate = await startGate(Number(direct.port));
    direct.port = String(gate.port);
    const env = { TURNPROOF_BACKEND: "postgres", TURNPROOF_POSTGRES_URL: direct.href };
    // Memory on the same server comes late with it.
    return { gate, env: { ...env, TURNPROOF_MEMORY_BACKEND: "postgres" } };
  },
  mongodb: async (): Promise<Case> => {
    const server = await startMongo();
    closing.push(async () => server[Symbol.asyncDispose]());
    const gate = await startGate(Number(new URL(server.url).port));
    const url = `mongodb://127.0.0.1:${gate.port}/away?directConnection=true`;
    return { gate, env: { TURNPROOF_BACKEND: "mongodb", DOCUMENT_DB_URI: url } };
  },
};

describe("a server", () => {
  test.concurrent.each([
    ["clickhouse", "away"],
    ["clickhouse", "silent"],
    ["postgres", "silent"],
    ["mongodb", "away"],
  ] as const)("of %s is %s at the start, and comes back", async (backend, state) => {
    const { gate, env } = await cases[backend]();
    closing.push(() => gate.close());
    await gate.set(state);
    const begun = Date.now();
    const at = await start(env);
    expect(Date.now() - begun).toBeLessThan(10_000);
    const host = `127.0.0.1:${gate.port}`;
    const away = at.lines.find(({ event }) => event === "store_away");
    expect(away).toMatchObject({ backend, host });
    // MongoDB's driver looks for a server for five seconds before it reports why there is none.
    const reasons = (): unknown[] =>
      at.lines.filter(({ event }) => event === "store_away").map(({ reason }) => reason);
    if (state === "away") await until(async () => reasons().includes("nothing listens there"));
    expect(await at.send(3)).toBe(200);
    const ready = await at.get("/readyz");
    expect(ready.status).toBe(200);
    expect(await ready.json()).toEqual({ ready: true, accepts_spans: true, code: null });
    expect((await at.get("/readyz/store")).status).toBe(503);
    const read = await at.get("/traces/turns.json");
    expect([read.status, read.headers.get("retry-after")]).toEqual([503, "5"]);
    const refused = await (await at.get("/traces/turns", "text/html")).text();
    expect(refused).toContain(host);
    const failed = at.lines.filter(({ event }) => event === "request_failed");
    expect(failed.map(({ host: named }) => named)).toContain(host);
    if (state === "away") {
      expect(refused).toContain("nothing listens there");
      expect(failed.map(({ reason }) => reason)).toContain("nothing listens there");
    }
    const health = await at.health();
    expect(health.collector.ingest.journal.pending_spans).toBe(3);
    expect(health.collector.store).toMatchObject({ ok: false, host });
    const page = await (await at.get("/traces/health", "text/html")).text();
    expect(page.includes(host)).toBe(true);
    if (state === "away") expect(page.includes("nothing listens there")).toBe(true);
    await gate.set("open");
    await until(
      async () => (await at.health()).collector.ingest.journal.pending_spans === 0,
      60_000,
    );
    const turns = (await (await at.get("/traces/turns.json")).json()) as { items: object[] };
    expect(turns.items).toHaveLength(1);
    expect((await at.get("/readyz/store")).status).toBe(200);

    // It falls silent, and reads give up.
    await gate.set("silent");
    const requested = Date.now();
    const late = await at.get("/traces/turns.json");
    expect(late.status).toBe(503);
    expect(Date.now() - requested).toBeLessThan(8_000);
    expect(await at.send(2)).toBe(200);
    const silent = await at.health();
    expect(silent.collector.ingest.journal.pending_spans).toBeGreaterThan(0);
    expect(silent.collector.store.ok).toBe(false);
    expect((await at.get("/readyz")).status).toBe(200);
    await gate.set("open");
    await until(
      async () => (await at.health()).collector.ingest.journal.pending_spans === 0,
      90_000,
    );
    expect(
      /canary-secret|pass%20word|pass word/.test(JSON.stringify(at.lines) + page + refused),
    ).toBe(false);
  });
});

test("postgres refuses the sign-in at the start, and takes it later", async () => {
  await postgres.createRole("late");
  const database = await postgres.createDatabase({ owner: "late" });
  await postgres.run("postgres", "ALTER ROLE late PASSWORD 'another'");
  const url = postgres.url(database, "late");
  const at = await start({ TURNPROOF_BACKEND: "postgres", TURNPROOF_POSTGRES_URL: url });
  expect(at.lines.find(({ event }) => event === "store_away")).toMatchObject({
    host: new URL(url).host,
    reason: "it refuses the sign-in",
  });
  expect(await at.send(1)).toBe(200);
  expect((await at.health()).collector.store.reason).toBe("it refuses the sign-in");
  expect(await (await at.get("/traces/turns.json")).json()).toMatchObject({
    store: { host: new URL(url).host, reason: "it refuses the sign-in" },
  });
  await postgres.run("postgres", "ALTER ROLE late PASSWORD 'pass word:'''");
  await until(async () => (await at.health()).collector.ingest.journal.pending_spans === 0);
  expect(JSON.stringify(at.lines)).not.toMatch(/another|pass%20word|pass word/);
});

test("a proxy before ClickHouse answers 503 in its own words, which are not repeated", async () => {
  const proxy = createServer((request, response) => {
    request.resume().once("end", () => response.writeHead(503).end("canary upstream busy"));
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", () => resolve()));
  closing.push(async () => void proxy.close());
  const { port } = proxy.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/proxied`;
  const at = await start({ TURNPROOF_BACKEND: "clickhouse", TURNPROOF_CLICKHOUSE_URL: url });
  const reason = "it, or a proxy before it, answers with an error that is not ClickHouse's";
  const away = { backend: "clickhouse", host: `127.0.0.1:${port}`, reason };
  expect(at.lines.find(({ event }) => event === "store_away")).toMatchObject(away);
  expect((await at.health()).collector.store.reason).toBe(reason);
  expect(JSON.stringify(at.lines)).not.toContain("canary");
});
