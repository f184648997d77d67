/**
 * @module Test files that hold the judge and need no server, those that reject most mutants first.
 */
import { globSync } from "node:fs";

const first = ["/reconcile", "/coverage", "/compare", "/verdicts", "/order", "/denials"];

/** Slow, random or about something else than the judge's rules. */
const left = /\/(growth|readme|golden-normalize|malformed|insights-by-the-text|window-cases)\./;

function place(file: string): number {
  const at = first.findIndex((name) => file.includes(name));
  if (at >= 0) return at;
  return file.includes("/mutations.") ? first.length + 1 : first.length;
}

/** Their paths from `root`, in the order in which they run. */
export function testFiles(root: string): string[] {
  const found = globSync(
    [
      "packages/evidence/src/{reconcile,coverage,compare,insights}/*.test.ts",
      "test/suite/evidence/*.test.ts",
    ],
    { cwd: root },
  );
  return found
    .filter((file) => !left.test(file))
    .toSorted((a, b) => place(a) - place(b) || (a < b ? -1 : 1));
}
