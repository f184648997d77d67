/**
 * `turnproof import` from files, a table of PostgreSQL and a collection of MongoDB: the same
 * evidence from each, and words that only reveal reaches (requirements: Versioning; collector:
 * Answer).
 */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { MongoClient, ObjectId } from "mongodb";
import { filesystem } from "@turnproof/store";
import { createCollector, parseConfig } from "turnproof";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";

import { createProgram } from "../../../collector/src/cli/program.ts";
import { openMongo } from "../../servers/mongo-database.ts";
import type { MongoDatabase } from "../../servers/mongo-database.ts";
import { startPostgres } from "../../servers/postgres.ts";
import type { PostgresServer } from "../../servers/postgres.ts";
import { quiet } from "./desk.ts";

interface LegacyRecord {
  readonly record_id: string;
  readonly created_at: string;
  readonly agent_id: string;
  readonly thread_id: string;
  readonly payload: { readonly events: readonly object[] };
}

const golden = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../golden/normalize/v1-turn.json"), "utf8"),
) as { readonly rows: readonly [LegacyRecord]; readonly expect: { readonly events: object[] } };
const [bundle] = golden.rows;

let postgres: PostgresServer;
let mongo: MongoDatabase;
let database: string;

beforeAll(async () => {
  postgres = await startPostgres();
  mongo = await openMongo();
  database = await postgres.createDatabase();
  const { payload, created_at, agent_id, thread_id } = bundle;
  const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  const values = [created_at, agent_id, thread_id].map(literal).join(", ");
  const json = literal(JSON.stringify(payload));
  await postgres.run(
    database,
    `CREATE TABLE trace_bundles (id bigint, created_at timestamptz, agent_id text, thread_id text, payload json);
CREATE TABLE "OldTexts" (record_id text, created_at timestamptz, agent_id text, thread_id text, data text);
INSERT INTO trace_bundles VALUES (7, ${values}, ${json}), (8, now(), 'x', 'y', '{"no": "bundle"}');
INSERT INTO "OldTexts" VALUES ('r-1', ${values}, ${json})`,
  );
  const client = new MongoClient(mongo.url);
  await client
    .db()
    .collection("trace_bundles")
    .insertMany([
      { _id: new ObjectId(), created_at: new Date(created_at), agent_id, thread_id, payload },
      { _id: new ObjectId(), note: "no bundle" },
    ]);
  await client.close();
});
afterAll(async () => {
  await postgres.close();
  await mongo.close();
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

interface Ran {
  readonly code: number;
  readonly report: {
    readonly applied: boolean;
    readonly rows: number;
    readonly events: number;
    readonly content: number;
    readonly findings: Readonly<Record<string, number>>;
  };
  readonly stated: string;
}

/** Runs the command in this process, as a shell does. */
async function run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ran> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  let out = "";
  let stated = "";
  const stdout = vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    out += String(chunk);
    return true;
  });
  const stderr = vi.spyOn(process.stderr, "write").mockImplementation((chunk) => {
    stated += String(chunk);
    return true;
  });
  const before = process.exitCode;
  try {
    process.exitCode = 0;
    await (await createProgram()).parseAsync(["node", "turnproof", "import", ...args, "--json"]);
    const code = Number(process.exitCode);
    const report = JSON.parse(out) as Ran["report"];
    return { code, report, stated: out + stated };
  } finally {
    process.exitCode = before;
    stdout.mockRestore();
    stderr.mockRestore();
  }
}

const place = (): string => mkdtempSync(join(tmpdir(), "turnproof-import-"));
const target = (dataDir: string): Record<string, string> => ({
  TURNPROOF_DATA_DIR: dataDir,
  TURNPROOF_BACKEND: "filesystem",
});

/** Every source, its environment, and how many of its records are none. */
const sources: readonly (readonly [
  string,
  () => readonly string[],
  () => Record<string, string>,
])[] = [
  [
    "files",
    () => {
      const folder = place();
      writeFileSync(join(folder, "a.json"), JSON.stringify([bundle, { no: "bundle" }]));
      return [folder];
    },
    () => ({}),
  ],
  ["postgres", () => ["postgres"], () => ({ TURNPROOF_POSTGRES_URL: postgres.url(database) })],
  ["mongodb", () => ["mongodb"], () => ({ DOCUMENT_DB_URI: mongo.url })],
];

