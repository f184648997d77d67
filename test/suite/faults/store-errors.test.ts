/**
 * Errors of a store, of every class, one after another under one collector: a full disk, read-only
 * tables, a refused sign-in, memory or connections used up, too many parts, timeouts. Spans are
 * taken all the while; the error has its code; once it is over everything is stored by itself,
 * once, and nothing is set aside (faults R7, R8).
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { TurnEvent } from "@turnproof/evidence";
import { createCollector, parseConfig } from "turnproof";
import { afterEach, expect, test, vi } from "vitest";

import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import { startClickhouseServer } from "../../servers/clickhouse-http.ts";
import { startMongo } from "../../servers/mongodb.ts";
import { startPostgres } from "../../servers/postgres.ts";
import { quiet } from "../collector/desk.ts";
import { chat, protobuf } from "../receive/harness.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A class of errors: its name, how it begins, and our code for it. */
interface Fault {
  readonly name: string;
  readonly code: string;
  begin(): Promise<unknown>;
}

interface Server {
  readonly env: Readonly<Record<string, string>>;
  readonly faults: readonly Fault[];
  /** Ends the fault. */
  end(): Promise<unknown>;
}

async function clickhouseServer(): Promise<Server> {
  const server = await startClickhouseServer();
  closing.push(() => server.close());
  const refused = [
    ["NOT_ENOUGH_SPACE", 243, "disk_full"],
    ["TABLE_IS_READ_ONLY", 242, "store_busy"],
    ["READONLY", 164, "store_unavailable"],
    ["AUTHENTICATION_FAILED", 516, "store_unavailable"],
    ["ACCESS_DENIED", 497, "store_unavailable"],
    ["MEMORY_LIMIT_EXCEEDED", 241, "store_busy"],
    ["TOO_MANY_PARTS", 252, "store_busy"],
    ["TOO_MANY_SIMULTANEOUS_QUERIES", 202, "store_busy"],
    ["TIMEOUT_EXCEEDED", 159, "store_busy"],
    ["UNKNOWN_TABLE", 60, "store_unavailable"],
  ] as const;
  return {
    env: { TURNPROOF_BACKEND: "clickhouse", TURNPROOF_CLICKHOUSE_URL: server.url },
    faults: [
      ...refused.map(([name, code, ours]) => ({
        name,
        code: ours,
        // Every statement is refused, reads too.
        begin: () => server.inject({ refuse: { statement: "", code, name } }),
      })),
      {
        name: "connections torn down",
        code: "store_unavailable",
        begin: () => server.inject({ down: true }),
      },
    ],
    end: () => server.inject({}),
  };
}

