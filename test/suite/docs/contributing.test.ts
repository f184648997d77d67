/**
 * @module Contributing: every file that the contributor's pages name exists, the checklist of a
 * dialect names all places that know the latest one, and the commands are scripts.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, posix } from "node:path";

import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const contributing = read("CONTRIBUTING.md");

/** The part of the page under this heading. */
function section(heading: string): string {
  const [, part = ""] = contributing.split(`\n## ${heading}\n`);
  return part.split("\n## ")[0] ?? "";
}

/** Files and folders that a text names. */
function pathsOf(text: string): readonly string[] {
  const quoted = [...text.matchAll(/`((?:packages|collector|docs|test)\/[^`*]+)`/g)];
  return quoted.map(([, path = ""]) => path);
}

test.each(["CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"])("%s names what exists", (page) => {
  const text = read(page);
  for (const path of pathsOf(text))
    expect([path, existsSync(join(root, path))]).toEqual([path, true]);
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = ""]) => path);
  for (const path of links) expect([path, existsSync(join(root, path))]).toEqual([path, true]);
});

test("scripts of the page are scripts of the project", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const named = [...contributing.matchAll(/npm run ([a-z:]+)/g)].map(([, name = ""]) => name);
  expect(named).not.toEqual([]);
  for (const name of named) expect(Object.keys(scripts)).toContain(name);
});

test("each package can be tested alone, with every suite that is one package's", () => {
  const listed = read("test/package-tests.mjs");
  const names = [...listed.matchAll(/^  "?([a-z-]+)"?: \[/gm)].map(([, name = ""]) => name);
  const packages = readdirSync(join(root, "packages")).filter((name) => !name.includes("."));
  expect(names.toSorted()).toEqual([...packages, "collector"].toSorted());
  for (const [, suite = ""] of listed.matchAll(/"((?:suite|otel)[^"]*)"/g)) {
    expect([suite, existsSync(join(root, "test", suite))]).toEqual([suite, true]);
  }
});

test("the checklist of a dialect names every place that holds the latest one's name", () => {
  const stated = execFileSync(
    "git",
    [
      "grep",
      "-lE",
      '("mastra"|^  mastra[,:]|mastra\\.(md|ts|mjs))',
      "--",
      "packages",
      "test",
      "docs",
    ],
    { cwd: root, encoding: "utf8" },
  );
  const others = /\.test\.ts$|fixtures|README\.md$|package(-lock)?\.json$|^docs\/design|tidy/;
  const places = stated.split("\n").filter((path) => path !== "" && !others.test(path));
  const checklist = pathsOf(section("Add a dialect"));
  for (const path of places) expect(checklist).toContain(path);
});

test("an attribute is one row with all fields, and the generated pages have it", () => {
  const [table = ""] = pathsOf(section("Add an attribute")).filter((path) =>
    path.startsWith("packages/semconv/src/registry/"),
  );
  const rows = [
    ...read(table).matchAll(/^ {2}(\w+): \{\n {4}span: "([^"]+)",\n([^]*?)^ {2}\},$/gm),
  ];
  expect(rows.length).toBeGreaterThan(10);
  for (const [, name = "", span = "", fields = ""] of rows) {
    for (const field of ["brief", "examples", "stability", "source"]) {
      expect([name, fields.includes(`    ${field}:`)]).toEqual([name, true]);
    }
    expect(read("packages/semconv/README.md")).toContain(`\`${span}\``);
  }
  const written = execFileSync("git", ["grep", "-lF", '"turnproof.ownership_verified"', "--"], {
    cwd: root,
    encoding: "utf8",
  });
  const places = written.split("\n").filter((path) => /^(packages|collector)\//.test(path));
  const schema = "packages/semconv/attributes.schema.json";
  expect(places.filter((path) => !path.endsWith(".test.ts"))).toEqual([schema, table]);
});

test("the checklist of a backend leads to the files that know every provider", () => {
  const checklist = pathsOf(section("Add a backend"));
  for (const path of checklist.filter((one) =>
    /providers\.ts|backend\.ts|backends\.ts/.test(one),
  )) {
    for (const name of ["filesystem", "postgres", "mongodb"]) expect(read(path)).toContain(name);
  }
});