async function eventsIn(dataDir: string): Promise<readonly object[]> {
  await using provider = await filesystem({ directory: join(dataDir, "files") });
  const { events } = await provider.evidence.page({ tenant: null }, {}, { limit: 1_000 });
  return events.toSorted((a, b) => (a.event_id < b.event_id ? -1 : 1));
}

/** Turns that lists show before any judge has looked. */
async function turnsIn(dataDir: string): Promise<number> {
  await using provider = await filesystem({ directory: join(dataDir, "files") });
  return await provider.evidence.ledger.countTurns({ scope: { tenant: null }, where: [] });
}

describe.each(sources)("from %s", (_name, argumentsOf, environmentOf) => {
  test("a dry run tells and writes nothing; --apply writes once, however often", async () => {
    const dataDir = place();
    const env = { ...target(dataDir), ...environmentOf() };
    const args = argumentsOf();
    const dry = await run(args, env);
    expect(dry.code).toBe(3);
    expect(dry.report).toMatchObject({ applied: false, rows: 2, events: 11, content: 9 });
    expect(dry.stated).not.toContain("CANARY");
    expect(await eventsIn(dataDir)).toEqual([]);
    for (const _ of [1, 2]) {
      const wrote = await run([...args, "--apply"], env);
      expect(wrote.report).toMatchObject({ applied: true, events: 11, content: 9 });
    }
    const events = await eventsIn(dataDir);
    expect(events).toHaveLength(golden.expect.events.length);
    expect(await turnsIn(dataDir)).toBe(1);
    expect(JSON.stringify(events)).not.toContain("CANARY");
  });
});

test("each source gives the same events", async () => {
  const found: string[] = [];
  for (const [, argumentsOf, environmentOf] of sources) {
    const dataDir = place();
    await run([...argumentsOf(), "--apply"], { ...target(dataDir), ...environmentOf() });
    // When it was written is a text of the database's own in one of them.
    const events = (await eventsIn(dataDir)).map(({ ...event }: { received_at?: string }) => {
      delete event.received_at;
      return event;
    });
    found.push(JSON.stringify(events));
  }
  expect(new Set(found).size).toBe(1);
});

test("a table of another name whose payload is text; one that is not there; no address", async () => {
  const env = { ...target(place()), TURNPROOF_POSTGRES_URL: postgres.url(database) };
  const texts = await run(["postgres", "--table", "public.OldTexts"], env);
  expect([texts.code, texts.report]).toEqual([
    0,
    expect.objectContaining({ rows: 1, events: 11, content: 9 }),
  ]);
  for (const table of ["no_such_table", 'x"; DROP TABLE trace_bundles; --']) {
    const refused = await run(["postgres", "--table", table], env);
    expect([refused.code, refused.stated.includes("parameter_invalid, table")]).toEqual([2, true]);
  }
  const nowhere = await run(["mongodb"], { ...env, DOCUMENT_DB_URI: "" });
  expect(nowhere.stated).toContain("not_configured, DOCUMENT_DB_URI");
  const gone = await run(["postgres"], {
    ...env,
    TURNPROOF_POSTGRES_URL: "postgres://u:pw-canary@127.0.0.1:1/x",
  });
  expect(gone.stated).toContain("store_unavailable");
  expect(gone.stated).not.toContain("canary");
});

const accounts = {
  admin: { token: "admin-q7KxZt4Wm9Rc2Yd8", role: "admin" },
  operator: { token: "operator-q7KxZt4Wm9Rc2Yd8", role: "operator" },
  nobody: { token: "nobody-q7KxZt4Wm9Rc2Yd8", role: "admin", user_id: null },
  alice: { token: "alice-q7KxZt4Wm9Rc2Yd8", role: "admin", user_id: "alice" },
  app: { token: "app-q7KxZt4Wm9Rc2Yd8", role: "admin", application_id: "desk" },
} as const;

interface Revealed {
  readonly status: number;
  readonly text: string;
}

