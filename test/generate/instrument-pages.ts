/**
 * @module Instrument pages: the parts of docs/instrument that are taken from test/foreign. A
 * comment names the source and the part below it is made of it, so that a page shows what was
 * played:
 *
 * - `install <line>: names`: one install line, with the versions that `<line>` installs;
 * - `code <file>`: what stands between `#region telemetry` and its end;
 * - `seen <scenario>`: the turns that the table of expectations demands.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expectations } from "../foreign/expectations.mjs";

const root = join(import.meta.dirname, "../..");
const pages = join(root, "docs/instrument");
const foreign = join(root, "test/foreign");

interface Manifest {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const manifest = (file: string): Manifest => JSON.parse(readFileSync(file, "utf8")) as Manifest;

/**
 * A second version of a library has an alias in the test; a user installs it under its own name.
 */
const aliased = /^(ai|@ai-sdk\/openai-compatible)-[567]$/;
const ownName = (name: string): string => aliased.exec(name)?.[1] ?? name;

/** `npm install` of these packages as a line of OpenTelemetry in test/foreign has them. */
export function installLine(line: string, names: readonly string[]): string {
  const { dependencies = {} } = manifest(join(foreign, line, "package.json"));
  const versioned = names.map((name) => {
    const own = /^@turnproof\/(\w+)$/.exec(name)?.[1];
    if (own !== undefined) {
      return `${name}@${manifest(join(root, "packages", own, "package.json")).version}`;
    }
    const version = dependencies[name]?.replace(/^npm:.*@/, "");
    if (version === undefined) throw new Error(`test/foreign/${line} does not install ${name}`);
    return `${ownName(name)}@${version}`;
  });
  return `npm install ${versioned.join(" ")}`;
}

/** What a user writes of a scenario's file, with libraries under their own names. */
export function regionOf(file: string): string {
  const [, region] = readFileSync(join(foreign, file), "utf8").split("//#region telemetry\n");
  if (region === undefined) throw new Error(`${file} has no region of telemetry`);
  const text = region.split("//#endregion")[0] ?? "";
  return text.replace(/"([@\w/-]+)"/g, (_all, name: string) => `"${ownName(name)}"`).trim();
}

const shown = (value: string | number | null): string => (value === null ? "unknown" : `${value}`);

/** The turns of a scenario, in the order they are played. */
function turnsOf(name: string): string {
  const expected = Object.entries(expectations).find(([key]) => key === name)?.[1];
  if (expected === undefined) throw new Error(`no such scenario: ${name}`);
  const rows = expected.turns.map(({ agent, thread, user, status, tools, failed, tokens }) => {
    const called = failed > 0 ? `${tools}, ${failed} failed` : `${tools}`;
    const used = tokens.map(shown).join(" / ");
    return `| ${[agent, shown(thread), shown(user), status, called, used].join(" | ")} |`;
  });
  const head = "| agent | thread | user | status | tools | tokens in / out |";
  return [head, "|---|---|---|---|---|---|", ...rows].join("\n");
}

const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

function made(how: string, what: string): string {
  if (how === "code") return fenced(what.endsWith(".ts") ? "ts" : "js", regionOf(what));
  if (how === "seen") return turnsOf(what);
  const [line = "", names = ""] = what.split(": ");
  return fenced("sh", installLine(line, names.split(" ")));
}

/** A page with its parts made anew; a part reaches from its comment to its end. */
export function withParts(text: string): string {
  const part = /<!-- (install|code|seen) (.+?) -->\n[^]*?<!-- end -->/g;
  return text.replace(part, (_all, how: string, what: string) => {
    return `<!-- ${how} ${what} -->\n\n${made(how, what)}\n\n<!-- end -->`;
  });
}

/** Paths of the pages. */
export const instrumentPages: readonly string[] = readdirSync(pages)
  .filter((name) => name.endsWith(".md"))
  .toSorted()
  .map((name) => join(pages, name));

/** A page's text as it should be. */
export function instrumentPage(path: string): string {
  return withParts(readFileSync(path, "utf8"));
}