test("the checklist of a page leads to one list, one declaration and an example", () => {
  const paths = pathsOf(section("Add a page"));
  expect(paths).toContain("collector/src/pages/index.ts");
  expect(paths).toContain("collector/src/pages/agents");
  expect(read("collector/src/pages/index.ts")).toContain("./agents/route.ts");
  expect(read("collector/src/pages/agents/route.ts")).toContain("RouteGroup<");
});

/** Files outside of a page's folder that import from it; commands and tools for agents may. */
function importersOf(page: string, files: readonly (readonly [string, string])[]): string[] {
  const imported = (path: string, text: string): readonly string[] =>
    [...text.matchAll(/(?:from|import\() ?"(\.[^"]*)"/g)].map(([, specifier = ""]) =>
      posix.join(posix.dirname(path), specifier),
    );
  return files
    .filter(([path]) => !/^(?:mcp|cli)\//.test(path) && !path.startsWith(`pages/${page}/`))
    .filter(([path, text]) => imported(path, text).some((to) => to.startsWith(`pages/${page}/`)))
    .map(([path]) => path);
}

test("a page stands in its folder and in one list, its link in the rail too", () => {
  const home = join(root, "collector/src");
  const files = readdirSync(home, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path))
    .map((path) => [path, read(`collector/src/${path}`)] as const);
  const pages = readdirSync(join(home, "pages")).filter((name) => !name.includes("."));
  expect(pages.length).toBeGreaterThan(30);
  for (const page of pages) {
    expect([page, importersOf(page, files)]).toEqual([page, ["pages/index.ts"]]);
  }
  const planted = [["ui/layout.tsx", `import { x } from "../pages/agents/route.ts";`]] as const;
  expect(importersOf("agents", planted)).toEqual(["ui/layout.tsx"]);
  const linked = files.filter(([, text]) => /^ {2}rail: \{/m.test(text)).map(([path]) => path);
  expect(linked.length).toBeGreaterThan(12);
  expect(linked.filter((path) => !/^pages\/[^/]+\/[a-z-]*route\.ts$/.test(path))).toEqual([]);
  // The links come from the routes: the frame names none of their icons itself.
  const frame = read("collector/src/ui/layout.tsx");
  for (const [, key] of linked.flatMap((path) => [
    ...read(`collector/src/${path}`).matchAll(/^ {2}rail: \{[^}]*icon: "([^"]+)"/gm),
  ])) {
    expect(frame).not.toContain(`"${key}"`);
  }
});

/**
 * By word in a literal of the collector's code: folders of pages that have it, `""` for the rest.
 */
function usersOfWords(): ReadonlyMap<string, ReadonlySet<string>> {
  const users = new Map<string, Set<string>>();
  const home = join(root, "collector/src");
  for (const path of readdirSync(home, { recursive: true, encoding: "utf8" })) {
    if (!/\.tsx?$/.test(path) || /\.test\.tsx?$/.test(path)) continue;
    const page = /^pages\/([^/]+)\//.exec(path)?.[1] ?? "";
    for (const [literal] of read(`collector/src/${path}`).matchAll(/"[^"\n]*"|`[^`]*`/g)) {
      for (const [word] of literal.matchAll(/[a-z][\w-]*/g)) {
        users.set(word, (users.get(word) ?? new Set()).add(page));
      }
    }
  }
  return users;
}

test("shared styles hold no class that a single page has", () => {
  // The sheet for paper is one whole: it names what is left out of every page.
  const styles = readdirSync(join(root, "collector/src/ui/style"))
    .filter((file) => file !== "print.css")
    .map((file) => read(`collector/src/ui/style/${file}`).replaceAll(/\/\*[^]*?\*\//g, ""));
  const selectors = styles.join("\n").replaceAll(/\{[^{}]*\}/g, "{}");
  const classes = [...selectors.matchAll(/\.([a-z][\w-]*)/g)].map(([, name = ""]) => name);
  expect(new Set(classes).size).toBeGreaterThan(150);
  const users = usersOfWords();
  const single = (names: readonly string[]): readonly string[] =>
    [...new Set(names)].filter((name) => users.get(name)?.size === 1 && !users.get(name)?.has(""));
  expect(single(classes)).toEqual([]);
  expect(single(["recommendation-head", "card"])).toEqual(["recommendation-head"]);
});