/** Starts a collector over what was imported, sends requests, and stops it. */
async function reveal(
  dataDir: string,
  mode: string,
  requested: readonly (readonly [name: keyof typeof accounts, event: string])[],
): Promise<readonly Revealed[]> {
  const config = parseConfig({
    ...target(dataDir),
    TURNPROOF_UI_ACCOUNTS: JSON.stringify(accounts),
    TURNPROOF_UI_TRACE_CONTENT_MODE: mode,
  });
  const collector = await createCollector({ config, log: quiet, judge: false });
  const answers: Revealed[] = [];
  for (const [name, event_id] of requested) {
    const response = await collector.app.request("http://localhost:4318/traces/reveal", {
      method: "POST",
      headers: {
        authorization: `Bearer ${accounts[name].token}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ agent_id: "helper", root_trace_id: "root-1", event_id }),
    });
    answers.push({ status: response.status, text: await response.text() });
  }
  for (const path of [
    "/traces/events.json?store=all&scope=anonymous",
    "/traces/root-1.json",
    "/traces/events.json?view=bundles",
    "/traces/find.json?id=root-1",
    "/memory.json?scope=anonymous",
    "/threads/th-1.json",
  ]) {
    const page = await collector.app.request(`http://localhost:4318${path}`, {
      headers: { authorization: `Bearer ${accounts.admin.token}` },
    });
    expect([path, page.status, (await page.text()).includes("CANARY")]).toEqual([path, 200, false]);
  }
  await collector.close();
  expect(readFileSync(join(dataDir, "audit.jsonl"), "utf8")).not.toContain("CANARY");
  return answers;
}

describe("words of imported bundles", () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = place();
    const folder = place();
    const [first, ...rest] = bundle.payload.events;
    const requested = {
      ...first,
      query: "CANARY I am carol@example.test, password=hunter2hunter2",
    };
    const payload = { ...bundle.payload, events: [requested, ...rest] };
    writeFileSync(join(folder, "a.json"), JSON.stringify({ ...bundle, payload }));
    const wrote = await run([folder, "--apply"], target(dataDir));
    expect(wrote.code).toBe(0);
  });

  test("are shown in full to who may reveal them, and to nobody else", async () => {
    const [turn, tool, call, bound, operator, foreign, application, none] = await reveal(
      dataDir,
      "full",
      [
        ["admin", "e11"],
        ["admin", "e8"],
        ["admin", "e5"],
        ["nobody", "e11"],
        ["operator", "e11"],
        ["alice", "e11"],
        ["app", "e11"],
        ["admin", "e10"],
      ],
    );
    expect([turn?.status, turn?.text]).toEqual([
      200,
      expect.stringContaining('"part":"assistant"'),
    ]);
    expect(turn?.text).toContain("CANARY");
    expect(tool?.text).toContain('"part":"result","text":"CANARY"');
    expect(call?.text).toContain("CANARY prompt");
    expect(bound?.status).toBe(200);
    expect([operator?.status, foreign?.status, none?.status]).toEqual([403, 404, 404]);
    expect([403, 404]).toContain(application?.status);
    for (const refused of [operator, foreign, application]) {
      expect(refused?.text).not.toContain("CANARY");
    }
  });

  test("are masked in the mode redacted and hidden in metadata", async () => {
    const [masked] = await reveal(dataDir, "redacted", [["admin", "e1"]]);
    expect([masked?.status, masked?.text]).toEqual([200, expect.stringContaining("CANARY")]);
    expect(masked?.text).toContain("[e-mail]");
    expect(masked?.text).not.toMatch(/carol@|hunter2/);
    const [hidden] = await reveal(dataDir, "metadata", [["admin", "e1"]]);
    expect([hidden?.status, hidden?.text]).toEqual([
      403,
      expect.stringContaining("content_hidden"),
    ]);
  });

  test("age as previews, and are left behind when nobody wants them", async () => {
    const folder = place();
    writeFileSync(join(folder, "a.json"), JSON.stringify(bundle));
    const without = place();
    const left = await run([folder, "--apply", "--no-content"], target(without));
    expect(left.report).toMatchObject({ events: 11, content: 0 });
    const [nothing] = await reveal(without, "full", [["admin", "e11"]]);
    expect(nothing?.status).toBe(404);

    const aged = place();
    await run([folder, "--apply"], target(aged));
    const provider = await filesystem({ directory: join(aged, "memory") });
    const now = new Date(Date.now() + 8 * 86_400_000).toISOString();
    const policy = { outcome: 365, metadata: 30, structure: 1, preview: 7 };
    const report = await provider.retention.memory({ policy, now, dryRun: false });
    expect(report.classes).toContainEqual({ class: "preview", expired: 9, removed: 9 });
    await provider.close();
    const [gone] = await reveal(aged, "full", [["admin", "e11"]]);
    expect(gone?.status).toBe(404);
  });
});
