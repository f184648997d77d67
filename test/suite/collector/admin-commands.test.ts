/** Commands of an operator: import, retention, backfill and parity, migrate, deletion of a user. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Conversation } from "@turnproof/memory";
import { identityPurpose, keyedFingerprint, parseKeyring } from "@turnproof/semconv/fingerprint";
import { clickhouse, filesystem } from "@turnproof/store";
import { clickhouseAdmin, defaultRetention } from "@turnproof/store/admin";
import { allTenants } from "@turnproof/store/testing";
import { expect, test } from "vitest";

import { turnEvents } from "./desk.ts";

const root = join(import.meta.dirname, "../../..");

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the command line as it is built. */
function turnproof(args: readonly string[], env: Record<string, string>): Promise<Ran> {
  const argv = [join(root, "collector/bin/turnproof.js"), ...args];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      argv,
      { cwd: root, env: { PATH: process.env["PATH"], ...env } },
      (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}

const folder = (): string => mkdtempSync(join(tmpdir(), "turnproof-admin-"));

const legacy = {
  record_id: "r-1",
  record_type: "trace_bundle",
  agent_id: "helper",
  user_id: "alice",
  thread_id: "t-1",
  created_at: "2025-03-01T10:00:00Z",
  payload: {
    type: "trace_bundle",
    version: 2,
    identity: { agent_id: "helper", user_id: "alice", thread_id: "t-1", turn_id: "turn-1" },
    event_count: 2,
    events: [
      { event_id: "a", event_kind: "turn_start", timestamp: "2025-03-01T10:00:00Z" },
      {
        event_id: "b",
        event_kind: "tool_result",
        timestamp: "2025-03-01T10:00:01Z",
        tool_name: "search",
        status: "success",
        result: "canary result",
      },
    ],
  },
};

test("legacy bundles are reported first, then written once, without their text", async () => {
  const dataDir = folder();
  const files = folder();
  mkdirSync(join(files, "inner"));
  writeFileSync(join(files, "a.json"), JSON.stringify([legacy]));
  const lines = `${JSON.stringify({ ...legacy, record_id: "r-2" })}\nno json\n`;
  writeFileSync(join(files, "inner/b.jsonl"), lines);
  const env = { TURNPROOF_DATA_DIR: dataDir, TURNPROOF_BACKEND: "filesystem" };
  const dry = await turnproof(["import", files, "--json"], env);
  expect([dry.code, JSON.parse(dry.out)]).toEqual([
    3,
    expect.objectContaining({ applied: false, files: 2, rows: 3, events: 4 }),
  ]);
  expect(`${dry.out}${dry.err}`).not.toContain("canary");
  for (const _ of [1, 2]) {
    const wrote = await turnproof(["import", files, "--apply", "--json"], env);
    expect(JSON.parse(wrote.out)).toMatchObject({
      applied: true,
      findings: { invalid_source_row: 1 },
    });
  }
  await using provider = await filesystem({ directory: join(dataDir, "files") });
  const page = await provider.evidence.page({ tenant: "alice" }, {}, { limit: 100 });
  expect(page.events.map(({ event_id }) => event_id).toSorted()).toEqual(["a", "b"]);
  expect(JSON.stringify(page)).not.toContain("canary");
}, 120_000);

test("a backfill is a dry run first; parity proves it and sees what is missing", async () => {
  const dataDir = folder();
  const env = { TURNPROOF_DATA_DIR: dataDir };
  const receivedAt = "2026-11-21T10:00:00.000000Z";
  {
    await using provider = await filesystem({ directory: join(dataDir, "files") });
    for (const name of ["one", "two"]) {
      const events = turnEvents({ root: `root-${name}`, user: name });
      await provider.evidence.append({ batchId: name, receivedAt, events });
    }
  }
  const dry = await turnproof(["backfill", "--from", "filesystem", "--json"], env);
  expect(JSON.parse(dry.out)).toMatchObject({ events: 6, applied: false });
  const before = await turnproof(["parity", "--from", "filesystem", "--json"], env);
  expect([before.code, JSON.parse(before.out)]).toEqual([
    1,
    expect.objectContaining({ compared: 6, missing: 6 }),
  ]);
  const wrote = await turnproof(["backfill", "--from", "filesystem", "--apply"], env);
  expect([wrote.code, wrote.err]).toEqual([0, expect.stringContaining("6 events copied")]);
  const after = await turnproof(["parity", "--from", "filesystem", "--json"], env);
  expect([after.code, JSON.parse(after.out)]).toEqual([
    0,
    expect.objectContaining({ compared: 6, missing: 0, extra: 0 }),
  ]);
  const itself = await turnproof(["backfill", "--from", "clickhouse"], env);
  expect(itself.code).toBe(2);
  // Received long before any judge looks again: the turns stand all the same.
  await using store = await clickhouse({ connection: { dataDir: join(dataDir, "clickhouse") } });
  expect(await store.ledger.countTurns({ scope: allTenants, where: [] })).toBe(2);
}, 240_000);

test("retention takes each class at its age, and nothing in a dry run", async () => {
  const dataDir = folder();
  const connection = { dataDir: join(dataDir, "clickhouse") };
  const now = "2026-11-21T12:00:00.000Z";
  const days = { outcome: 365, metadata: 30, structure: 1 };
  const put: readonly (readonly [root: string, receivedAt: string])[] = [
    ["root-ancient", "2025-01-15T10:00:00.000000Z"],
    ["root-old", "2026-09-15T10:00:00.000000Z"],
    ["root-young", "2026-11-20T10:00:00.000000Z"],
  ];
  {
    await using store = await clickhouse({ connection });
    for (const [name, receivedAt] of put) {
      const events = turnEvents({ root: name, user: "alice" });
      const [turn] = events;
      if (turn === undefined) throw new Error("a turn has events");
      const attributes = { outcome: "success", verified: true };
      const seen = { ...turn, event_id: `${name}-o`, event_kind: "outcome" as const, attributes };
      await store.append({ batchId: name, receivedAt, events: [...events, seen] });
    }
    const plain = turnEvents({ root: "root-plain", user: "alice" }).map((event) => ({
      ...event,
      event_kind: "span" as const,
      attributes: {},
    }));
    await store.append({ batchId: "p", receivedAt: "2026-11-18T10:00:00.000000Z", events: plain });
  }
  {
    await using admin = await clickhouseAdmin({ connection });
    const policy = { ...defaultRetention, ...days };
    const classes = (removed: boolean): unknown =>
      Object.entries({ outcome: 1, metadata: 6, structure: 3 }).map(([name, expired]) => ({
        class: name,
        expired,
        removed: removed ? expired : 0,
      }));
    const plan = await admin.evidence({ policy, now });
    expect(plan.classes).toEqual(classes(false));
    expect(await admin.evidence({ policy, now })).toEqual(plan);
    const done = await admin.evidence({ policy, now, dryRun: false });
    expect(done.classes).toEqual(classes(true));
    const wrong = { ...policy, outcome: 1 };
    await expect(admin.evidence({ policy: wrong, now })).rejects.toMatchObject({
      code: "parameter_invalid",
    });
  }
  await using store = await clickhouse({ connection });
  const { events } = await store.page({ tenant: "alice" }, {}, { limit: 100 });
  expect(events.map(({ event_id }) => event_id).toSorted()).toEqual([
    "root-old-o",
    "root-young-model:result",
    "root-young-o",
    "root-young-tool:result",
    "root-young-turn-span:result",
  ]);
}, 120_000);

// An older guard keyed the latter, so rows of both forms may be there.
const typed = ["alice@example.test", "client:203.0.113.9"];
test.each(typed)(
  "a user goes under what was typed and under its keyed form: %s",
  async (mail) => {
    const dataDir = folder();
    const secret = "q7KxZt4Wm9Rc2Yd8Vb5Ns1Lp6Hf3Gj0Tu";
    const env = {
      TURNPROOF_DATA_DIR: dataDir,
      TURNPROOF_BACKEND: "filesystem",
      TURNPROOF_IDENTITY_KEY: secret,
    };
    const [key] = parseKeyring(secret);
    const keyed = keyedFingerprint(mail, { key, purpose: identityPurpose });
    const memoryDir = join(dataDir, "memory");
    {
      await using provider = await filesystem({ directory: memoryDir });
      for (const userId of [mail, keyed, "bob"]) {
        const place = { userId, agentId: "helper", threadId: "t" };
        await new Conversation(provider.memory).append(place, [{ role: "user", text: "canary" }]);
      }
    }
    const dry = await turnproof(["delete-user", mail, "--json"], env);
    expect([dry.code, JSON.parse(dry.out)]).toEqual([0, expect.objectContaining({ remaining: 2 })]);
    const gone = await turnproof(["delete-user", mail, "--apply", "--json"], env);
    expect([gone.code, JSON.parse(gone.out)]).toEqual([
      0,
      expect.objectContaining({ remaining: 0 }),
    ]);
    expect(`${gone.out}${gone.err}`).not.toMatch(/alice|203|canary/);
    await using provider = await filesystem({ directory: memoryDir });
    const left = [mail, keyed, "bob"].map((tenant) =>
      provider.memory.count({ tenant }, "conversation"),
    );
    expect(await Promise.all(left)).toEqual([0, 0, 1]);
  },
  240_000,
);

test("a user's memory goes kind by kind, and nobody else's", async () => {
  const dataDir = folder();
  const env = { TURNPROOF_DATA_DIR: dataDir, TURNPROOF_BACKEND: "filesystem" };
  {
    await using provider = await filesystem({ directory: join(dataDir, "memory") });
    for (const userId of ["alice", "bob"]) {
      const place = { userId, agentId: "helper", threadId: "t" };
      await new Conversation(provider.memory).append(place, [{ role: "user", text: "canary" }]);
    }
  }
  const dry = await turnproof(["delete-user", "alice", "--json"], env);
  expect([dry.code, JSON.parse(dry.out)]).toEqual([0, expect.objectContaining({ remaining: 1 })]);
  const gone = await turnproof(["delete-user", "alice", "--apply", "--json"], env);
  expect([gone.code, JSON.parse(gone.out)]).toEqual([0, expect.objectContaining({ remaining: 0 })]);
  const nobody = await turnproof(["delete-user", "dora", "--apply", "--json"], env);
  expect([nobody.code, JSON.parse(nobody.out)]).toEqual([
    0,
    expect.objectContaining({ applied: true, remaining: 0 }),
  ]);
  await using provider = await filesystem({ directory: join(dataDir, "memory") });
  expect(await provider.memory.count({ tenant: "bob" }, "conversation")).toBe(1);
  expect((await turnproof(["migrate", "--apply", "--json"], env)).code).toBe(0);
  for (const command of ["import", "retention", "backfill", "parity", "migrate", "delete-user"]) {
    const help = await turnproof([command, "--help"], env);
    expect([command, help.code, help.out.includes("--json")]).toEqual([command, 0, true]);
  }
}, 240_000);
