/**
 * @module Unit tests without a server: under node:test, Vitest and Jest a turn that satisfies its
 * contract passes, and one that does not fails with clause, reason and evidence.
 */
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const app = join(root, "test/apps/unit-tests");
const resolve = createRequire(import.meta.url).resolve;

function run(...args: readonly string[]): Promise<{ readonly code: number; readonly out: string }> {
  const env = { PATH: process.env["PATH"], HOME: process.env["HOME"], NO_COLOR: "1", CI: "1" };
  return new Promise((done) => {
    execFile(process.execPath, args, { cwd: app, env }, (error, out, err) => {
      done({ code: error === null ? 0 : Number(error.code), out: `${out}${err}` });
    });
  });
}

const vitest = join(dirname(resolve("vitest/package.json")), "vitest.mjs");
const jest = [
  ["--experimental-vm-modules", resolve("jest/bin/jest")],
  ["--rootDir", app, "--testMatch", "**/desk.jest.mjs", "--watchman", "false"],
  ["--moduleFileExtensions", "mjs", "js", "json", "--transform", "{}"],
];
const runners: Readonly<Record<string, readonly string[]>> = {
  "node:test": ["--test", "desk.node.mjs"],
  vitest: [vitest, "run", "--root", app, "--config", join(app, "vitest.config.mjs")],
  jest: jest.flat(),
};

test.each(Object.entries(runners))(
  "%s shows why a turn fails its contract",
  async (_name, args) => {
    const { code, out } = await run(...args);
    expect(out).toContain("Expected the turn to satisfy refund-once.");
    expect(out).toContain("✗ calls[2]: 2 calls (call of refund); the contract allows at most 1.");
    expect(out).toMatch(/evidence: [0-9a-f]{16}:result/);
    expect(out).toMatch(/1 passed|pass 1\b/);
    expect(out).toMatch(/1 failed|fail 1\b/);
    expect(code).toBe(1);
  },
);
