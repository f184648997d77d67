/**
 * @module Verdict tables of an earlier version: a store that is opened drops them, with what they
 * hold of users, once no old events lie beside them; a store that must not be changed keeps them.
 */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { clickhouse, filesystem, mongodb, postgres } from "@turnproof/store";
import { clickhouseAdmin } from "@turnproof/store/admin";
import { MongoClient } from "mongodb";
import { afterAll, describe, expect, test } from "vitest";

import { openEngine } from "../../../packages/store/src/clickhouse/connection.ts";
import { startMongo } from "../../servers/mongodb.ts";
import { startPglite } from "../../servers/pglite.ts";
import { temporaryDirectories } from "./temporary-directory.ts";

const directories = temporaryDirectories();
const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
  await directories.remove();
});

/** A store, and the table that an earlier version left in it. */
interface Ground {
  /** Opens the store and closes it again. */
  readonly open: () => Promise<void>;
  /** Opens it so that nothing may be changed, or refuses. */
  readonly look: () => Promise<unknown>;
  /** Puts the table there, with a row of a user. */
  readonly plant: () => Promise<void>;
  readonly rows: () => Promise<number | undefined>;
}

const grounds: Readonly<Record<string, () => Promise<Ground>>> = {
  async filesystem() {
    const directory = await directories.make();
    const within = <T>(work: (database: DatabaseSync) => T): T => {
      const database = new DatabaseSync(join(directory, "evidence.sqlite"));
      try {
        return work(database);
      } finally {
        database.close();
      }
    };
    const using = async (more: {
      readonly mayChange?: boolean;
      readonly readOnly?: boolean;
    }): Promise<void> => {
      await using provider = await filesystem({ directory, ...more });
      expect((await provider.evidence.check()).ok).toBe(true);
      await provider.evidence.standing(["root-1"]);
    };
    return {
      open: () => using({}),
      look: async () => {
        await using({ readOnly: true });
        await using({ mayChange: false });
      },
      plant: async () =>
        within((database) => {
          database.exec("CREATE TABLE verdicts (root_trace_id TEXT, user_id TEXT)");
          database.exec("CREATE INDEX verdicts_root ON verdicts (root_trace_id)");
          database.exec("INSERT INTO verdicts VALUES ('root-1', 'ann')");
        }),
      rows: async () =>
        within((database) => {
          const named = "SELECT count(*) AS n FROM sqlite_master WHERE name LIKE 'verdicts%'";
          if (database.prepare(named).get()?.["n"] === 0) return undefined;
          return Number(database.prepare("SELECT count(*) AS n FROM verdicts").get()?.["n"]);
        }),
    };
  },
  async postgres() {
    const client = await startPglite();
    closing.push(() => client.close());
    const count = async (sql: string): Promise<number> =>
      Number((await client.query<{ n: number }>(sql)).rows[0]?.n);
    return {
      open: async () => (await postgres({ client })).close(),
      look: () => expect(postgres({ client, migrate: false })).rejects.toThrow("not_configured"),
      async plant() {
        await client.exec(`DELETE FROM turnproof_migrations WHERE name = 'drop_verdicts';
CREATE TABLE evidence_verdicts (root_trace_id text, user_id text);
INSERT INTO evidence_verdicts VALUES ('root-1', 'ann')`);
      },
      async rows() {
        const held = "SELECT count(*) AS n FROM pg_class WHERE relname = 'evidence_verdicts'";
        if ((await count(held)) === 0) return undefined;
        return count("SELECT count(*) AS n FROM evidence_verdicts");
      },
    };
  },
  async mongodb() {
    const server = await startMongo();
    const client = await new MongoClient(server.url).connect();
    closing.push(async () => {
      await client.close();
      await server.close();
    });
    const database = client.db("verdicts");
    const options = { client, database: "verdicts" };
    return {
      open: async () => (await mongodb(options)).close(),
      look: async () => (await mongodb({ ...options, manageIndexes: false })).close(),
      async plant() {
        await database.collection("evidence_verdicts").insertOne({ user_id: "ann" });
      },
      async rows() {
        const held = await database.collection("evidence_verdicts").countDocuments({});
        return held === 0 ? undefined : held;
      },
    };
  },
  async clickhouse() {
    const dataDir = await directories.make();
    const connection = { dataDir };
    return {
      open: async () => (await clickhouse({ connection })).close(),
      look: async () => (await clickhouseAdmin({ connection, mayChange: false })).close(),
      async plant() {
        const engine = await openEngine(connection);
        await engine.command(
          "CREATE TABLE verdicts (root_trace_id String, user_id String) ENGINE = MergeTree ORDER BY ()",
        );
        await engine.command("INSERT INTO verdicts VALUES ('root-1', 'ann')");
        await engine.close();
      },
      async rows() {
        const engine = await openEngine(connection);
        const { columns } = await engine.query(
          `SELECT toFloat64(ifNull(total_rows, 0)) AS n FROM system.tables
WHERE database = currentDatabase() AND name = 'verdicts'`,
        );
        await engine.close();
        return columns.get("n")?.[0] as number | undefined;
      },
    };
  },
};

describe.each(Object.keys(grounds))("%s", (name) => {
  test(
    "the table goes when the store is opened, not when it is looked at",
    {
      timeout: 120_000,
    },
    async () => {
      const ground = await (grounds[name] as () => Promise<Ground>)();
      await ground.open();
      expect(await ground.rows()).toBe(undefined);
      await ground.plant();
      await ground.look();
      expect(await ground.rows()).toBe(1);
      await ground.open();
      expect(await ground.rows()).toBe(undefined);
    },
  );
});
