/**
 * The lock file is whole: `npm ci`, with which the image is built, refuses one that lacks a package
 * of any platform. `npm install` leaves out those that the registry does not serve.
 */
import { execFile } from "node:child_process";
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
