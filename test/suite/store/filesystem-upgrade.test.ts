/**
 * @module Filesystem upgrade: the current collector on the data directory of an earlier version
 * that was killed with a frame in its journal. Turns, verdicts and events are as they were, what
 * was acknowledged is there once, and the audit log of version 1 is continued.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";

import { expect, test, vi } from "vitest";

import { run as runCommand } from "../../../collector/src/cli/program.ts";
import { startCollector } from "../faults/collector-child.ts";

const run = promisify(execFile);
const folder = new URL("../../fixtures/data-directory-filesystem/", import.meta.url);
const bin = fileURLToPath(new URL("../../../collector/bin/turnproof.js", import.meta.url));

type Row = Readonly<Record<string, unknown>>;

test("a directory of an earlier version is shown as it was", async () => {
  const expected = JSON.parse(
    gunzipSync(await readFile(new URL("expected.json.gz", folder))).toString(),
  ) as { readonly turns: readonly Row[]; readonly events: readonly Row[] };
  const dataDir = await mkdtemp(join(tmpdir(), "turnproof-upgrade-"));
  const archive = fileURLToPath(new URL("turnproof.tar.gz", folder));
  await run("tar", ["-xzf", archive, "-C", dataDir]);
  const token = "operator-q7KxZt4Wm9Rc2Yd8";
  const env = {
    TURNPROOF_BACKEND: "filesystem",
    TURNPROOF_UI_AUTH_TOKEN: token,
    TURNPROOF_UI_AUDIT_LOG: join(dataDir, "audit.jsonl"),
  };
  const collector = await startCollector(dataDir, env);
  const headers = { authorization: `Bearer ${token}` };
  const list = async (path: string, count: number): Promise<readonly Row[]> =>
    vi.waitFor(
      async () => {
        const answer = await fetch(`${collector.url}${path}?limit=200`, { headers });
        const { items } = (await answer.json()) as { readonly items: readonly Row[] };
        expect(items).toHaveLength(count);
        return items;
      },
      { timeout: 60_000, interval: 200 },
    );
  // The four turns of the journal's last frame are there as well, once.
  const turns = await list("/traces/turns.json", 24);
  const events = await list("/traces/events.json", 48);
  for (const row of expected.turns) expect(turns).toContainEqual(expect.objectContaining(row));
  for (const row of expected.events) expect(events).toContainEqual(expect.objectContaining(row));
  expect(expected.turns).toHaveLength(20);
  expect(await collector.stop()).toBe(0);

  const verify = [bin, "audit", "verify", "--json", "--data-dir", dataDir];
  const { stdout } = await run(process.execPath, verify, { env: { ...process.env, ...env } });
  const found = JSON.parse(stdout) as { readonly ok: boolean; readonly records: number };
  expect(found.ok).toBe(true);
  expect(found.records).toBeGreaterThan(13);
  await rm(dataDir, { recursive: true, force: true });
});

test("a dry run of the migration reports it as behind, and changes nothing", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "turnproof-upgrade-"));
  const archive = fileURLToPath(new URL("turnproof.tar.gz", folder));
  await run("tar", ["-xzf", archive, "-C", dataDir]);
  const file = join(dataDir, "files", "evidence.sqlite");
  const before = await Promise.all([readFile(file), readFile(`${file}-wal`)]);
  for (const [name, value] of Object.entries({
    TURNPROOF_BACKEND: "filesystem",
    TURNPROOF_MEMORY_BACKEND: "none",
    TURNPROOF_DATA_DIR: dataDir,
  }))
    vi.stubEnv(name, value);
  let out = "";
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    out += String(text);
    return true;
  });
  await runCommand(["node", "turnproof", "migrate", "--json"]);
  write.mockRestore();
  vi.unstubAllEnvs();
  // Partial: it waits for --apply.
  expect([process.exitCode, out]).toEqual([3, expect.stringContaining('"behind"')]);
  process.exitCode = undefined;
  expect(await Promise.all([readFile(file), readFile(`${file}-wal`)])).toEqual(before);
  await rm(dataDir, { recursive: true });
});
