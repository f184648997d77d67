/**
 * @module Hooks file: loads `turnproof.config.ts`, `.js` or `.json`, given by TURNPROOF_CONFIG or
 * found in the working directory. Its default export is an object with `hooks`.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { CodedError } from "@turnproof/semconv";
import { z } from "zod";

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
 * @throws CodedError `config_invalid` (field `TURNPROOF_CONFIG`) when a given file cannot be
 * loaded or contains anything but hooks
 */
export async function loadHooks(named: string | undefined, folder: string): Promise<Hooks> {
  const file = named ?? names.find((name) => existsSync(resolve(folder, name)));
  if (file === undefined) return {};
  try {
    const url = pathToFileURL(resolve(folder, file)).href;
    const loaded = (await (file.endsWith(".json")
      ? import(url, { with: { type: "json" } })
      : import(url))) as { readonly default?: unknown };
    return schema.parse(loaded.default).hooks as unknown as Hooks;
  } catch (cause) {
    throw new CodedError("config_invalid", { field: "TURNPROOF_CONFIG", cause });
  }
}
