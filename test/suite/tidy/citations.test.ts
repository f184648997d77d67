/** @module Each citation of a rule names a heading and a number that the documents have. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { brokenCitations, citedDocuments, faultsOf, headingsOf } from "./citations.ts";
import type { Cited } from "./citations.ts";

const root = join(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

const cited: Cited = {
  documents: Object.fromEntries(
    Object.entries(citedDocuments).map(([name, path]) => [name, headingsOf(read(path))]),
  ),
  faults: faultsOf(read("docs/faults.md")),
};

test("every citation resolves", () => {
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  })
    .split("\n")
    .filter((path) => /\.(?:tsx?|mjs|md|css|sql)$|golden\/.*\.json$/.test(path))
    .filter((path) => existsSync(join(root, path)) && !/fixtures\/|tidy\/citations/.test(path));
  expect(files.length).toBeGreaterThan(1_000);
  expect(files.flatMap((path) => brokenCitations({ path, text: read(path) }, cited))).toEqual([]);
});

test.each([
  ["a document elsewhere", "// kept (design 4.2)", "not in the repository: design 4"],
  ["a heading that is not there", "// (storage: Cellars)", "no heading storage: Cellars)"],
  ["another document's heading", "// (privacy: Providers)", "no heading privacy: Providers)"],
  [
    "more after the heading",
    "// (storage: Scopes: by reference)",
    "no heading storage: Scopes: by reference)",
  ],
  [
    "a number beyond the list",
    "/** (requirements:\n * Reconciliation 99) */",
    "no such number requirements: Reconciliation 99) */",
  ],
  [
    "a heading of another case that is not there",
    "// (requirements: tenant rule 3)",
    "no heading requirements: tenant rule 3)",
  ],
  ["a document by its file", "// from design.md 6.2", "not in the repository: design.md 6"],
  ["a point of an issue", "// kept (issue 14, point 5)", "not in the repository: issue 14"],
  ["a bare point", "/** Point 2: one rule. */", "not in the repository: Point 2"],
  ["a fault after a heading", "// (security: Keys, T10)", "no such number security: Keys, T10)"],
  ["a fault that is not listed", "// (faults R1, R999)", "no fault R999"],
])("%s is a breach", (_, text, breach) => {
  expect(brokenCitations({ path: "a.ts", text }, cited)).toEqual([`a.ts ${breach}`]);
});

test("a citation that wraps, two of them, and a list of numbers are no breach", () => {
  const text = `/**
 * Decides (requirements: Reconciliation 1 to 4; storage: Retention
 * and deletion; vocabulary: from a span to an event, rules 1, 2 and 5; faults W1, T3).
 */`;
  expect(brokenCitations({ path: "a.ts", text }, cited)).toEqual([]);
});

test("the captions and the rules of a golden are read, its data is not", () => {
  const golden = (rule: string): string => `{\n  "rule": "${rule}",\n  "note": "point 3"\n}`;
  const broken = (rule: string): readonly string[] =>
    brokenCitations({ path: "a.json", text: golden(rule) }, cited);
  expect(broken("evidence: Normalize; requirements: Endpoints 6")).toEqual([]);
  expect(broken("design 3.6")).toEqual(["a.json not in the repository: design 3"]);
});
