/** @module The house is held to its rules, and the rules are held to planted breaches. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { circles } from "./circles.ts";
import { breaches, importGraph } from "./rules.ts";
import { houses } from "./rooms.ts";
import { separatedNumbers } from "./sql-literals.ts";
import type { SourceFile } from "./source-file.ts";
import { deploymentWords, documentWords, words } from "./words.ts";

const root = join(import.meta.dirname, "../../..");

function sources(): readonly SourceFile[] {
  return execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  })
    .split("\n")
    .filter((path) => /\.tsx?$/.test(path) && existsSync(join(root, path)))
    .filter((path) => !/^test\/dialects\/|vite\.config\.ts$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

function manifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest;
}

const rooms = Object.keys(importGraph).filter((folder) =>
  existsSync(join(root, folder, "package.json")),
);

test("the house keeps its rules", () => {
  expect(breaches(sources())).toEqual([]);
});

test("numbers in SQL text have no underscores, which need PostgreSQL 16", () => {
  const paths = execFileSync("git", ["ls-files", "-co", "*.sql"], { cwd: root, encoding: "utf8" });
  const files = paths
    .split("\n")
    .filter((path) => path !== "")
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
  expect(files.length).toBeGreaterThan(20);
  expect([...files, ...sources()].flatMap(separatedNumbers)).toEqual([]);
  const lines = (path: string, text: string): readonly number[] =>
    separatedNumbers({ path, text }).map(({ line }) => line);
  const module = "packages/store/src/a.ts";
  expect(lines(module, 'const most = 1_000;\nquery("SELECT lock(7_203_771)");')).toEqual([2]);
  expect(lines(module, "query(`SELECT a\nLIMIT 2_000`);")).toEqual([2]);
  expect(lines(module, "query(`LIMIT ${most * 1_000} AS t_1_000`);\n// `1_000`")).toEqual([]);
  expect(lines("packages/store/sql/a.sql", "SELECT 1;\nSELECT 1_000;")).toEqual([2]);
});

test("documents have plain words; the requirements are the law as it was written", () => {
  const pages = execFileSync("git", ["ls-files", "*.md"], { cwd: root, encoding: "utf8" })
    .split("\n")
    .filter((path) => /^(README|SECURITY|docs\/|packages\/|collector\/|dashboards\/)/.test(path))
    .filter((path) => path !== "docs/requirements.md" && existsSync(join(root, path)));
  expect(pages.length).toBeGreaterThan(40);
  const found = pages.flatMap((path) =>
    documentWords({ path, text: readFileSync(join(root, path), "utf8") }),
  );
  expect(found.map(({ path, line }) => `${path}:${line}`)).toEqual([]);
  expect(documentWords({ path: "a.md", text: "Open to everybody." })).toHaveLength(1);
  expect(documentWords({ path: "a.md", text: "No call said it. The page says so." })).toHaveLength(
    1,
  );
  expect(documentWords({ path: "a.md", text: "The page says so." })).toEqual([]);
});

test("comments of SQL files, style sheets and scripts have plain words", () => {
  const kinds = ["packages/**/*.sql", "collector/**/*.css", "collector/*.mjs", "test/**/*.mjs"];
  const found = execFileSync("git", ["ls-files", ...kinds], {
    cwd: root,
    encoding: "utf8",
  })
    .trim()
    .split("\n")
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
  expect(found.length).toBeGreaterThan(70);
  expect(found.flatMap(words)).toEqual([]);
  const planted = {
    path: "packages/store/sql/a.sql",
    text: "CREATE TABLE a;\n-- Rows of\n-- nobody.",
  };
  expect(words(planted).map(({ line }) => line)).toEqual([2]);
});

test("dashboards and deployment files have plain words", () => {
  const listed = ["dashboards", "docker-compose.yml", ":!dashboards/*.md"];
  const paths = execFileSync("git", ["ls-files", ...listed], { cwd: root, encoding: "utf8" });
  const found = paths
    .trim()
    .split("\n")
    .filter((path) => existsSync(join(root, path)))
    .flatMap((path) => deploymentWords({ path, text: readFileSync(join(root, path), "utf8") }));
  expect(found.map(({ path, line }) => `${path}:${line}`)).toEqual([]);
  const planted = '{ "title": "a" }\n{ "description": "What a provider does not say." }';
  expect(deploymentWords({ path: "dashboards/a.json", text: planted })).toMatchObject([
    { line: 2 },
  ]);
});

