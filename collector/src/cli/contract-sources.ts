/**
 * @module ContractSources: contracts and goldens from files: YAML and JSON, and modules that export
 * contracts of `defineContract`.
 */
import { readFile, readdir, stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { ContractError, parseContracts, readContracts } from "@turnproof/contracts";
import type { TurnContract, ContractSet, Golden } from "@turnproof/contracts";

/** Contracts and goldens with the file of each contract. */
export interface NamedContracts extends ContractSet {
  /** By contract, the file's path below the current directory. */
  readonly places: ReadonlyMap<string, string>;
}

const data = /\.(ya?ml|json)$/i;
const code = /\.[cm]?[jt]s$/i;

/**
 * Reads files, and the YAML and JSON files of folders. A module is run, so it is read only where
 * it is named itself.
 *
 * @throws ContractError with file, path and rule of each problem
 */
export async function readContractSources(paths: readonly string[]): Promise<NamedContracts> {
  const contracts: TurnContract[] = [];
  const goldens: Golden[] = [];
  const places = new Map<string, string>();
  for (const file of (await Promise.all(paths.map(filesOf))).flat()) {
    const set = await named(file, () => readSource(file));
    for (const contract of set.contracts) {
      if (places.has(contract.name)) {
        throw new ContractError([{ path: placeOf(file), rule: "a contract's name occurs twice" }]);
      }
      places.set(contract.name, placeOf(file));
      contracts.push(contract);
    }
    for (const golden of set.goldens) {
      if (goldens.some((other) => other.golden === golden.golden)) {
        throw new ContractError([{ path: placeOf(file), rule: "a golden's name occurs twice" }]);
      }
      goldens.push(golden);
    }
  }
  return { contracts, goldens, places };
}

async function filesOf(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const names = await readdir(path);
  return names
    .filter((name) => data.test(name))
    .toSorted()
    .map((name) => join(path, name));
}

async function readSource(file: string): Promise<ContractSet> {
  if (!code.test(file)) return parseContracts(await readFile(file, "utf8"));
  const module = (await import(pathToFileURL(resolve(file)).href)) as object;
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

function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** The problems of a file under its name. */
async function named<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    const problems = error.problems.map(({ path, rule }) => ({
      path: `${placeOf(file)} ${path}`,
      rule,
    }));
    throw new ContractError(problems);
  }
}

function placeOf(file: string): string {
  return relative(process.cwd(), file).replaceAll("\\", "/");
}
