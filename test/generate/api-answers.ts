/**
 * @module ApiAnswers: the schemas of the API's JSON answers, made from their TypeScript types.
 */
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { createGenerator } from "ts-json-schema-generator";

const here = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The file that the API description reads. */
export const apiAnswersFile: string = here("collector/src/http/api-answers.json");

type Schema = Record<string, unknown>;

/** `Omit<Window,"events">` is no name for a component; letters and digits are. */
function nameOf(name: string): string {
  return decodeURIComponent(name)
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
}

/** A comment without the marks of a link, which lead nowhere outside the source. */
function plainText(text: unknown): unknown {
  return typeof text === "string"
    ? text.replace(/\{\s*@link\s+([^}\s]+)\s*\}/g, "`$1`").replace(/ +/g, " ")
    : rewritten(text);
}

/** The schema with references to the components of an OpenAPI document. */
function rewritten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewritten);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) =>
      key === "$ref" && typeof member === "string"
        ? [key, `#/components/schemas/${nameOf(member.replace("#/definitions/", ""))}`]
        : [key, key === "description" ? plainText(member) : rewritten(member)],
    ),
  );
}

/** Interfaces of what a group of routes answers, with their files. */
function answerTypes(): readonly { readonly name: string; readonly file: string }[] {
  const files = ["collector/src/pages", "collector/src/http", "collector/src/receive"].flatMap(
    (folder) =>
      readdirSync(here(folder), { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts"))
        .map((file) => join(here(folder), file)),
  );
  return files.toSorted().flatMap((file) => {
    const text = readFileSync(file, "utf8");
    return [...text.matchAll(/^export interface (\w+Answers) /gm)].map(([, name = ""]) => ({
      name,
      file,
    }));
  });
}

/** One type of all answers, in a file that lives as long as it is read. */
function withAllAnswers<T>(use: (path: string) => T): T {
  const types = answerTypes();
  const folder = mkdtempSync(join(tmpdir(), "turnproof-answers-"));
  const path = join(folder, "answers.ts");
  const imports = types.map(({ name, file }) => `import type { ${name} } from "${file}";`);
  const names = types.map(({ name }) => name).join(", ");
  try {
    writeFileSync(path, `${imports.join("\n")}\nexport interface ApiAnswers extends ${names} {}\n`);
    return use(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Text of the file: `answers` by route, and `schemas` by name.
 *
 * @throws Error where two types have one name
 */
export function apiAnswers(): string {
  const made = withAllAnswers((path) =>
    createGenerator({
      path,
      tsconfig: here("collector/tsconfig.json"),
      type: "ApiAnswers",
      skipTypeCheck: true,
      topRef: false,
      sortProps: true,
      additionalProperties: false,
    }).createSchema("ApiAnswers"),
  );
  const schemas: Record<string, Schema> = {};
  for (const [name, schema] of Object.entries(made.definitions ?? {})) {
    const plain = nameOf(name);
    if (Object.hasOwn(schemas, plain)) throw new Error(`two types are named ${plain}`);
    schemas[plain] = rewritten(schema) as Schema;
  }
  const answers = rewritten(made.properties);
  return `${JSON.stringify({ answers, schemas }, null, 2)}\n`;
}
