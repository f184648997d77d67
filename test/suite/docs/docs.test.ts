/**
 * What is documented is what there is, in both directions: variables, routes, codes, kinds,
 * commands and the shell lines of the README.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { codes, eventKinds } from "@turnproof/semconv";
import { endpoints } from "turnproof";
import { describe, expect, test } from "vitest";

import { createProgram } from "../../../collector/src/cli/program.ts";
import { variables } from "../../../collector/src/config/config-variables.ts";
import {
  collectorReadme,
  collectorReadmeFile,
  documentedName,
} from "../../generate/collector-readme.ts";
import { openDesk } from "../collector/desk.ts";

const root = join(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const tracked = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter((path) => path !== "" && existsSync(join(root, path)));
const readmes = tracked.filter((path) => /(^|\/)README\.md$/.test(path));
const collector = read("collector/README.md");

test("the tables of the collector's README are the collector's own", () => {
  expect(readFileSync(collectorReadmeFile, "utf8")).toBe(collectorReadme(endpoints));
});

describe("variables", () => {
  const known = variables.map(({ name }) => documentedName(name));

  test("each is in the README", () => {
    for (const name of known) expect(collector).toContain(`\`${name}\``);
  });

  test("none is named anywhere that does not exist", () => {
    const named = (path: string): string[] =>
      [...read(path).matchAll(/\bTURNPROOF_[A-Z][A-Z_]*[A-Z]\b/g)].map(([name]) => name);
    const pages = tracked.filter((path) => /^(docs\/.*|[A-Z]+)\.md$/.test(path));
    const places = [...readmes, ...pages, "docker-compose.yml", "collector/Dockerfile"];
    for (const path of places) {
      for (const name of named(path))
        expect([path, known.includes(name), name]).toEqual([path, true, name]);
    }
    const sources = tracked.filter((path) =>
      /^(collector|packages\/[a-z]+)\/src\/.*\.tsx?$/.test(path),
    );
    for (const path of sources.filter((file) => !/\.test\.tsx?$/.test(file))) {
      for (const name of named(path))
        expect([path, known.includes(name), name]).toEqual([path, true, name]);
    }
  });
});

test("every code has its sentence in the vocabulary's README, and every kind its name", () => {
  const text = read("packages/semconv/README.md");
  for (const code of Object.keys(codes)) expect(text).toContain(`\`${code}\``);
  for (const kind of eventKinds) expect(text).toContain(`\`${kind}\``);
});

test("every route is in the README and in /openapi.json, and none besides", async () => {
  const routes = Object.keys(endpoints).filter((route) => !route.startsWith("ALL "));
  const written = [...collector.matchAll(/^\| `((?:GET|POST) [^`]+)` \|/gm)].map((m) => m[1] ?? "");
  const templated = routes.map((route) => route.replace(/:([a-z_]+)/g, "{$1}"));
  const desk = await openDesk();
  const { paths } = await desk.json<{ paths: Record<string, object> }>("/openapi.json");
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  for (const route of templated) expect(described).toContain(route);
  expect(written.toSorted()).toEqual(described.toSorted());
  await desk.collector.close();
});

const program = await createProgram();

describe("commands", () => {
  const names = program.commands.flatMap((command) =>
    command.commands.length === 0
      ? [command.name()]
      : command.commands.map((inner) => `${command.name()} ${inner.name()}`),
  );

  test("each is in the README, and none besides", () => {
    const written = [...collector.matchAll(/^\| `turnproof ([a-z -]+?)(?: <[^`]+)?` \|/gm)];
    expect(written.map((match) => match[1] ?? "").toSorted()).toEqual(names.toSorted());
  });

  test("those that any README shows can be given, with the options shown", () => {
    const words = new Set([...program.commands.map((command) => command.name()), ""]);
    for (const path of readmes) {
      for (const [line] of read(path).matchAll(/^ *(?:npx )?turnproof(?: .*)?$/gm)) {
        const [, word = "", ...rest] = line
          .trim()
          .replace(/^npx /, "")
          .replace(/#.*$/, "")
          .split(/\s+/);
        const name = word.startsWith("-") ? "" : word;
        expect([path, line, words.has(name)]).toEqual([path, line, true]);
        const command = program.commands.find((each) => each.name() === (name || "ui"));
        const inner = command?.commands.find((each) => each.name() === rest[0]) ?? command;
        const known = inner?.options.map(({ long }) => long) ?? [];
        for (const option of rest.filter((each) => each.startsWith("--"))) {
          const shown = option.replace(/=.*$/, "");
          const there = known.includes(shown) || shown === "--help";
          expect([path, line, shown, there]).toEqual([path, line, shown, true]);
        }
      }
    }
  });

  test("each teaches: it describes itself, and what it prints can be JSON", () => {
    for (const command of program.commands) {
      expect(command.description().length).toBeGreaterThan(10);
      const leaves = command.commands.length === 0 ? [command] : command.commands;
      for (const leaf of leaves) {
        const longs = leaf.options.map(({ long }) => long);
        const speaks = longs.includes("--json") || ["ui", "export", "mcp"].includes(leaf.name());
        expect([leaf.name(), speaks]).toEqual([leaf.name(), true]);
      }
    }
  });
});

test("the README's npm lines are scripts that there are, and its links lead somewhere", () => {
  for (const path of readmes) {
    const text = read(path);
    // A folder with an install of its own has scripts of its own.
    const own = join(path, "../package.json");
    const manifests = ["package.json", ...(existsSync(join(root, own)) ? [own] : [])];
    const scripts = Object.assign(
      {},
      ...manifests.map((each) => (JSON.parse(read(each)) as { scripts?: object }).scripts),
    ) as Record<string, string>;
    for (const [, name = ""] of text.matchAll(/\bnpm run (?:-s )?([a-z:]+)/g)) {
      expect([path, name, Object.hasOwn(scripts, name)]).toEqual([path, name, true]);
    }
    for (const [, target = ""] of text.matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)) {
      const file = join(root, path, "..", target);
      expect([path, target, existsSync(file)]).toEqual([path, target, true]);
    }
  }
  const shown = read("README.md");
  for (const script of ["start", "test"]) expect(shown).toContain(`npm install && npm ${script}`);
});
