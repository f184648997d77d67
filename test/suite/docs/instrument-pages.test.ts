/** @module The pages of docs/instrument show what test/foreign installs, writes and demands. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { basename, dirname, join } from "node:path";

import { describe, expect, test } from "vitest";

import { expectations } from "../../foreign/expectations.mjs";
import {
  installLine,
  instrumentPages,
  regionOf,
  withParts,
} from "../../generate/instrument-pages.ts";

const root = join(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(path, "utf8");
const index = read(join(root, "docs/instrument/README.md"));

/** Packages that a text of code imports. */
function imported(code: string): string[] {
  const names = [...code.matchAll(/(?:from|require\(|import\() ?"([^".#][^"]*)"/g)].map(
    ([, name = ""]) =>
      name
        .split("/")
        .slice(0, name.startsWith("@") ? 2 : 1)
        .join("/"),
  );
  return names.filter((name) => !name.startsWith("node:") && !builtinModules.includes(name));
}

/** Names of an install line, without their versions. */
const installed = (line: string): string[] =>
  line
    .replace(/^npm install /, "")
    .split(" ")
    .map((name) => name.replace(/(.)@[^@/]+$/, "$1"));

describe.each(instrumentPages.map((path) => [basename(path), path]))("%s", (_name, path) => {
  const text = read(path);

  test("its parts are those of test/foreign; `npm run generate` writes them", () => {
    expect(text).toBe(withParts(text));
  });

  test("what its code imports is on an install line", () => {
    const lines = [...text.matchAll(/^npm install (?!&&).*$/gm)].flatMap(([line]) =>
      installed(line),
    );
    const code = [...text.matchAll(/```(?:js|ts)\n([^]*?)```/g)].map(([, block = ""]) => block);
    for (const name of code.flatMap((block) => imported(block))) expect(lines).toContain(name);
  });

  test("a line that installs our packages leads to how they are packed", () => {
    if (!/^npm install .*@turnproof\//m.test(text)) return;
    expect(text).toContain("(README.md#before-our-packages-are-published)");
  });

  test("it stands in the index, and its links lead somewhere", () => {
    if (basename(path) !== "README.md") expect(index).toContain(`(${basename(path)}`);
    for (const [, target = ""] of text.matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)) {
      expect([target, existsSync(join(dirname(path), target))]).toEqual([target, true]);
    }
  });
});

test("each scenario of the table stands on a page: its code, and its turns or its line's", () => {
  const all = instrumentPages.map(read).join("\n");
  for (const [name, { file, telemetry }] of Object.entries(expectations)) {
    for (const each of telemetry ?? [file]) {
      expect([name, each, all.includes(regionOf(each))]).toEqual([name, each, true]);
    }
    const same = name === "ai-sdk-5" ? "ai-sdk-6" : name;
    expect([name, all.includes(`<!-- seen ${same} -->`)]).toEqual([name, true]);
  }
  const { "ai-sdk-5": five, "ai-sdk-6": six } = expectations;
  expect(five.turns).toEqual(six.turns);
});

test("an install line names the version of an alias, of ours, and nothing unknown", () => {
  const line = installLine("otel-2", ["ai-6", "@turnproof/exporter"]);
  expect(line).toMatch(/^npm install ai@6\.\d+\.\d+ @turnproof\/exporter@\d+\.\d+\.\d+$/);
  expect(() => installLine("otel-2", ["left-out"])).toThrow("does not install left-out");
});

test("the root's README links the index", () => {
  expect(read(join(root, "README.md"))).toContain("(docs/instrument/README.md)");
  const tracked = execFileSync("git", ["ls-files", "docs/instrument"], { cwd: root });
  expect(tracked.toString()).toContain("docs/instrument/README.md");
});
