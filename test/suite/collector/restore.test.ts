/**
 * @module Restore: a restore that is killed at any step leaves no data directory, and the repeat
 * goes on, or a whole one with its audit log. What others made is neither deleted nor written over.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { lockDirectory } from "@turnproof/journal/process-lock";
import { afterAll, beforeAll, expect, test } from "vitest";

const bin = fileURLToPath(new URL("../../../collector/bin/turnproof.js", import.meta.url));
const backend = { TURNPROOF_BACKEND: "filesystem" };
const lines = Array.from({ length: 2_000 }, (_, seq) => `${JSON.stringify({ seq })}\n`).join("");
let directory: string;
let dataDir: string;
let copy: string;
let killing: string;

/** Ends the process by SIGKILL before its n-th change of a name. */
const preload = `
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
let left = Number(process.env.KILL_AT);
for (const name of ["rename", "rmdir"]) {
  const real = fs[name];
  fs[name] = (...args) => {
    if (left-- === 0) process.kill(process.pid, "SIGKILL");
    return real(...args);
  };
}
syncBuiltinESMExports();
`;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "turnproof-restore-"));
  [dataDir, copy] = [join(directory, "data"), join(directory, "copy")];
  killing = join(directory, "kill.mjs");
  await mkdir(join(dataDir, "keys"), { recursive: true });
  await writeFile(join(dataDir, "keys", "identity-key"), "made");
  await writeFile(join(dataDir, "audit.jsonl.000000000001"), '{"seq":0}\n');
  await writeFile(join(dataDir, "audit.jsonl"), lines);
  await writeFile(killing, preload);
  const made = await turnproof(["backup", "--data-dir", dataDir, "--to", copy]);
  expect(made.err).toContain("Copying");
  expect(made.code).toBe(0);
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

interface Answer {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: { readonly code?: string; readonly field?: string };
  readonly err: string;
}

async function turnproof(args: readonly string[], env: object = {}): Promise<Answer> {
  const child = spawn(process.execPath, [bin, ...args, "--json"], {
    env: { PATH: process.env["PATH"], ...backend, ...env },
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return { code, signal, out: out === "" ? {} : (JSON.parse(out) as Answer["out"]), err };
}

test.each(["inside", "elsewhere"])("killed at any step, with the audit log %s", async (where) => {
  let [kills, absent] = [0, 0];
  for (let step = 0; ; step += 1) {
    const target = join(directory, `${where}-${step}`);
    const log = where === "inside" ? target : `${target}-log`;
    const env = { TURNPROOF_UI_AUDIT_LOG: join(log, "audit.jsonl") };
    const args = ["restore", "--data-dir", target, "--from", copy];
    const kill = { NODE_OPTIONS: `--import=${killing}`, KILL_AT: String(step) };
    const { signal } = await turnproof(args, { ...env, ...kill });
    if (signal === null) break;
    kills += 1;
    if (!existsSync(target)) {
      absent += 1;
      expect((await turnproof(args, env)).code, `repeat after step ${step}`).toBe(0);
    }
    expect(await readFile(join(log, "audit.jsonl"), "utf8"), `step ${step}`).toBe(lines);
    const names = (await readdir(log)).filter((name) => name.startsWith("audit"));
    expect(names, `step ${step}`).toEqual(["audit.jsonl", "audit.jsonl.000000000001"]);
    expect(await readFile(join(target, "keys", "identity-key"), "utf8")).toBe("made");
  }
  expect(kills).toBeGreaterThan(absent);
  expect(absent).toBeGreaterThan(2);
});

test("an audit log of another is not written over", async () => {
  const target = join(directory, "beside-another");
  const log = `${target}-log`;
  await mkdir(log);
  await writeFile(join(log, "audit.jsonl.checkpoints"), "another");
  const env = { TURNPROOF_UI_AUDIT_LOG: join(log, "audit.jsonl") };
  const refused = await turnproof(["restore", "--data-dir", target, "--from", copy], env);
  const field = join(log, "audit.jsonl.checkpoints");
  expect(refused).toMatchObject({ code: 1, out: { code: "folder_not_empty", field } });
  expect(await readdir(log)).toEqual(["audit.jsonl.checkpoints"]);
  expect(existsSync(target)).toBe(false);
});

test("a folder that another made is not deleted", async () => {
  const target = join(directory, "precious");
  const others = [`${target}.partial`, join(directory, ".stored.snapshot")] as const;
  const stored = join(directory, "stored");
  await mkdir(join(stored, "files"), { recursive: true });
  for (const folder of others) {
    await mkdir(folder);
    await writeFile(join(folder, "precious.txt"), "mine");
  }
  for (const [args, field] of [
    [["restore", "--data-dir", target, "--from", copy], others[0]],
    [["backup", "--data-dir", dataDir, "--to", target], others[0]],
    [["backup", "--data-dir", stored, "--to", join(directory, "stored-copy")], others[1]],
  ] as const) {
    const refused = await turnproof(args);
    expect(refused).toMatchObject({ code: 1, out: { code: "folder_not_empty", field } });
  }
  for (const folder of others) expect(await readdir(folder)).toEqual(["precious.txt"]);
  // What a restore made is not a backup's.
  await writeFile(join(others[0], "made-by.json"), '{"command":"restore","version":"0.1.0"}');
  const backup = await turnproof(["backup", "--data-dir", dataDir, "--to", target]);
  expect(backup.out).toMatchObject({ code: "folder_not_empty", field: others[0] });
});

test.each(["filled.partial", ".source.snapshot"])("%s is left to its process", async (name) => {
  const [source, target] = [join(directory, "source"), join(directory, "filled")];
  const partial = join(directory, name);
  await mkdir(join(source, "files"), { recursive: true });
  await mkdir(join(partial, "content"), { recursive: true });
  await writeFile(join(partial, "content", "part"), "");
  await writeFile(join(partial, "made-by.json"), '{"command":"backup","version":"0.1.0"}');
  const args = ["backup", "--data-dir", source, "--to", target];
  const lock = await lockDirectory({ directory: partial });
  try {
    const refused = await turnproof(args);
    expect(refused).toMatchObject({ code: 1, out: { code: "folder_locked", field: partial } });
    expect(await readdir(join(partial, "content"))).toEqual(["part"]);
  } finally {
    await lock?.release();
  }
  expect((await turnproof(args)).code).toBe(0);
  expect(existsSync(partial)).toBe(false);
  await rm(target, { recursive: true });
});

/** A disk of 16 KiB; undefined where this process may not mount one. */
function smallDisk(): string | undefined {
  const disk = join(directory, "disk");
  try {
    execFileSync("mkdir", [disk]);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=16k", "none", disk], { stdio: "ignore" });
    return disk;
  } catch {
    return undefined;
  }
}

test("a full disk of the audit log is named, and leaves no data directory", async (context) => {
  const disk = smallDisk();
  if (disk === undefined) return context.skip();
  try {
    const target = join(directory, "full");
    const field = join(disk, "audit.jsonl");
    const env = { TURNPROOF_UI_AUDIT_LOG: field };
    const args = ["restore", "--data-dir", target, "--from", copy];
    expect(await turnproof(args, env)).toMatchObject({ out: { code: "disk_full", field } });
    expect(existsSync(target)).toBe(false);
    expect(await readdir(disk)).toEqual([]);
    execFileSync("mount", ["-o", "remount,size=1m", disk]);
    expect((await turnproof(args, env)).code).toBe(0);
    expect(await readFile(field, "utf8")).toBe(lines);
  } finally {
    execFileSync("umount", ["-l", disk]);
  }
});
