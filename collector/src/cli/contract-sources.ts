/**
 * @module ContractSources: contracts and goldens from files: YAML and JSON, and modules that export
 * contracts of `defineContract`.
 */
import { readFile, readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { ContractError, parseContracts, readContracts } from "@turnproof/contracts";
import type { ContractSet } from "@turnproof/contracts";
import { isRecord } from "@turnproof/semconv";

import { isContractFile, joinContracts, placeOf, underPlace } from "../config/contract-files.ts";
import type { NamedContracts } from "../config/contract-files.ts";

const code = /\.[cm]?[jt]s$/i;

/**
 * Reads files, and the YAML and JSON files of folders. A module is run, so it is read only where
 * it is named itself.
 *
 * @throws ContractError with file, path and rule of each problem
 */
export async function readContractSources(paths: readonly string[]): Promise<NamedContracts> {
  const files = (await Promise.all(paths.map(filesOf))).flat();
  const read: { place: string; set: ContractSet }[] = [];
  for (const file of files) {
    const place = placeOf(file);
    try {
      read.push({ place, set: await readSource(file) });
    } catch (error) {
      throw error instanceof ContractError ? underPlace(error, place) : error;
    }
  }
  const empty = read.find(({ set }) => set.contracts.length + set.goldens.length === 0);
  // Without a contract the default one would be judged, as if it were what the file requires.
  if (empty !== undefined) {
    throw new ContractError([{ path: empty.place, rule: "has no contract and no golden" }]);
  }
  if (paths.length > 0 && read.length === 0) {
    throw new ContractError([
      { path: paths.map(placeOf).join(" "), rule: "has no YAML and no JSON file" },
    ]);
  }
  return joinContracts(read);
}

async function filesOf(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const names = await readdir(path);
  return names
    .filter(isContractFile)
    .toSorted()
    .map((name) => join(path, name));
}

async function readSource(file: string): Promise<ContractSet> {
  if (!code.test(file)) return parseContracts(await readFile(file, "utf8"));
  const module = await loaded(file);
  const values = Object.values(module).flat() as unknown[];
  const found = values.filter(
    (value) => isRecord(value) && ("expect" in value || "golden" in value),
  );
  return readContracts({
    version: 1,
    contracts: found.filter((value) => isRecord(value) && "expect" in value),
    goldens: found.filter((value) => isRecord(value) && "golden" in value),
  });
}

/** The values of a module. What it throws itself is of its author, so only the code is shown. */
async function loaded(file: string): Promise<object> {
  try {
    await stat(file);
    return (await import(pathToFileURL(resolve(file)).href)) as object;
  } catch (error) {
    const { code: reason = "", name } = error as NodeJS.ErrnoException;
    if (reason === "ENOENT") throw error;
    // Of the module's own copy of the package, so that its class is another one.
    if (reason === "contract_invalid") throw new ContractError((error as ContractError).problems);
    const advice = loadAdvice[reason] ?? "";
    throw new ContractError([
      { path: "(module)", rule: `cannot be loaded: ${reason === "" ? name : reason}${advice}` },
    ]);
  }
}

const loadAdvice: { readonly [code: string]: string | undefined } = {
  ERR_MODULE_NOT_FOUND: "; install what it imports, for example @turnproof/contracts",
  ERR_UNKNOWN_FILE_EXTENSION:
    "; TypeScript needs Node 22.18, or name a JavaScript, YAML or JSON file",
};