test("no file imports itself by way of others, types included", () => {
  const own = sources().filter(
    ({ path }) => /^(packages\/[a-z-]+|collector)\/src\//.test(path) && !/\.test\./.test(path),
  );
  expect(own.length).toBeGreaterThan(600);
  expect(circles(own)).toEqual([]);
});

test("a planted circle is found, but not between a page and its route", () => {
  const a = { path: "packages/x/src/a.ts", text: `import type { B } from "./b.ts";` };
  const b = { path: "packages/x/src/b.ts", text: `export { c } from "./c/c.ts";` };
  const c = { path: "packages/x/src/c/c.ts", text: `import "../a.ts";` };
  expect(circles([a, b, c])).toEqual([[a.path, b.path, c.path]]);
  expect(circles([a, b])).toEqual([]);
  const page = (name: string, to: string): SourceFile => ({
    path: `collector/src/pages/agents/${name}`,
    text: `import type { A } from "${to}";`,
  });
  const route = page("route.ts", "./page.tsx");
  expect(circles([route, page("page.tsx", "./route.ts")])).toEqual([]);
  const views = page("views.ts", "./route.ts");
  expect(circles([page("route.ts", "./views.ts"), views])).toHaveLength(1);
  const parts = { path: "collector/src/parts.ts", text: `import "./pages/agents/route.ts";` };
  expect(circles([page("route.ts", "../../parts.ts"), parts])).toHaveLength(1);
});

