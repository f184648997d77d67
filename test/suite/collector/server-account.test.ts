/**
 * Evidence that a server lost behind the collectors' back: the next start, doctor and Health show
 * what is gone, by each collector's own account, and no verdict rests on it (faults R28).
 */
import { createClient } from "@clickhouse/client";
import { recordStored } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";
import { MongoClient } from "mongodb";
import { afterAll, expect, test, vi } from "vitest";

import { accountChecks } from "../../../collector/src/cli/doctor-account.ts";
import { createCollector } from "../../../collector/src/collector.ts";
import type { Collector } from "../../../collector/src/collector.ts";
import { parseConfig } from "../../../collector/src/config/read-config.ts";
import { startClickhouseServer } from "../../servers/clickhouse-http.ts";
import { openMongo } from "../../servers/mongo-database.ts";
import { startPostgres } from "../../servers/postgres.ts";
import { temporaryDirectories } from "../store/temporary-directory.ts";
import { judgeTurns, quiet } from "./desk.ts";
import { isoOf, start, turnAt } from "./stopped-judge.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

/** A server, and a way to its rows that passes by the collector. */
interface Server {
  readonly env: Readonly<Record<string, string>>;
  /** Removes the evidence of a root; with its turns too where `turns`. */
  remove(root: string, turns: boolean): Promise<void>;
  close(): Promise<void>;
}

async function postgresServer(): Promise<Server> {
  const server = await startPostgres();
  const database = await server.createDatabase();
  return {
    env: { TURNPROOF_BACKEND: "postgres", TURNPROOF_POSTGRES_URL: server.url(database) },
    async remove(root, turns) {
      const named = `root_trace_id = '${root}'`;
      const own = `root = (SELECT root FROM evidence_roots WHERE ${named})`;
      // The counts of the trace remain where only rows go.
      const rest = turns
        ? `; DELETE FROM evidence_roots WHERE ${named}; DELETE FROM turn_ledger WHERE ${named}`
        : "";
      await server.run(database, `DELETE FROM evidence_bundles WHERE ${own}${rest}`);
    },
    close: () => server.close(),
  };
}

async function clickhouseServer(): Promise<Server> {
  const server = await startClickhouseServer();
  const client = createClient({ url: server.url });
  return {
    env: { TURNPROOF_BACKEND: "clickhouse", TURNPROOF_CLICKHOUSE_URL: server.url },
    async remove(root, turns) {
      for (const table of ["bundles", ...(turns ? ["turn_ledger"] : [])]) {
        await client.command({
          query: `ALTER TABLE ${table} DELETE WHERE root_trace_id = '${root}'`,
          clickhouse_settings: { mutations_sync: "2" },
        });
      }
    },
    async close() {
      await client.close();
      await server.close();
    },
  };
}

async function mongodbServer(): Promise<Server> {
  const databases = await openMongo();
  const { url, name } = databases.other();
  const client = new MongoClient(url);
  return {
    env: { TURNPROOF_BACKEND: "mongodb", DOCUMENT_DB_URI: url },
    async remove(root, turns) {
      for (const table of ["evidence_bundles", ...(turns ? ["turn_ledger"] : [])]) {
        const { deletedCount } = await client
          .db(name)
          .collection(table)
          .deleteMany({ root_trace_id: { $eq: root } });
        expect([table, deletedCount > 0]).toEqual([table, true]);
      }
    },
    async close() {
      await client.close();
      await databases.close();
    },
  };
}

const servers = {
  postgres: postgresServer,
  clickhouse: clickhouseServer,
  mongodb: mongodbServer,
} as const;

const requested = async (collector: Collector, path: string): Promise<Response> =>
  collector.app.request(`http://127.0.0.1${path}`);

const waits = { timeout: 100_000, interval: 100 } as const;

interface Compared {
  readonly collector: { readonly ingest: { readonly missing: Record<string, number> | null } };
}

