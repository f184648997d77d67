/** What a start leaves to the first request that needs it, by the files of the built program. */
import { readFile, readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { expect, test } from "vitest";

const program = fileURLToPath(new URL("../../../collector/dist/program/", import.meta.url));

/** Files of the program with their text. */
async function readProgram(): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(program)).filter((name) => name.endsWith(".js"));
  const texts = names.map((name) => readFile(`${program}${name}`, "utf8"));
  return new Map((await Promise.all(texts)).map((text, at) => [names[at] ?? "", text]));
}

/** A file, and all that are loaded with it; not those that it loads when they are needed. */
function loadedWith(texts: ReadonlyMap<string, string>, entry: string): ReadonlySet<string> {
  const loaded = new Set([entry]);
  for (const name of loaded) {
    for (const [, from] of (texts.get(name) ?? "").matchAll(/(?:from|import) ?"\.\/([^"]+)"/g)) {
      if (from !== undefined) loaded.add(from);
    }
  }
  return loaded;
}

const all = ["ui", "reading-thread.js", "judging-thread.js"];

/** A text of each part that is loaded later, and the entries that start without it. */
const later: readonly (readonly [part: string, text: string, entries: readonly string[]])[] = [
  ["tools for agents", "JsonSchemaValidator", all],
  ["the client of OpenID Connect", "OAUTH_JWT_CLAIM", all],
  ["the schemas of answers", "#/components/schemas/OtlpExportAnswer", all],
  ["zod", "ZodError", ["judging-thread.js"]],
  ["YAML", "YAMLParseError", ["judging-thread.js"]],
];

test.each(later)("a start loads no code for %s", async (_, text, entries) => {
  const texts = await readProgram();
  const withText = (searched: string): readonly string[] =>
    [...texts].filter(([, held]) => held.includes(searched)).map(([name]) => name);
  const holders = withText(text);
  expect(holders).not.toEqual([]);
  for (const entry of entries) {
    const loaded = loadedWith(
      texts,
      entry === "ui" ? (withText("grpc_not_served")[0] ?? "") : entry,
    );
    expect(loaded.size).toBeGreaterThan(10);
    expect(holders.filter((name) => loaded.has(name))).toEqual([]);
  }
});