test("every exported path has a source, and every import of ours is declared", () => {
  for (const folder of rooms) {
    const { exports = {}, dependencies = {}, peerDependencies = {} } = manifest(folder);
    for (const target of Object.values(exports)) {
      const source = typeof target === "string" ? target : target["@turnproof/source"];
      expect(existsSync(join(root, folder, source ?? "missing")), `${folder} ${source}`).toBe(true);
    }
    const declared = { ...dependencies, ...peerDependencies };
    const used = sources()
      .filter(({ path }) => path.startsWith(`${folder}/src/`) && !/\.test\.tsx?$/.test(path))
      .flatMap(({ text }) => [...text.matchAll(/from "(@turnproof\/[a-z-]+)/g)].map((m) => m[1]!));
    for (const name of new Set(used)) {
      if (name !== manifest(folder).name)
        expect(declared, `${folder} ${name}`).toHaveProperty([name]);
    }
  }
});

test("the table of packages, the arrows and the dependencies of the manifests are the same", () => {
  const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
  const [, part = ""] = page.split("\n## Packages\n");
  const rows = [
    ...(part.split("\n## ")[0] ?? "").matchAll(/^\| `([a-z-]+)` \| [^|]+ \| ([^|]+) \|$/gm),
  ].map(([, name = "", list = ""]) => [name, list === "–" ? [] : list.split(", ").toSorted()]);
  const folders = Object.entries(importGraph).map(([folder, imports]) => {
    return [folder.replace("packages/", ""), [...imports].toSorted()] as const;
  });
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(folders));
  for (const folder of rooms) {
    const ours = Object.keys(manifest(folder).dependencies ?? {})
      .filter((name) => /^(?:@turnproof\/.+|turnproof)$/.test(name))
      .map((name) => (name === "turnproof" ? "collector" : name.replace("@turnproof/", "")));
    expect(ours.toSorted(), folder).toEqual([...importGraph[folder]!].toSorted());
  }
});

test("no registry host, no private path and no private tool is named in the repository", () => {
  const tracked = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n");
  const banned = new RegExp(
    ["registry\\.np" + "mjs\\.org", "/wo" + "rk/(main|shared|\\.library)"].join("|"),
  );
  const found = tracked.filter(
    (path) =>
      path !== "" &&
      existsSync(join(root, path)) &&
      banned.test(readFileSync(join(root, path), "latin1")),
  );
  expect(found).toEqual([]);
});

test("tests run on the runtime that the project brings and on the sources", () => {
  expect(process.version).toMatch(/^v26\./);
  expect(import.meta.resolve("@turnproof/semconv")).toMatch(/packages\/semconv\/src\/index\.ts$/);
});

test.each(Object.entries(houses))("the page on the architecture has: %s", (heading, house) => {
  const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
  const [, part = ""] = page.split(`\n## ${heading}\n`);
  const rows = [...(part.split("\n## ")[0] ?? "").matchAll(/^\| `([^`]+)` \|/gm)];
  const named: readonly string[] = house.rooms;
  expect(rows.map(([, room]) => room)).toEqual(named.filter((room) => room !== ""));
});

/** Places of each name of a type: exported ones of all packages, all of them by package. */
function typeNames(files: readonly SourceFile[]): {
  readonly exported: ReadonlyMap<string, readonly string[]>;
  readonly local: ReadonlyMap<string, readonly string[]>;
} {
  const [exported, local] = [new Map<string, string[]>(), new Map<string, string[]>()];
  const declared = /^(export )?(?:abstract )?(?:interface|type|class|enum) ([A-Z]\w+)/gm;
  for (const { path, text } of files) {
    const home = /^(packages\/[a-z-]+|collector)\/src\//.exec(path)?.[1];
    if (home === undefined || /\.test\./.test(path)) continue;
    for (const [, isExported, name = ""] of text.matchAll(declared)) {
      const [places, key] = isExported ? [exported, name] : [local, `${home} ${name}`];
      places.set(key, [...(places.get(key) ?? []), path]);
    }
  }
  return { exported, local };
}

test("an exported name of a type stands for one type, and no other of its package has it", () => {
  const { exported, local } = typeNames(sources());
  expect(exported.size).toBeGreaterThan(500);
  expect([...exported].filter(([, paths]) => paths.length > 1)).toEqual([]);
  const shadowing = [...local].filter(([key]) => {
    const [home = "", name = ""] = key.split(" ");
    return exported.get(name)?.some((path) => path.startsWith(`${home}/`)) === true;
  });
  expect(shadowing).toEqual([]);
});

test("no type has the name of one that another package publishes", () => {
  const files = sources();
  const { local } = typeNames(files);
  const listed = /export (?:type )?\{([^}]*)\} from "\.[^"]*"/g;
  const published = files.flatMap(({ path, text }) => {
    const home = /^(packages\/[a-z-]+)\/src\/index\.ts$/.exec(path)?.[1];
    if (home === undefined) return [];
    const names = [...text.matchAll(listed)].flatMap(([, list = ""]) => list.split(","));
    return names.map((name) => [home, name.trim().replace(/^type /, "")] as const);
  });
  const types = published.filter(([, name]) => /^[A-Z]/.test(name));
  expect(types.length).toBeGreaterThan(400);
  const taken = [...local.keys()].filter((key) => {
    const [home, name] = key.split(" ");
    return types.some(([owner, own]) => own === name && owner !== home);
  });
  expect(taken).toEqual([]);
});

test("a comment of one long word is not broken", () => {
  const long = `https://example.com/${"a".repeat(90)}`;
  const text = [`/** ${long} */`, ` * ${long}`, `// ${long}`, `const a = "${long}";`].join("\n");
  expect(breaches([{ path: "test/a.ts", text }])).toEqual([]);
});

describe("a planted breach is found", () => {
  const planted: readonly (readonly [path: string, text: string, rule: RegExp])[] = [
    ["packages/evidence/src/a.ts", `import { x } from "@turnproof/store";`, /may not import store/],
    ["packages/exporter/src/a.ts", `import { x } from "@turnproof/store";`, /may not import store/],
    ["packages/memory/src/a.ts", `import type { X } from "@turnproof/evidence";`, /may not import/],
    ["collector/src/a.ts", `const m = await import("@turnproof/agent");`, /may not import agent/],
    [
      "packages/store/src/a.ts",
      `import { a } from "../../semconv/src/b.ts"; import "../../packages/x";`,
      /header|opens/,
    ],
    ["collector/src/a.ts", `const name = "gen_ai.usage.input_tokens";`, /attribute and span names/],
    ["collector/src/a.ts", `const host = process.env["HOST"];`, /environment/],
    ["packages/evidence/src/a.ts", `const now = Date.now();`, /no clock/],
    ["packages/evidence/src/a.ts", `import { x } from "node:fs";`, /no clock/],
    ["collector/src/pages/a/route.ts", `issueOperatorGrant({})`, /grant/],
    ["packages/evidence/src/a.ts", `const at = isoNow();`, /no clock/],
    ["collector/src/a.ts", `const at = new Date(ms).toISOString();`, /a time becomes text/],
    ["collector/src/a.ts", `  readonly agent_id: string | null;`, /identity fields have/],
    ["packages/store/src/a.ts", `of: { readonly tenant: string | null }`, /identity fields have/],
    ["packages/agent/src/a.ts", `readonly rootTraceId?: string;`, /identity fields have/],
    ["collector/src/pages/a/route.ts", `from "@turnproof/store/admin"`, /unscoped access/],
    ["collector/src/ui/client/a.ts", `node.innerHTML = text;`, /markup/],
    [
      "collector/src/http/a.ts",
      `import { b } from "../judge/judge.ts";`,
      /http may not import from judge/,
    ],
    [
      "collector/src/ui/a.tsx",
      `import type { A } from "../pages/agents/route.ts";`,
      /ui may not import type from pages/,
    ],
    [
      "collector/src/pages/find/route.ts",
      `import { a } from "../agents/route.ts";`,
      /page find may not import page agents/,
    ],
    [
      "packages/evidence/src/normalize/a.ts",
      `import type { A } from "../reconcile/reconcile.ts";`,
      /normalize may not import type from reconcile/,
    ],
    ["collector/src/things/a.ts", `import { a } from "../log.ts";`, /things is no room/],
    ["packages/store/src/utils.ts", "", /drawer/],
    ["packages/store/src/camelCase.ts", "", /kebab/],
    ["packages/store/src/a.ts", "x\n".repeat(401), /400 lines/],
    ["packages/store/src/a.ts", "a ".repeat(60), /100 columns/],
    ["packages/store/src/a.ts", `/** ${"a/b ".repeat(25)}*/`, /:1 a line has at most 100 columns/],
    ["packages/store/src/a.ts", ` * Of ${"a".repeat(100)}`, /:1 a line has at most 100 columns/],
    ["packages/store/src/a.ts", "const x = 1;", /opens with/],
    ["packages/store/src/a.ts", "/** a */\n\nexport const x = 1;", /docstring/],
    ["packages/store/src/a.ts", `export * from "./b.ts";`, /named/],
    ["packages/store/src/a.test.ts", `test.skip("x", () => {});`, /skipped/],
    ["packages/store/src/a.ts", `// @ts-ignore`, /switched off/],
    ["packages/store/src/a.ts", "await rm(path).catch(() => undefined);", /rejection says why/],
    ["packages/store/src/a.ts", "void ask().then(started, () => {});", /rejection says why/],
    ["collector/src/ui/a.tsx", `<p>Open to everybody.</p>`, /:1 a text has plain words/],
    ["packages/evidence/src/a.ts", `why: "Nobody did it."`, /:1 a text has plain words/],
    ["packages/store/src/a.ts", "const { a } = b;\nconst rowsAsked = 1;", /:2 a name/],
    ["packages/store/src/a.ts", "function a({ said }: B) {}", /:1 a name/],
    [
      "packages/store/src/a.ts",
      "call((askedRows) => askedRows);\nfor (const x of b.told()) c();",
      /:2 a name/,
    ],
    ["packages/store/src/asked-rows.ts", "", /:1 a name/],
    ["packages/store/src/a.ts", "/** Rows of a\n * store that tells. */", /:1 a comment has plain/],
    [
      "collector/src/ui/a.tsx",
      ["<p>{/", "* What the page says. */}</p>"].join(""),
      /:1 a comment has plain/,
    ],
    ["packages/store/src/a.ts", "/** A role who\n * may read. */", /:1 a comment has plain words/],
  ];
  test.each(planted.map(([path, text, rule]) => ({ path, text, rule })))(
    "$rule",
    ({ path, text, rule }) => {
      expect(breaches([{ path, text }]).join("\n")).toMatch(rule);
    },
  );
});
