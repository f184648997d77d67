/**
 * @module Hooks file: loads `turnproof.config.ts`, `.js` or `.json`, given by TURNPROOF_CONFIG or
 * found in the working directory. Its default export is an object with `hooks`.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { z } from "zod";

import { ConfigError } from "../config/read-config.ts";
import type { Hooks } from "./hooks.ts";

const names = ["ts", "js", "mjs"].map((extension) => `turnproof.config.${extension}`);

const hook = z.custom<(...args: never[]) => unknown>((value) => typeof value === "function");
const schema = z.strictObject({
  hooks: z
    .strictObject({
      resolveAccount: hook.optional(),
      resolveArtifact: hook.optional(),
      authorizeResource: hook.optional(),
      agents: z.looseObject({ list: hook, run: hook, stream: hook }).optional(),
    })
    .default({}),
});

/**
 * The hooks of a file; none when no file is given and none is found.
 *
 * @throws ConfigError of `TURNPROOF_CONFIG` with the reason, when a given file cannot be loaded or
 * contains anything but hooks
 */
export async function loadHooks(named: string | undefined, folder: string): Promise<Hooks> {
  const file = named ?? names.find((name) => existsSync(resolve(folder, name)));
  if (file === undefined) return {};
  if (!existsSync(resolve(folder, file))) throw invalid("there is no such file");
  try {
    const url = pathToFileURL(resolve(folder, file)).href;
    const loaded = (await (file.endsWith(".json")
      ? import(url, { with: { type: "json" } })
      : import(url))) as { readonly default?: unknown };
    return schema.parse(loaded.default).hooks as unknown as Hooks;
  } catch (cause) {
    throw invalid(problemOf(cause));
  }
}

const invalid = (problem: string): ConfigError =>
  new ConfigError([{ variable: "TURNPROOF_CONFIG", problem }]);

/** Names of our own and places, never a text of the file. */
function problemOf(cause: unknown): string {
  if (cause instanceof z.ZodError) {
    const [issue] = cause.issues;
    const place = issue?.path.map(String).join(".") ?? "";
    if (place === "") return "its default export is no object with hooks";
    const known = /^hooks(\.(resolveAccount|resolveArtifact|authorizeResource|agents))?/.exec(
      place,
    );
    if (issue?.code === "unrecognized_keys") return `${known?.[0] ?? "it"} has an unknown name`;
    return `${known?.[0] ?? "it"} is not what a hook is`;
  }
  if (cause instanceof SyntaxError) return "it is not JavaScript or JSON that can be read";
  const { code } = cause as NodeJS.ErrnoException;
  if (code === "ERR_MODULE_NOT_FOUND") return "it imports a module that is not there";
  const name = cause instanceof Error ? cause.name : "unknown";
  return `it fails as it is loaded (${/^\w{1,40}$/.test(name) ? name : "Error"})`;
}
