/** A directory is made with its parents, and what cannot be made is an error. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

import { makeDirectory } from "./make-directory.ts";

const folder = mkdtempSync(join(tmpdir(), "turnproof-directory-"));

afterAll(() => rmSync(folder, { recursive: true }));

test("the missing levels are made, for this user only", () => {
  const path = join(folder, "a", "b", "c");
  expect(makeDirectory(path)).toBe(join(folder, "a"));
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(makeDirectory(path)).toBeUndefined();
});

test("a file in the way is an error", () => {
  writeFileSync(join(folder, "file"), "");
  expect(() => makeDirectory(join(folder, "file"))).toThrow("EEXIST");
  expect(() => makeDirectory(join(folder, "file", "below"))).toThrow("ENOTDIR");
});

test.skipIf(process.platform !== "linux")("a file system that takes no files is an error", () => {
  expect(() => makeDirectory("/proc/turnproof")).toThrow("ENOENT");
  expect(() => makeDirectory("/proc/turnproof/below")).toThrow("ENOENT");
  expect(makeDirectory("/proc")).toBeUndefined();
});
