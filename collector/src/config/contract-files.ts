/**
 * @module ContractFiles: contracts and goldens of YAML and JSON files, each contract with its file
 * and its version. `TURNPROOF_CONTRACTS` names a folder of them.
 */
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";

import { ContractError, defaultContract, parseContracts } from "@turnproof/contracts";
import type {
  Clause,
  ContractPlace,
  ContractPlaces,
  ContractProblem,
  ContractSet,
  Golden,
  TurnContract,
} from "@turnproof/contracts";
import { canonicalJson } from "@turnproof/evidence";

import { text } from "./config-values.ts";

/** Contracts and goldens with the file of each contract. */
export interface NamedContracts extends ContractSet {
  /** By contract, its file and lines. */
  readonly places: ContractPlaces;
}

/** True for a name of a YAML or JSON file. */
export function isContractFile(name: string): boolean {
  return /\.(ya?ml|json)$/i.test(name);
}

/** The path in reports and errors: below the current directory, else the whole one. */
export function placeOf(file: string): string {
  const below = relative(process.cwd(), file);
  return (below.startsWith("..") ? resolve(file) : below).replaceAll("\\", "/");
}

/** The problems of a file, under its name and their lines. */
export function underPlace(
  { problems }: Pick<ContractError, "problems">,
  place: string,
): ContractError {
  return new ContractError(
    problems.map(({ path, rule, line }) => ({
      path: `${place}${line === undefined ? "" : `:${line}`} ${path}`,
      rule,
    })),
  );
}

/**
 * All files as one set.
 *
 * @throws ContractError where a name occurs twice, or a golden is in none of the files
 */
export function joinContracts(
  files: readonly { readonly place: string; readonly set: ContractSet }[],
): NamedContracts {
  const contracts: TurnContract[] = [];
  const goldens: Golden[] = [];
  const places = new Map<string, ContractPlace>();
  for (const { place, set } of files) {
    for (const contract of set.contracts) {
      const { name } = contract;
      if (places.has(name)) {
        throw new ContractError([{ path: place, rule: "a contract's name occurs twice" }]);
      }
      places.set(name, { file: place, lines: set.lines?.get(name) });
      contracts.push(contract);
    }
    for (const golden of set.goldens) {
      if (goldens.some((other) => other.golden === golden.golden)) {
        throw new ContractError([{ path: place, rule: "a golden's name occurs twice" }]);
      }
      goldens.push(golden);
    }
  }
  const absent = files.flatMap(
    ({ place, set }) => underPlace({ problems: absentGoldens(set, goldens) }, place).problems,
  );
  if (absent.length > 0) throw new ContractError(absent);
  return { contracts, goldens, places };
}

/** Clauses that refer to a golden that no file has. */
function absentGoldens(
  { contracts, lines }: ContractSet,
  goldens: readonly Golden[],
): readonly ContractProblem[] {
  const known = new Set(goldens.map(({ golden }) => golden));
  return contracts.flatMap(({ name, expect }, at) =>
    expect.flatMap((clause, of) => {
      const line = lines?.get(name)?.clauses[of];
      return goldensOf(clause).flatMap(([within, golden]) =>
        known.has(golden)
          ? []
          : {
              path: `contracts[${at}].expect[${of}]${within}.golden`,
              rule: "is in none of the files",
              ...(line === undefined ? {} : { line }),
            },
      );
    }),
  );
}

/** The goldens to which a clause refers, each with its place within the clause. */
function goldensOf(clause: Clause): readonly (readonly [within: string, golden: string])[] {
  if (clause.clause === "some_of") {
    return clause.expect.flatMap((part, at) =>
      goldensOf(part).map(([, golden]) => [`.expect[${at}]`, golden] as const),
    );
  }
  return clause.clause === "trajectory" && clause.golden !== undefined ? [["", clause.golden]] : [];
}

/** Contracts of a folder, each with the version that results of it name. */
export interface VersionedContracts extends NamedContracts {
  /** By contract, 12 hexadecimal digits over it and the goldens that it refers to. */
  readonly versions: ReadonlyMap<string, string>;
}

/**
 * Reads the YAML and JSON files of a folder.
 *
 * @throws ContractError with file, path and rule of each problem, or an error of the file system
 */
export function readContractFolder(folder: string): VersionedContracts {
  const read = filesOf(folder).map((name) => {
    try {
      return { place: name, set: parseContracts(readFileSync(join(folder, name), "utf8")) };
    } catch (error) {
      throw error instanceof ContractError ? underPlace(error, name) : error;
    }
  });
  const set = joinContracts(read);
  const all = [...set.contracts, defaultContract];
  return { ...set, versions: new Map(all.map((one) => [one.name, versionOf(one, set.goldens)])) };
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder).filter(isContractFile).toSorted();
}

function versionOf(contract: TurnContract, goldens: readonly Golden[]): string {
  const names = contract.expect.flatMap(goldensOf).map(([, golden]) => golden);
  const used = goldens.filter(({ golden }) => names.includes(golden));
  const digest = createHash("sha256").update(canonicalJson([contract, used]));
  return digest.digest("hex").slice(0, 12);
}

/** What changes when a file of the folder does. @throws an error of the file system */
export function folderState(folder: string): string {
  const files = filesOf(folder).map((name) => {
    const { mtimeMs, size, ino } = statSync(join(folder, name));
    return [name, mtimeMs, size, ino];
  });
  return JSON.stringify(files);
}

/** The variable: the path of a folder whose files can be read. */
export const contractFolderIn = text.transform((value, context): string => {
  const folder = resolve(value);
  for (const { path, rule } of folderProblems(folder)) {
    context.addIssue({ code: "custom", message: `${path}: ${rule}` });
  }
  return folder;
});

function folderProblems(folder: string): ContractError["problems"] {
  try {
    readContractFolder(folder);
    return [];
  } catch (error) {
    return problemsOf(error);
  }
}

/** The problems of a folder that was not read. */
export function problemsOf(error: unknown): ContractError["problems"] {
  return error instanceof ContractError
    ? error.problems
    : [{ path: "(folder)", rule: "is no readable folder of contracts" }];
}
