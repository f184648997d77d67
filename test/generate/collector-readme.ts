/**
 * @module Collector README: the tables of environment, roles, routes and commands that stand
 * between markers in collector/README.md, made from the collector's own tables.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { rolePermissions, roles } from "../../collector/src/access/principal.ts";
import { bareNames, variables } from "../../collector/src/config/config-variables.ts";
import type { Endpoints } from "../../collector/src/http/endpoint.ts";

/** The README that holds the tables. */
export const collectorReadmeFile: string = fileURLToPath(
  new URL("../../collector/README.md", import.meta.url),
);

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

/** The name under which a variable is documented. */
export function documentedName(name: string): string {
  return bareNames.includes(name) ? name : `TURNPROOF_${name}`;
}

function environment(): string {
  return table(
    ["variable", "default", "meaning"],
    variables.map(({ name, fallback, meaning, secret }) => [
      `\`${documentedName(name)}\``,
      fallback === "" ? "" : fallback,
      `${meaning}${secret ? " Secret." : ""}`,
    ]),
  );
}

function roleTable(): string {
  const rows = roles.map((role, index) => {
    const below = roles[index - 1];
    const held = below === undefined ? [] : rolePermissions[below];
    const own = rolePermissions[role].filter((permission) => !held.includes(permission));
    const text = own.map((permission) => `\`${permission}\``).join(", ");
    return [role, below === undefined ? text : `as ${below}, and ${text}`];
  });
  return table(["role", "may"], rows);
}

function routes(endpoints: Endpoints): string {
  const rows = Object.entries(endpoints)
    .filter(([route]) => !route.startsWith("ALL "))
    .flatMap(([route, endpoint]) => {
      const path = route.replace(/:([a-z_]+)/g, "{$1}");
      // The page of one thing and its JSON have one declaration.
      const twin =
        /^GET .*\}$/.test(path) && endpoint.answers === undefined ? [`${path}.json`] : [];
      return [path, ...twin].map((at) => [at, endpoint] as const);
    })
    .map(([path, { needs, mutates, unbound }]) => [
      `\`${path}\``,
      needs,
      [mutates === true ? "changes" : "", unbound === true ? "unbound principals only" : ""]
        .filter((word) => word !== "")
        .join(", "),
    ]);
  return table(["route", "needs", ""], rows);
}

/** Names and descriptions of the commands, read from where they are declared. */
function commandRows(): readonly (readonly [name: string, does: string])[] {
  const folder = new URL("../../collector/src/cli/", import.meta.url);
  const program = readFileSync(new URL("program.ts", folder), "utf8");
  const found = [...program.matchAll(/import\("\.\/([a-z-]+)\.ts"\)/g)];
  const files = [...new Set(found.map((match) => match[1] ?? ""))];
  return files.flatMap((file) => {
    const text = readFileSync(new URL(`${file}.ts`, folder), "utf8");
    const pattern =
      /(?:(\w+)\s*\.command\(|shared\(program, )"([a-z-]+)( <[^"]+>)?"[^;]*?\.description\(\s*"([^"]+)"/g;
    return [...text.matchAll(pattern)].flatMap(([, parent, name = "", rest = "", does = ""]) => {
      // A command that only holds others is shown by them.
      if (new RegExp(`const ${name} = program`).test(text)) return [];
      const above = parent === undefined || parent === "program" ? "" : `${parent} `;
      return [[`${above}${name}${rest}`, does] as const];
    });
  });
}

function commands(): string {
  return table(
    ["command", "does"],
    commandRows()
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, does]) => [`\`turnproof ${name}\``, does]),
  );
}

/** The README with its tables made anew; the text around the markers is kept as it is. */
export function collectorReadme(endpoints: Endpoints): string {
  const tables = {
    environment: environment(),
    roles: roleTable(),
    routes: routes(endpoints),
    commands: commands(),
  };
  let text = readFileSync(collectorReadmeFile, "utf8");
  for (const [name, made] of Object.entries(tables)) {
    const open = `<!-- generated: ${name} -->`;
    const close = `<!-- end: ${name} -->`;
    const from = text.indexOf(open);
    const to = text.indexOf(close);
    if (from === -1 || to < from) throw new Error(`README has no markers for ${name}`);
    text = `${text.slice(0, from + open.length)}\n${made}\n${text.slice(to)}`;
  }
  return text;
}
