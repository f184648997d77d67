/**
 * A user that lacks a permission in the data directory: the start is refused with path and reason,
 * and `turnproof doctor` fails before it.
 * Permissions do not bind the superuser, so its tests run the program as another user.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
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

function run(dataDir: string, parameters: readonly string[] = [], more = {}): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...parameters], {
    ...other,
    cwd: "/",
    env: { ...env, TURNPROOF_DATA_DIR: dataDir, ...more },
    encoding: "utf8",
    timeout: 30_000,
  });
  return { code: status, out: stdout, err: stderr };
}

// A checkout in a folder that is closed to other users; Windows has no such modes.
const unusable =
  process.platform === "win32" || run("/tmp", ["--version"]).code !== 0
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

interface Found {
  readonly code: number | null;
  /** State and message of each check, by subject. */
  readonly checks: Readonly<Record<string, string>>;
}

function doctor(dataDir: string, more = {}): Found {
  const { code, out } = run(dataDir, ["doctor", "--json"], { TURNPROOF_PORT: "1", ...more });
  const { checks } = JSON.parse(out) as {
    readonly checks: readonly { check: string; state: string; message: string }[];
  };
  const byName = checks.map(({ check, state, message }) => [check, `${state} ${message}`] as const);
  return { code, checks: Object.fromEntries(byName) };
}

test("doctor fails with each permission that is missing, and checks the rest", async (context) => {
  context.skip(unusable !== undefined, unusable);
  const well = doctor(await copied({}));
  expect([well.code, well.checks["permissions"]]).toEqual([
    0,
    "ok This user can read and write what is there.",
  ]);
  const name = `journal/${segment()}`;
  const cases = [
    [".", 0o000, "file_unreadable (DIR: EACCES)"],
    [".", 0o500, "file_unwritable (DIR: EACCES)"],
    ["journal", 0o500, "file_unwritable (DIR/journal: EACCES)"],
    [name, 0o000, `file_unreadable (DIR/${name}: EACCES)`],
    [name, 0o400, `file_unwritable (DIR/${name}: EACCES)`],
    ["audit.jsonl", 0o400, "file_unwritable (DIR/audit.jsonl: EACCES)"],
    ["audit.jsonl", 0o000, "file_unreadable (DIR/audit.jsonl: EACCES)"],
    ["audit.jsonl.owners", 0o500, "file_unwritable (DIR/audit.jsonl.owners: EACCES)"],
    ["alerts.json", 0o000, "file_unreadable (DIR/alerts.json: EACCES)"],
    ["sessions.json", 0o400, "file_unwritable (DIR/sessions.json: EACCES)"],
    ["health", 0o500, "file_unwritable (DIR/health: EACCES)"],
    ["keys", 0o000, "file_unreadable (DIR/keys: EACCES)"],
    ["files", 0o500, "file_unwritable (DIR/files: EACCES)"],
    ["files/evidence.sqlite", 0o400, "file_unwritable (DIR/files/evidence.sqlite: EACCES)"],
  ] as const;
  for (const [closed, mode, reason] of cases) {
    const dataDir = await copied({ [closed]: mode });
    const found = doctor(dataDir);
    expect([closed, found.code, found.checks["permissions"]]).toEqual([
      closed,
      1,
      expect.stringContaining(`fail ${reason.replace("DIR", dataDir)}: A file or folder cannot `),
    ]);
    // The last of the checks of the data directory.
    expect(Object.keys(found.checks)).toContain("evidence account");
  }
}, 120_000);

test("a folder of an embedded ClickHouse that cannot be written is named", async (context) => {
  context.skip(unusable !== undefined, unusable);
  const dataDir = await copied({});
  const folder = join(dataDir, "clickhouse");
  mkdirSync(folder, { mode: 0o555 });
  chmodSync(folder, 0o555);
  const found = doctor(dataDir, { TURNPROOF_BACKEND: "clickhouse" });
  expect(found.checks["permissions"]).toContain(`fail file_unwritable (${folder}: EACCES)`);
  // The engine would write as it opens, and call what it may not read damaged.
  expect(found.checks["evidence account"]).toBe(
    "unknown It was not inspected, because a permission is missing: " +
      `file_unwritable (${folder}: EACCES).`,
  );
  // Of another backend the folder does not matter.
  expect(doctor(dataDir).checks["permissions"]).toMatch(/^ok /);
}, 60_000);

test("what cannot be inspected is unknown, and its file is named once as a failure", async (context) => {
  context.skip(unusable !== undefined, unusable);
  const dataDir = await copied({ "audit.jsonl": 0o000, journal: 0o000 });
  const { checks } = doctor(dataDir);
  const file = await copied({ "files/evidence.sqlite": 0o000 });
  const unread = doctor(file).checks;
  expect([unread["evidence file"], unread["evidence account"]]).toEqual([
    undefined,
    expect.stringContaining(`file_unreadable (${file}/files/evidence.sqlite: EACCES).`),
  ]);
  expect([checks["audit log"], checks["journal"], checks["evidence file"]]).toEqual([
    `unknown It could not be inspected: file_unreadable (${dataDir}/audit.jsonl: EACCES).`,
    `unknown It could not be inspected: file_unreadable (${dataDir}/journal: EACCES).`,
    "ok It is whole.",
  ]);
}, 60_000);
