/**
 * @module Backup: the steps of docs/operate/backup.md. A backup of a running collector answers as
 * the one that was lost; a database that was copied after the data directory has each event once.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import type { PlainSpan } from "../../otlp/encode.ts";
import { startPostgres } from "../../servers/postgres.ts";
import type { PostgresServer } from "../../servers/postgres.ts";
import { startCollector } from "../faults/collector-child.ts";
import type { CollectorChild } from "../faults/collector-child.ts";

const turns = 12;
/** The same in each sending: the same spans again are no other events. */
const startMs = Date.now() - 60_000;
let server: PostgresServer;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "turnproof-backup-"));
  server = await startPostgres();
});
afterAll(async () => {
  await server.close();
  await rm(directory, { recursive: true, force: true });
});

const traceOf = (at: number): string => (at + 1).toString(16).padStart(32, "0");

async function send(collector: CollectorChild): Promise<void> {
  const spans = Array.from({ length: turns }, (_, at): readonly PlainSpan[] =>
    ["a", "b"].map((id) => ({
      traceId: traceOf(at),
      spanId: `${id}${at.toString(16)}`.padStart(16, "0"),
      ...(id === "a" ? {} : { parentSpanId: `a${at.toString(16)}`.padStart(16, "0") }),
      name: id === "a" ? "invoke_agent desk" : "chat m-1",
      startTimeUnixNano: `${startMs}000000`,
      endTimeUnixNano: `${startMs + 40}000000`,
      attributes:
        id === "a"
          ? { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "desk" }
          : { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1" },
    })),
  );
  const { status } = await fetch(`${collector.url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/x-protobuf" },
    body: encodeProtobuf(traceRequest(spans.flat())) as Uint8Array<ArrayBuffer>,
  });
  expect(status).toBe(200);
}

/** Every event of every turn, once all of them can be read. */
async function reported(collector: CollectorChild, token = ""): Promise<readonly unknown[]> {
  const headers = token === "" ? {} : { authorization: `Bearer ${token}` };
  return vi.waitFor(
    async () => {
      const path = `${collector.url}/traces/events.json?limit=1000`;
      const { items } = (await (await fetch(path, { headers })).json()) as {
        readonly items: readonly unknown[];
      };
      expect(items).toHaveLength(turns * 2);
      return items;
    },
    { timeout: 60_000, interval: 200 },
  );
}

const bin = fileURLToPath(new URL("../../../collector/bin/turnproof.js", import.meta.url));

interface Answer {
  readonly code: number | null;
  readonly out: unknown;
  readonly err: string;
}

async function turnproof(args: readonly string[], env: Record<string, string>): Promise<Answer> {
  const path = { PATH: process.env["PATH"] ?? "" };
  const child = spawn(process.execPath, [bin, ...args, "--json"], { env: { ...path, ...env } });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, out: out === "" ? undefined : JSON.parse(out), err };
}

test.each(["filesystem", "clickhouse"])("a backup of a running %s", async (backend) => {
  const [lost, copy, dir] = ["lost", "copy", "backup"].map((name) =>
    join(directory, `${backend}-${name}`),
  ) as [string, string, string];
  const token = "operator-q7KxZt4Wm9Rc2Yd8-backup";
  const env = {
    TURNPROOF_BACKEND: backend,
    TURNPROOF_UI_AUTH_TOKEN: token,
    TURNPROOF_UI_AUDIT_LOG: join(lost, "audit.jsonl"),
    TURNPROOF_INGEST_TOKENS: "",
  };
  const first = await startCollector(lost, env);
  await send(first);
  const before = await reported(first, token);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ root_trace_id: traceOf(0), text: "Looked at it." });
  const noted = await fetch(`${first.url}/traces/notes`, { method: "POST", headers, body });
  const note = (await noted.json()) as object;
  // What goes on meanwhile: parts merge, the audit log grows, segments come and go.
  let going = true;
  const traffic = (async () => {
    for (; going; await reported(first, token)) await send(first);
  })();
  const made = await turnproof(["backup", "--data-dir", lost, "--to", dir], env);
  going = false;
  await traffic;
  expect(made).toMatchObject({ code: 0, out: { evidence: { events: turns * 2, turns } } });
  // A scheduler has no terminal.
  expect(made.err).toContain("Copying state, journal, audit log and memory\n");
  expect((await turnproof(["backup", "--data-dir", lost, "--to", dir], env)).code).toBe(1);
  await first.kill();
  await rm(lost, { recursive: true });

  const elsewhere = { ...env, TURNPROOF_UI_AUDIT_LOG: join(copy, "audit.jsonl") };
  const restored = ["restore", "--verify", "--data-dir", copy, "--from", dir];
  const { evidence, audit } = made.out as { evidence: object; audit: object };
  expect(await turnproof(restored, elsewhere)).toMatchObject({
    code: 0,
    out: { evidence, audit, audit_holds: true, different: [] },
  });
  const second = await startCollector(copy, elsewhere);
  expect(await reported(second, token)).toEqual(before);
  const turn = await fetch(`${second.url}/traces/${traceOf(0)}.json`, { headers });
  expect(await turn.json()).toMatchObject({ notes: [note] });
  expect(await second.stop()).toBe(0);
});

test("an audit log is counted also where the environment has no accounts", async () => {
  const dataDir = join(directory, "no-accounts");
  await mkdir(dataDir, { recursive: true });
  await writeFile(join(dataDir, "audit.jsonl"), '{"seq":0}\n{"seq":1}\n');
  const args = ["backup", "--data-dir", dataDir, "--to", join(directory, "no-accounts-copy")];
  const made = await turnproof(args, { TURNPROOF_BACKEND: "filesystem" });
  expect(made).toMatchObject({ code: 0, out: { audit: { records: 2 } } });
});

test("a count that is not reached and a file that was changed are named", async () => {
  const [copy, dir] = [join(directory, "named"), join(directory, "filesystem-backup")];
  const elsewhere = {
    TURNPROOF_BACKEND: "filesystem",
    TURNPROOF_UI_AUDIT_LOG: join(copy, "audit.jsonl"),
  };
  const restored = ["restore", "--verify", "--data-dir", copy, "--from", dir];
  const manifest = join(dir, "manifest.json");
  const text = await readFile(manifest, "utf8");
  await writeFile(manifest, text.replace(/"events": \d+/, '"events": 99'));
  const short = await turnproof(restored, elsewhere);
  const events = { what: "events", expected: "99", found: String(turns * 2) };
  expect(short).toMatchObject({ code: 1, out: { different: [events] } });
  await rm(copy, { recursive: true });
  await writeFile(join(dir, "data", "keys", "identity-key"), "another");
  const changed = await turnproof(restored, elsewhere);
  expect(changed).toMatchObject({ code: 1, out: { code: "backup_invalid" } });
  expect(changed.err).toContain("data/keys/identity-key");
  expect(existsSync(copy)).toBe(false);
});

test("what is no backup is called what it is", async () => {
  const [folder, file] = [join(directory, "no-backup"), join(directory, "no-folder")];
  await mkdir(folder);
  await writeFile(file, "");
  const manifest = join(folder, "manifest.json");
  const restored = (from: string): ReturnType<typeof turnproof> =>
    turnproof(["restore", "--data-dir", join(directory, "never"), "--from", from], {});
  expect(await restored(join(directory, "gone"))).toMatchObject({
    code: 2,
    out: { code: "folder_missing", field: join(directory, "gone") },
  });
  expect(await restored(file)).toMatchObject({
    code: 2,
    out: { code: "not_a_folder", field: file },
  });
  expect(await restored(folder)).toMatchObject({
    code: 1,
    out: { code: "manifest_missing", field: manifest },
  });
  await writeFile(manifest, '{"format": 1');
  expect(await restored(folder)).toMatchObject({
    code: 1,
    out: { code: "manifest_invalid", field: manifest },
  });
  await rm(manifest);
  // Root reads what has no permission, but not a folder as a file.
  await mkdir(manifest);
  expect(await restored(folder)).toMatchObject({
    code: 2,
    out: { code: "file_unreadable", field: `${manifest}: EISDIR` },
  });
  expect(existsSync(join(directory, "never"))).toBe(false);
});

test("a backup without its keys fails, and a restored copy without them is not the same", async () => {
  const [dataDir, to] = [join(directory, "keyless"), join(directory, "keyless-copy")];
  const env = { TURNPROOF_BACKEND: "filesystem" };
  const backup = ["backup", "--data-dir", dataDir, "--to", to];
  await mkdir(dataDir, { recursive: true });
  await writeFile(join(dataDir, "keys-made"), "identity-key\n");
  expect(await turnproof(backup, env)).toMatchObject({
    code: 1,
    out: { code: "key_unusable", field: "keys/identity-key" },
  });
  // Listed by root too, a link to itself fails.
  await symlink("keys", join(dataDir, "keys"));
  expect(await turnproof(backup, env)).toMatchObject({
    code: 2,
    out: { code: "file_unreadable", field: "keys" },
  });
  expect(existsSync(to)).toBe(false);
  await rm(join(dataDir, "keys"));
  await mkdir(join(dataDir, "keys"));
  await writeFile(join(dataDir, "keys", "identity-key"), "made");
  expect((await turnproof(backup, env)).code).toBe(0);
  // As an earlier version made it.
  const manifest = join(to, "manifest.json");
  const made = JSON.parse(await readFile(manifest, "utf8")) as { entries: { path: string }[] };
  made.entries = made.entries.filter(({ path }) => path !== "data/keys/identity-key");
  await writeFile(manifest, JSON.stringify(made));
  const restored = join(directory, "keyless-restored");
  const verify = ["restore", "--verify", "--data-dir", restored, "--from", to];
  expect(await turnproof(verify, env)).toMatchObject({
    code: 1,
    out: { different: [{ what: "keys/identity-key", expected: "1", found: "0" }] },
  });
});

test.each([
  { TURNPROOF_BACKEND: "clickhouse" },
  { TURNPROOF_BACKEND: "ephemeral", TURNPROOF_MEMORY_BACKEND: "none" },
])(
  "the store of another backend than $TURNPROOF_BACKEND is not counted as an empty one",
  async (env) => {
    const dataDir = join(directory, `other-than-${env.TURNPROOF_BACKEND}`);
    await mkdir(join(dataDir, "files"), { recursive: true });
    const to = `${dataDir}-copy`;
    const refused = await turnproof(["backup", "--data-dir", dataDir, "--to", to], env);
    expect(refused.code).toBe(1);
    expect(JSON.stringify(refused)).toMatch(/not_configured.*TURNPROOF_BACKEND/);
    expect(existsSync(to)).toBe(false);
  },
);

test("a database that is copied after the data directory has each event once", async () => {
  const [lost, copy] = [join(directory, "server-lost"), join(directory, "server-copy")];
  const database = await server.createDatabase();
  const env = { TURNPROOF_BACKEND: "postgres", TURNPROOF_POSTGRES_URL: server.url(database) };
  const first = await startCollector(lost, env);
  await send(first);
  // Acknowledged and, most of it, still in the journal.
  await first.kill();
  await cp(lost, copy, { recursive: true });
  const again = await startCollector(lost, env);
  const before = await reported(again);
  expect(await again.stop()).toBe(0);
  const restored = await server.createDatabase({ like: database });
  const second = await startCollector(copy, {
    ...env,
    TURNPROOF_POSTGRES_URL: server.url(restored),
  });
  expect(await reported(second)).toEqual(before);
  expect(await second.stop()).toBe(0);
});
