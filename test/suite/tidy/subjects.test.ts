/** Subjects of commits: at most 72 characters, a capital first, no full stop at the end. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

import { expect, test } from "vitest";

/** The last commit before the rule; it and what came before stay as they are. */
const exempt = "9c0c8197";

const root = join(import.meta.dirname, "../../..");
const git = (...args: readonly string[]): string =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

/** The subjects since then; undefined without a repository, and in a clone that is too shallow. */
function subjects(): readonly string[] | undefined {
  try {
    return git("log", "--no-merges", "--format=%s", `${exempt}..HEAD`).split("\n").slice(0, -1);
  } catch {
    return undefined;
  }
}

const isWrong = (subject: string): boolean =>
  subject.length > 72 || !/^[A-Z]/.test(subject) || subject.endsWith(".");

const recent = subjects();

test.skipIf(recent === undefined)("every subject since then has the form", () => {
  expect(recent?.filter(isWrong)).toEqual([]);
});

test("a wrong subject is found", () => {
  const right = "Count threads instead of timing the first page in a test";
  const wrong = ["count threads", "Count threads.", `Count ${"threads ".repeat(9)}`];
  expect([right, ...wrong].filter(isWrong)).toEqual(wrong);
});
