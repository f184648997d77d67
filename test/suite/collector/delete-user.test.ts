/**
 * @module `turnproof delete-user` over a whole data directory: journal, quarantine, evidence,
 * verdicts, memory, replays, a producer's spool; killed half way and run again. Afterwards no byte
 * of the user lies in any file, and nothing of the others is missing.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { openJournal } from "@turnproof/journal";
import { clickhouse, filesystem } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { sampleTurn } from "@turnproof/store/testing";
import { expect, test } from "vitest";

import {
  expectGone,
  fillEvidence,
  fillMemory,
  gone,
  leftovers,
  mark,
  readEvidence,
  staying,
} from "../store/erasure-world.ts";

const root = join(import.meta.dirname, "../../..");

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the command as it is built; with `killMs` it is killed after that time. */
async function deleteUser(
  args: readonly string[],
  env: Record<string, string>,
  killMs?: number,
): Promise<Ran> {
  const argv = [join(root, "collector/bin/turnproof.js"), "delete-user", gone, ...args];
  const child = spawn(process.execPath, argv, {
    cwd: root,
    env: { PATH: process.env["PATH"], ...env },
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (bytes: Buffer) => (out += bytes.toString()));
  child.stderr.on("data", (bytes: Buffer) => (err += bytes.toString()));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  if (killMs !== undefined) void sleep(killMs).then(() => child.kill("SIGKILL"));
  return { code: await ended, out, err };
}

const openStore = async (backend: string, dataDir: string): Promise<EvidenceStore> =>
  backend === "clickhouse"
    ? clickhouse({ connection: { dataDir: join(dataDir, "clickhouse") } })
    : (await filesystem({ directory: join(dataDir, "files") })).evidence;

/** A journal with a frame of the user and another, and one of both in quarantine. */
async function fillJournal(directory: string): Promise<void> {
  const journal = await openJournal({ directory });
  const turns = (name: string): Uint8Array => {
    const events = [
      ...sampleTurn(`root-${mark}-${name}`, { user_id: gone, thread_id: `thread-${mark}` }),
      ...sampleTurn(`root-other-${name}`, { user_id: "other", thread_id: "thread-other" }),
    ];
    return Buffer.from(JSON.stringify(events));
  };
  // Drained, but still in the segment.
  const { sequence } = await journal.append({ payload: turns("drained"), spans: 6 });
  await journal.checkpoint(sequence);
  await journal.append({ payload: turns("pending"), spans: 6 });
  const code = "store_rejected_row";
  await journal.quarantine({ code, payload: turns("bad"), rows: [0, 1, 2, 4, 5], spans: 5 });
  await journal.close();
}

const span = (traceId: string, user?: string): object => ({
  context: { traceId, spanId: "00f067aa0ba902b7", traceFlags: 1 },
  name: "tool",
  kind: 0,
  start: [1, 0],
  end: [2, 0],
  duration: [1, 0],
  status: 0,
  attributes: {
    ...(user === undefined ? {} : { "turnproof.user.id": user }),
    "turnproof.thread.id": user === "other" ? "thread-other" : `thread-${mark}`,
  },
  links: [],
  events: [],
  resource: 0,
  scope: { name: "app" },
  dropped: [0, 0, 0],
});

/** A producer's spool: one trace of the user, of which one span has no user, and another's. */
async function fillSpool(directory: string): Promise<void> {
  const journal = await openJournal({ directory });
  const spans = [span("a".repeat(32), gone), span("a".repeat(32)), span("b".repeat(32), "other")];
  const payload = { version: 1, evidence: 0, resources: [{}], spans };
  await journal.append({ payload: Buffer.from(JSON.stringify(payload)), spans: 3 });
  await journal.close();
}

async function spooled(directory: string): Promise<string> {
  const journal = await openJournal({ directory });
  let text = "";
  for await (const { payload } of journal.read()) text += Buffer.from(payload).toString();
  await journal.close();
  return text;
}

test.each(["filesystem", "clickhouse"])(
  "a user goes from everywhere, %s",
  { timeout: 400_000 },
  async (backend) => {
    const dataDir = mkdtempSync(join(tmpdir(), "turnproof-delete-"));
    const spool = join(dataDir, "app", "spool");
    mkdirSync(spool, { recursive: true });
    const auditLog = join(dataDir, "audit.jsonl");
    const env = {
      TURNPROOF_DATA_DIR: dataDir,
      TURNPROOF_BACKEND: backend,
      TURNPROOF_MEMORY_BACKEND: "filesystem",
      TURNPROOF_UI_AUDIT_LOG: auditLog,
    };
    let before: unknown;
    {
      await using store = await openStore(backend, dataDir);
      await fillEvidence(store);
      before = await readEvidence(store);
    }
    {
      await using provider = await filesystem({ directory: join(dataDir, "memory") });
      await fillMemory(provider.memory);
      for (const [id, reported] of [
        [`replay:${mark}`, `root-${mark}-1`],
        ["replay:kept", "root-stays-1"],
      ] as const) {
        const data = { plan: { turns: [{ root_trace_id: reported }] } };
        await provider.memory.shared.put("replay", {
          id,
          created_at: "2026-03-01T10:00:00Z",
          data,
        });
      }
    }
    await fillJournal(join(dataDir, "journal"));
    await fillSpool(spool);
    expect(await leftovers(dataDir)).not.toEqual([]);

    const args = ["--spool", spool, "--json"];
    const dry = await deleteUser(args, env);
    expect([dry.code, dry.err]).toEqual([0, ""]);
    const found = new Map(
      (JSON.parse(dry.out) as { kinds: { kind: string; found: number }[] }).kinds.map((place) => [
        place.kind,
        place.found,
      ]),
    );
    expect(Object.fromEntries(found)).toMatchObject({
      journal: 6,
      evidence: 13,
      replays: 1,
      spool: 2,
      conversation_memory: 3,
      semantic_cache: 3,
    });

    await deleteUser([...args, "--apply"], env, 1_500);
    const done = await deleteUser([...args, "--apply"], env);
    expect([done.code, done.err]).toEqual([0, ""]);
    const report = JSON.parse(done.out) as { remaining: number; unreached: { place: string }[] };
    expect(report.remaining).toBe(0);
    expect(report.unreached.map(({ place }) => place)).toEqual([
      "spools",
      "backups",
      "statements",
      "hosts",
    ]);
    expect(await leftovers(dataDir)).toEqual([]);

    const audit = await readFile(auditLog, "utf8");
    expect(audit).toMatch(/"event":"user\.deleted".*"result":"begun"/);
    expect(audit).toMatch(/"event":"user\.deleted".*"result":"ok"/);
    {
      await using store = await openStore(backend, dataDir);
      await expectGone(store);
      const drained = await store.root({ tenant: "other" }, "root-other-pending", { limit: 9 });
      expect(drained.events).toHaveLength(3);
      expect(await readEvidence(store)).toEqual(withDrained(before, drained.events));
    }
    const quarantined = await openJournal({ directory: join(dataDir, "journal") });
    for await (const { payload, spans } of quarantined.quarantined()) {
      expect(spans).toBe(2);
      expect(Buffer.from(payload).toString()).toContain("root-other-bad");
    }
    expect(quarantined.stats().quarantinedRecords).toBe(1);
    await quarantined.close();
    const sent = await spooled(spool);
    expect(sent).toContain("thread-other");
    expect(sent).not.toContain("a".repeat(32));
    await using provider = await filesystem({ directory: join(dataDir, "memory") });
    for (const tenant of staying) {
      expect(await provider.memory.count({ tenant }, "conversation")).toBe(3);
    }
    expect(await provider.memory.shared.get("replay", "replay:kept")).toBeDefined();
  },
);

test(
  "without --json it is a table, and says what it does not reach",
  { timeout: 120_000 },
  async () => {
    const env = {
      TURNPROOF_DATA_DIR: mkdtempSync(join(tmpdir(), "turnproof-delete-")),
      TURNPROOF_BACKEND: "filesystem",
    };
    const dry = await deleteUser([], env);
    expect(dry.code).toBe(0);
    expect(dry.out).toContain("PLACE");
    expect(dry.err).toContain("Backups, snapshots and replicas");
    expect(dry.err).toContain("Signed statements");
    expect(dry.err).toContain("A dry run: --apply");
    expect(`${dry.out}${dry.err}`).not.toContain(gone);
    const missing = await deleteUser(["--spool", "/nowhere/at/all"], env);
    expect(missing.code).toBe(2);
  },
);

/** What was pending in the journal is evidence of its user by now. */
function withDrained(before: unknown, events: readonly unknown[]): unknown {
  const fresh = events.map((event) => {
    const { identity_derived: _derived, ...rest } = event as Record<string, unknown>;
    return rest;
  });
  const key = (event: unknown): string => {
    const { root_trace_id, span_id, phase } = event as Record<string, string>;
    return `${root_trace_id}/${span_id}/${phase}`;
  };
  return (before as [string | null, unknown[], unknown][]).map(([tenant, held]) =>
    tenant === "other"
      ? [tenant, [...held, ...fresh].toSorted((a, b) => (key(a) < key(b) ? -1 : 1))]
      : [tenant, held],
  );
}

test("evidence in plain files is found without naming the backend; a store that is not opened is told", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "turnproof-delete-"));
  {
    await using store = await openStore("filesystem", dataDir);
    await fillEvidence(store);
  }
  const env = { TURNPROOF_DATA_DIR: dataDir, TURNPROOF_MEMORY_BACKEND: "none" };
  const reported = ({ out }: Ran): { kind: string; found: number; error?: string }[] =>
    (JSON.parse(out) as { kinds: { kind: string; found: number; error?: string }[] }).kinds;
  const dry = await deleteUser(["--json"], env);
  expect(dry.code).toBe(0);
  expect(reported(dry)).toContainEqual(expect.objectContaining({ kind: "evidence", found: 13 }));

  {
    await using store = await openStore("clickhouse", dataDir);
    expect((await store.check()).ok).toBe(true);
  }
  const both = await deleteUser(["--json"], env);
  expect(both.code).toBe(3);
  const other = { kind: "evidence of the filesystem backend", error: "not read" };
  expect(reported(both)).toContainEqual(expect.objectContaining(other));
});