/** What Health has of the comparison, once it is made. */
async function comparedBy(collector: Collector): Promise<Record<string, number>> {
  return vi.waitFor(async () => {
    const health = (await (await requested(collector, "/traces/health.json")).json()) as Compared;
    const { missing } = health.collector.ingest;
    if (typeof missing?.["turns"] !== "number") throw new Error("not compared yet");
    return missing;
  }, waits);
}

async function verdicts(collector: Collector): Promise<Readonly<Record<string, unknown>>> {
  const { items } = (await (await requested(collector, "/traces/turns.json")).json()) as {
    readonly items: readonly { readonly root_trace_id: string; readonly verdict: unknown }[];
  };
  return Object.fromEntries(items.map(({ root_trace_id: root, verdict }) => [root, verdict]));
}

// Side by side: each waits for verdicts and for comparisons, by clocks that are the product's.
test.concurrent.each(Object.keys(servers) as (keyof typeof servers)[])(
  "%s: what is gone shows at start, in doctor and on Health, and makes no success",
  async (name) => {
    const server = await servers[name]();
    const errors: object[] = [];
    const log = {
      ...quiet,
      error: (event: string, fields?: object) => void errors.push({ event, ...fields }),
    };
    const configOf = async (): Promise<ReturnType<typeof parseConfig>> =>
      parseConfig({ ...server.env, TURNPROOF_DATA_DIR: await directories.make() });
    const doctorOf = async (
      config: ReturnType<typeof parseConfig>,
      of = "evidence account",
    ): Promise<string> => {
      const found = (await accountChecks(config)).find(({ check }) => check === of);
      return `${found?.state} ${found?.message.split(";")[0]}`;
    };
    try {
      const [one, two] = [await configOf(), await configOf()];
      const first = await createCollector({ config: one, log });
      const other = await createCollector({ config: two, log });
      // Each stores: what the other one stored is in the counts of both.
      const stores = { kept: first, turnless: first, whole: other } as const;
      for (const [root, { store }] of Object.entries(stores)) {
        const batch = { batchId: root, receivedAt: isoOf(start), events: turnAt(root, start) };
        await vi.waitFor(() => store.append(batch), waits);
        await recordStored(store, allTenants, [root]);
        // The judges may have read what was received by then already.
        await judgeTurns(store, [root], { verdict: "success", finding_codes: [] });
      }
      const rows = turnAt("kept", start).length;
      const success = { kept: "success", turnless: "success", whole: "success" };
      await vi.waitFor(async () => expect(await verdicts(first)).toEqual(success), waits);
      for (const each of [first, other]) {
        expect(await comparedBy(each)).toMatchObject({ events_missing: 0 });
        await each.close();
      }
      expect(await doctorOf(one)).toContain(`ok The store holds the ${rows * 3} events`);
      expect(errors).toEqual([]);

      await server.remove("turnless", false);
      await server.remove("whole", true);
      const gone = `fail evidence_missing: ${rows * 2} stored events are gone without a deletion`;
      expect(await doctorOf(two)).toContain(gone);
      expect(await doctorOf(two, "evidence of turns")).toBe(
        `fail evidence_missing: ${rows} rows that turns rest on are gone without a deletion, in 1 ` +
          "trace (turnless)",
      );
      const again = await createCollector({ config: two, log });
      const missing = { events_missing: rows * 2, roots_missing: 1, rows_missing: rows };
      expect(await comparedBy(again)).toMatchObject(missing);
      expect(errors).toContainEqual({ event: "evidence_missing", count: rows * 2 });
      const page = await (await requested(again, "/traces/health")).text();
      expect(page).toContain(`${rows} rows are gone`);
      const metrics = await (await requested(again, "/metrics")).text();
      expect(metrics).toContain(`turnproof_evidence_missing_rows ${rows * 2}`);
      expect(await verdicts(again)).toEqual({ kept: "success", turnless: "partial" });
      await again.close();
      // Neither account forgets it.
      expect(await doctorOf(two)).toContain(gone);
      expect(await doctorOf(one)).toContain(gone);
    } finally {
      await server.close();
    }
  },
  300_000,
);