async function postgresServer(): Promise<Server> {
  const server = await startPostgres();
  closing.push(() => server.close());
  await server.createRole("app");
  const database = await server.createDatabase({ owner: "app" });
  const run = (sql: string): Promise<unknown> => server.run(database, sql);
  const restart = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'`;
  const refused = [
    ["disk_full", "53100", "disk_full"],
    ["out_of_memory", "53200", "store_busy"],
    ["too_many_connections", "53300", "store_busy"],
    ["query_canceled", "57014", "store_busy"],
    ["serialization_failure", "40001", "store_busy"],
    ["insufficient_privilege", "42501", "store_unavailable"],
    ["io_error", "58030", "store_unavailable"],
  ] as const;
  return {
    env: {
      TURNPROOF_BACKEND: "postgres",
      TURNPROOF_POSTGRES_URL: server.url(database, "app"),
    },
    faults: [
      ...refused.map(([name, state, code]) => ({
        name,
        code,
        begin: () =>
          run(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION USING ERRCODE = '${state}'; END $$;
CREATE TRIGGER refuse BEFORE INSERT ON evidence_bundles EXECUTE FUNCTION refuse()`),
      })),
      {
        name: "read-only",
        code: "store_unavailable",
        begin: () => run(`ALTER ROLE app SET default_transaction_read_only = on; ${restart}`),
      },
      {
        name: "wrong password",
        code: "store_unavailable",
        begin: () => run(`ALTER ROLE app PASSWORD 'another'; ${restart}`),
      },
    ],
    end: () =>
      run(`DROP TRIGGER IF EXISTS refuse ON evidence_bundles; DROP FUNCTION IF EXISTS refuse;
ALTER ROLE app RESET default_transaction_read_only; ALTER ROLE app PASSWORD 'pass word:''';
${restart}`),
  };
}

async function mongodbServer(): Promise<Server> {
  const server = await startMongo();
  closing.push(() => server.close());
  const collections = ["evidence_bundles", "evidence_batches", "turn_ledger"];
  const refused = [
    ["OutOfDiskSpace", 14_031, "disk_full"],
    ["ExceededTimeLimit", 262, "store_busy"],
    ["MaxTimeMSExpired", 50, "store_busy"],
    ["NotWritablePrimary", 10_107, "store_unavailable"],
    ["AuthenticationFailed", 18, "store_unavailable"],
    ["ExceededMemoryLimit", 146, "store_busy"],
    ["WriteConcernFailed", 64, "store_unavailable"],
  ] as const;
  return {
    env: { TURNPROOF_BACKEND: "mongodb", DOCUMENT_DB_URI: `${server.url}/errors` },
    faults: refused.map(([name, code, ours]) => ({
      name,
      code: ours,
      begin: async () => server.set({ refuse: { collections, code, name } }),
    })),
    end: async () => server.set({}),
  };
}

const servers = {
  clickhouse: clickhouseServer,
  postgres: postgresServer,
  mongodb: mongodbServer,
} as const;

interface Ingest {
  readonly journal: { readonly pending_spans: number; readonly quarantined_spans: number };
  readonly drain: { readonly failure: string | null };
  readonly conservation: { readonly balanced: boolean; readonly lost: number };
}

const waits = { timeout: 120_000, interval: 50 } as const;

test.each(Object.keys(servers) as (keyof typeof servers)[])(
  "%s: every class of errors has its code, and passes by itself",
  async (name) => {
    const server = await servers[name]();
    const dataDir = await mkdtemp(join(tmpdir(), "store-errors-"));
    closing.push(() => rm(dataDir, { recursive: true, force: true }));
    const collector = await createCollector({
      config: parseConfig({ ...server.env, TURNPROOF_DATA_DIR: dataDir }),
      log: quiet,
      judge: false,
    });
    closing.push(() => collector.close(5_000));
    const get = async (path: string): Promise<Response> =>
      collector.app.request(`http://localhost:4318${path}`);
    const ingest = async (): Promise<Ingest> => {
      const health = (await (await get("/traces/health.json")).json()) as {
        readonly collector: { readonly ingest: Ingest };
      };
      return health.collector.ingest;
    };
    let sent = 0;
    const send = async (): Promise<void> => {
      const spans = Array.from({ length: 5 }, () => chat((sent += 1)));
      const response = await collector.app.request("http://localhost:4318/v1/traces", {
        method: "POST",
        headers: protobuf,
        body: Uint8Array.from(encodeProtobuf(traceRequest(spans))),
      });
      expect(response.status).toBe(200);
    };
    const drained = (): Promise<void> =>
      vi.waitFor(async () => expect((await ingest()).journal.pending_spans).toBe(0), waits);
    await send();
    await drained();
    for (const fault of server.faults) {
      await fault.begin();
      await send();
      const failure = async (): Promise<void> =>
        expect([fault.name, (await ingest()).drain.failure]).toEqual([fault.name, fault.code]);
      await vi.waitFor(failure, waits);
      // Spans are taken while the store refuses, and none of them is given up.
      await send();
      expect((await get("/readyz")).status).toBe(200);
      const during = await ingest();
      expect([fault.name, during.journal.pending_spans]).toEqual([fault.name, 10]);
      await server.end();
      await drained();
    }
    const { conservation, drain, journal } = await ingest();
    expect(conservation).toMatchObject({ balanced: true, lost: 0 });
    expect([drain.failure, journal.quarantined_spans]).toEqual([null, 0]);
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const more: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const page = (await (await get(`/traces/events.json?limit=100${more}`)).json()) as {
        readonly items: readonly TurnEvent[];
        readonly next_cursor: string | null;
        readonly duplicates_removed: number;
      };
      expect(page.duplicates_removed).toBe(0);
      ids.push(...page.items.map(({ event_id: id }) => id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect([ids.length, new Set(ids).size]).toEqual([sent, sent]);
  },
  400_000,
);
