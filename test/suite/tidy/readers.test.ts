/**
 * Each limit has a reader and each code a place that returns it: a row without one is a promise.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { codes, limits } from "@turnproof/semconv";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");

/** Files that hold every row, or a text for a row: neither reads a limit nor returns a code. */
const tables = /^packages\/semconv\/src\/(?:codes|limits)\.ts$|^collector\/src\/ui\/display\//;

const sources = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter((path) => /^(?:packages\/[a-z-]+|collector)\/src\/.*\.tsx?$/.test(path))
  .filter((path) => !/\.test\.tsx?$/.test(path) && !tables.test(path))
  .filter((path) => existsSync(join(root, path)))
  .map((path) => readFileSync(join(root, path), "utf8"))
  .join("\n");

const unread = (names: readonly string[], text: string): readonly string[] =>
  names.filter((name) => !new RegExp(`\\blimits\\.${name}\\b`).test(text));

/** Codes are texts, or keys of counts. */
const unreturned = (names: readonly string[], text: string): readonly string[] =>
  names.filter((name) => !new RegExp(`["'\`]${name}["'\`]|\\b${name}:`).test(text));

test("each limit has a reader", () => {
  expect(unread(Object.keys(limits), sources)).toEqual([]);
});

test("each code is returned somewhere", () => {
  expect(unreturned(Object.keys(codes), sources)).toEqual([]);
});

test("a limit without a reader and a code without a place are found", () => {
  expect(unread(["one", "two"], "limits.one * 2; limits.twofold")).toEqual(["two"]);
  expect(unreturned(["a_b", "c_d"], 'throw new CodedError("a_b"); // c_d')).toEqual(["c_d"]);
});
