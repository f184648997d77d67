/**
 * @module Compare conventions: `npm run conventions -- FILE …` reads registry files of
 * semantic-conventions (YAML or JSON, groups of version 1, definitions of version 2 or a resolved
 * registry) and prints which of their attributes the table has no decision for. Exit code 1 when
 * there are any, 2 when a file holds no attribute.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { parse } from "yaml";

import { conventionNamespaces, conventionRows } from "./convention-table.ts";

/** How a file and the table differ. */
export interface Difference {
  /** Attributes of the file, in the namespaces of the table. */
  readonly found: number;
  /** In the file and not in the table. */
  readonly added: readonly string[];
  /** In the table, in a namespace of which the file has attributes, and not in the file. */
  readonly absent: readonly string[];
}

/** Names of all attributes that a registry defines. */
function definedIn(value: unknown, into: Set<string>): void {
  if (Array.isArray(value)) {
    for (const entry of value) definedIn(entry, into);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  const record = value as Record<string, unknown>;
  for (const [key, entry] of Object.entries(record)) {
    if (key !== "attributes") definedIn(entry, into);
    else for (const one of namesIn(entry, record["prefix"])) into.add(one);
  }
}

/** An attribute is defined by `key` (version 2), `name` (resolved) or `id` (version 1). */
function namesIn(entries: unknown, prefix: unknown): readonly string[] {
  if (!Array.isArray(entries)) return [];
  const under = typeof prefix === "string" ? `${prefix}.` : "";
  return entries.flatMap((entry: unknown) => {
    if (typeof entry !== "object" || entry === null) return [];
    const { id, key, name } = entry as Record<string, unknown>;
    const stated = key ?? name ?? (typeof id === "string" ? under + id : undefined);
    return typeof stated === "string" && stated.includes(".") ? [stated] : [];
  });
}

const namespaceOf = (name: string): string | undefined =>
  conventionNamespaces.find((namespace) => name.startsWith(`${namespace}.`));

/** Compares the text of a registry file with the table. */
export function compareConventions(text: string): Difference {
  const names = new Set<string>();
  definedIn(parse(text), names);
  const covered = [...names].filter((name) => namespaceOf(name) !== undefined);
  const known = new Set(conventionRows().map(({ name }) => name));
  const seen = new Set(covered.map(namespaceOf));
  return {
    found: covered.length,
    added: covered.filter((name) => !known.has(name)).toSorted(),
    absent: [...known].filter((name) => seen.has(namespaceOf(name)) && !names.has(name)),
  };
}

function main(files: readonly string[]): void {
  if (files.length === 0) {
    console.error("usage: npm run conventions -- FILE …   (registry files, YAML or JSON)");
    process.exitCode = 2;
  }
  for (const file of files) {
    const { absent, added, found } = compareConventions(readFileSync(file, "utf8"));
    console.log(`${file}: ${found} attributes, ${added.length} without a decision`);
    for (const name of added) console.log(`  new     ${name}`);
    for (const name of absent) console.log(`  absent  ${name}`);
    if (found === 0) process.exitCode = 2;
    else if (added.length > 0 && process.exitCode !== 2) process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
