/**
 * @module LoadedContracts: the contracts of a folder, read again when a file changes. While a
 * file is wrong the last good ones stay. Results name the version of their contract; a new version
 * judges the turns that are judged from then on.
 */
import type { ContractProblem, Outcome, evaluateSettledTurn } from "@turnproof/contracts";
import type { TurnEvent, WindowMetadata } from "@turnproof/evidence";
import { turnName } from "@turnproof/store";

import type { VersionedContracts } from "../config/contract-files.ts";
import type { Config } from "../config/config.ts";
import { pricingOf } from "../cost/call-price.ts";
import type { Pricing } from "../cost/call-price.ts";
import { openPriceList } from "../cost/price-list.ts";
import type { Log } from "../log.ts";

/** Contracts that every judged turn is judged by. */
export interface LoadedContracts {
  /** The last good ones. */
  readonly set: VersionedContracts;
  /** What is wrong with the files as they are now; empty where nothing is. */
  readonly problems: readonly ContractProblem[];
  /** Prices for `cost` clauses. */
  readonly pricing: Pricing;
  /** Judges a turn by contracts. */
  readonly evaluate: typeof evaluateSettledTurn;
  /** Reads the folder if it has changed; a timer does it every second. */
  look(): void;
  close(): void;
}

const lookMs = 1_000;
const none: VersionedContracts = {
  contracts: [],
  goldens: [],
  places: new Map(),
  versions: new Map(),
};

/**
 * Opens the contracts of a folder; undefined without one. It never throws on a wrong file. The
 * language of contracts is loaded with the folder: without one, the thread that judges needs no
 * schemas and no YAML.
 */
export async function openLoadedContracts(
  { contracts: folder, prices }: Partial<Pick<Config, "contracts" | "prices">>,
  log?: Log,
): Promise<LoadedContracts | undefined> {
  if (folder === undefined) return undefined;
  const [{ evaluateSettledTurn: evaluate }, files, list] = await Promise.all([
    import("@turnproof/contracts"),
    import("../config/contract-files.ts"),
    openPriceList(prices),
  ]);
  const { folderState, problemsOf, readContractFolder } = files;
  const pricing = pricingOf(list);
  let set = none;
  let problems: readonly ContractProblem[] = [];
  /** State of the folder that was last read; undefined where it could not be listed. */
  let read: string | undefined;
  const look = (): void => {
    const before = read;
    read = undefined;
    try {
      read = folderState(folder);
      if (read === before) return;
      const next = readContractFolder(folder);
      if (set !== none) log?.info("contracts_changed", { count: next.contracts.length });
      [set, problems] = [next, []];
    } catch (error) {
      const known = JSON.stringify(problems);
      problems = problemsOf(error);
      if (JSON.stringify(problems) === known) return;
      const [first] = problems;
      const problem = first === undefined ? {} : { field: first.path, reason: first.rule };
      log?.warn("contracts_invalid", { count: problems.length, ...problem });
    }
  };
  look();
  const timer = setInterval(look, lookMs).unref();
  return {
    get set() {
      return set;
    },
    get problems() {
      return problems;
    },
    pricing,
    evaluate,
    look,
    close: () => clearInterval(timer),
  };
}

/** Results of the contracts on one turn, as names of its record; none without contracts. */
export function contractNames(
  standing: LoadedContracts | undefined,
  events: readonly TurnEvent[],
  metadata: WindowMetadata,
): { readonly contracts?: readonly string[] } {
  if (standing === undefined) return {};
  const { contracts, goldens, versions } = standing.set;
  const how = { goldens, metadata, ...standing.pricing };
  const results = standing.evaluate(events, contracts, how);
  return {
    contracts: results.flatMap(({ contract, result }) => [
      turnName("contract", `${contract}=${result}`),
      turnName("contract", `${contract}@${versions.get(contract) ?? ""}=${result}`),
    ]),
  };
}

/** A result in the ledger. */
export interface RecordedResult {
  readonly contract: string;
  readonly version: string;
  readonly result: Outcome;
}

/** The results among the names of a record. */
export function recordedResults(names: readonly string[]): readonly RecordedResult[] {
  return names.flatMap((name) => {
    const [, contract, version, result] = versioned.exec(name) ?? [];
    if (contract === undefined || version === undefined) return [];
    return [{ contract, version, result: result as Outcome }];
  });
}

const versioned = /^contract:([^@=]+)@([0-9a-f]{12})=(holds|violated|not_established)$/;
