/**
 * A user that lacks a permission in the data directory: the start is refused with path and reason.
 * Permissions do not bind the superuser, so its tests run the program as another user.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { openJournal } from "@turnproof/journal";
import { createCollector, parseConfig } from "turnproof";
import { afterAll, beforeAll, expect, test } from "vitest";

import { temporaryDirectories } from "../store/temporary-directory.ts";

const bin = fileURLToPath(new URL("../../../collector/bin/turnproof.js", import.meta.url));
const directories = temporaryDirectories();
afterAll(() => directories.remove());

/** Another user where the tests run as the superuser. */
const other: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const env = {
  PATH: process.env["PATH"] ?? "",
  HOME: "/tmp",
  TURNPROOF_BACKEND: "filesystem",
  TURNPROOF_UI_AUTH_TOKEN: "operator-q7KxZt4Wm9Rc2Yd8",
  TURNPROOF_PORT: "0",
  TURNPROOF_GRPC_PORT: "off",
};

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function run(dataDir: string, ...parameters: string[]): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...parameters], {
    ...other,
    cwd: "/",
    env: { ...env, TURNPROOF_DATA_DIR: dataDir },
    encoding: "utf8",
    timeout: 30_000,
  });
  return { code: status, out: stdout, err: stderr };
}

// A checkout in a folder that is closed to other users; Windows has no such modes.
const unusable =
  process.platform === "win32" || run("/tmp", "--version").code !== 0
    ? "the program cannot be run by a user whom permissions bind"
    : undefined;

let whole = "";
beforeAll(async () => {
  whole = await directories.make();
  const config = parseConfig({ ...env, TURNPROOF_DATA_DIR: whole });
  const log = { info() {}, warn() {}, error() {} };
  await (await createCollector({ config, log })).close();
  const journal = await openJournal({ directory: join(whole, "journal") });
  await journal.append({ payload: Buffer.alloc(200), spans: 1 });
  await journal.close();
  for (const name of ["alerts.json", "audit.jsonl.salts", "sessions.json"]) {
    writeFileSync(join(whole, name), "", { flag: "a" });
  }
});

/** A copy of the data directory that belongs to that user, with these modes. */
async function copied(modes: Readonly<Record<string, number>>): Promise<string> {
  const dataDir = await directories.make();
  cpSync(whole, dataDir, { recursive: true, mode: 0, preserveTimestamps: true });
  const { uid, gid } = other;
  if (uid !== undefined) execFileSync("chown", ["-R", `${uid}:${gid}`, dataDir]);
  for (const [name, mode] of Object.entries(modes)) chmodSync(join(dataDir, name), mode);
  return dataDir;
}

const segment = (): string =>
  readdirSync(join(whole, "journal")).find((name) => name.endsWith(".segment")) ?? "";

test("a start names what it cannot read or write, and the reason", async (context) => {
  context.skip(unusable !== undefined, unusable);
  const cases = [
    [".", 0o500, 2, "file_unwritable, DIR: EACCES"],
    ["journal", 0o500, 1, "journal_failed, DIR/journal/owner-[^/]+.lock: EACCES"],
    [`journal/${segment()}`, 0o000, 1, `journal_failed, DIR/journal/${segment()}: EACCES`],
    ["audit.jsonl", 0o400, 1, "audit_unavailable, DIR/audit.jsonl: EACCES"],
    ["audit.jsonl", 0o000, 1, "audit_unavailable, DIR/audit.jsonl: EACCES"],
    ["audit.jsonl.salts", 0o000, 1, "audit_unavailable, DIR/audit.jsonl.salts: EACCES"],
    ["alerts.json", 0o000, 2, "file_unreadable, DIR/alerts.json: EACCES"],
  ] as const;
  for (const [name, mode, code, reason] of cases) {
    const dataDir = await copied({ [name]: mode });
    const ran = run(dataDir);
    const permission = "This user lacks a permission on what is named, or on its folder. ";
    expect([name, ran.code, ran.err]).toEqual([
      name,
      code,
      expect.stringMatching(
        new RegExp(`${permission}\\(${reason.replace("DIR", dataDir)}\\)\\s*$`),
      ),
    ]);
    expect(ran.err).not.toContain("may hold the file");
  }
}, 120_000);
