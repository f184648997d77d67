/**
 * @module Documents: links and anchors of every page lead somewhere, the table of faults names
 * tests that exist, decisions are dated and short, and the index has every page.
 */
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const pages = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.md"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter((path) => path !== "" && existsSync(join(root, path)) && !/^test\/.*\//.test(path));
const docs = pages.filter((path) => path.startsWith("docs/"));

/** Anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const code = /^```[^]*?^```/gm;
  const headings = [...text.replaceAll(code, "").matchAll(/^#{1,6} (.+)$/gm)];
  return new Set(
    headings.map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

test.each(pages)("%s: links and anchors lead somewhere", (page) => {
  const broken = [...read(page).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].filter(
    ([, target = ""]) => {
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? page : join(dirname(page), path);
      if (!existsSync(join(root, file))) return true;
      return anchor !== undefined && !anchorsOf(read(file)).has(anchor);
    },
  );
  expect(broken.map(([link]) => link)).toEqual([]);
});

test("each fault names its mechanism, and tests that exist", () => {
  const rows = read("docs/faults.md").matchAll(/^\| ([RHWT]\d+) \| (.+) \| (.+) \| (.+) \|$/gm);
  const faults = [...rows];
  expect(faults.length).toBeGreaterThan(60);
  expect(new Set(faults.map(([, number]) => number)).size).toBe(faults.length);
  for (const [, number, , , cell = ""] of faults) {
    const tests = [...cell.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path);
    expect([number, tests.length]).not.toEqual([number, 0]);
    for (const path of tests) {
      const places = [path, `test/suite/${path}`];
      const found = places.flatMap((place) => globSync(place, { cwd: root }));
      expect([number, path, found.length]).not.toEqual([number, path, 0]);
    }
  }
});

describe("decisions", () => {
  const decisions = docs.filter((path) => /^docs\/decisions\/\d/.test(path)).toSorted();
  const index = read("docs/decisions/README.md");

  test("are numbered without a gap and are in the index", () => {
    const numbers = decisions.map((path) => Number(basename(path).slice(0, 4)));
    expect(numbers).toEqual(numbers.map((_, at) => at + 1));
    for (const path of decisions) expect(index).toContain(`(${basename(path)})`);
  });

  test.each(decisions)("%s is dated and short, with context, decision and price", (path) => {
    const text = read(path);
    expect(text).toMatch(/^# \d{4}: .+\n\n\d{4}-\d{2}-\d{2}\n/);
    expect(text.split("\n").length).toBeLessThan(45);
    for (const part of ["**Context.**", "**Decision.**", "**Price.**"])
      expect(text).toContain(part);
  });
});

test("the index has every page, by itself or by the index of its folder", () => {
  const index = read("docs/README.md");
  const folders = ["decisions", "instrument"];
  for (const path of docs.map((page) => page.slice("docs/".length))) {
    if (path === "README.md" || folders.some((folder) => path.startsWith(`${folder}/`))) continue;
    expect(index).toContain(`(${path})`);
  }
  for (const folder of folders) expect(index).toContain(`(${folder}/README.md)`);
});

test("operators have a page for each task", () => {
  for (const task of ["sizing", "backup", "upgrade", "scaling", "hardening"]) {
    expect(docs).toContain(`docs/operate/${task}.md`);
  }
});
