/** @module ContractFile: contracts and goldens of a YAML or JSON text, with their lines. */
import { parseDocument } from "yaml";
import type { Document } from "yaml";
import { z } from "zod";

import { ContractError, contractFileSchema, crossProblems } from "./contract.ts";
import type { Golden, TurnContract } from "./contract.ts";
import { linesOf } from "./lines.ts";
import type { LineOf } from "./lines.ts";
import { problemsOf } from "./problems.ts";
import type { ContractProblem } from "./problems.ts";

/** Lines of a contract in its text, from 1. */
export interface ContractLines {
  readonly contract: number;
  /** By place in `expect`. */
  readonly clauses: readonly number[];
}

/** What a file holds. */
export interface ContractSet {
  readonly contracts: readonly TurnContract[];
  readonly goldens: readonly Golden[];
  /** By the name of a contract, where it was read from a text. */
  readonly lines?: ReadonlyMap<string, ContractLines>;
}

/**
 * Reads a YAML or JSON text.
 *
 * @throws ContractError with path, line and rule of each problem
 */
export function parseContracts(text: string): ContractSet {
  const document = parseDocument(text, { uniqueKeys: true, prettyErrors: true });
  const [wrong] = document.errors;
  if (wrong !== undefined) {
    const line = wrong.linePos?.[0].line;
    const rule = `is no valid YAML or JSON: ${wrong.code.toLowerCase().replaceAll("_", " ")}`;
    throw new ContractError([{ path: "(file)", rule, ...(line === undefined ? {} : { line }) }]);
  }
  const lineOf = linesOf(document, text);
  const set = readAt(valueOf(document), lineOf);
  return { ...set, lines: contractLines(set.contracts, lineOf) };
}

/** A small text may expand to a large value by aliases. */
function valueOf(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 50 });
  } catch {
    throw new ContractError([{ path: "(file)", rule: "has too many aliases, or an unknown one" }]);
  }
}

/**
 * Reads the value of a file.
 *
 * @throws ContractError with path and rule of each problem
 */
export function readContracts(value: unknown): ContractSet {
  return readAt(value, () => undefined);
}

function readAt(value: unknown, lineOf: LineOf): ContractSet {
  const read = contractFileSchema.safeParse(value);
  if (!read.success) throw refused(problemsOf(read.error), lineOf);
  const { contracts = [], goldens = [] } = read.data;
  const problems = [
    ...contracts.flatMap((contract, at) => crossProblems(contract, `contracts[${at}].`)),
    ...repeated(
      contracts.map(({ name }) => name),
      "contracts",
      "name",
    ),
    ...repeated(
      goldens.map(({ golden }) => golden),
      "goldens",
      "golden",
    ),
  ];
  if (problems.length > 0) throw refused(problems, lineOf);
  return { contracts, goldens };
}

function refused(problems: readonly ContractProblem[], lineOf: LineOf): ContractError {
  return new ContractError(
    problems.map((problem) => {
      const line = lineOf(problem.path);
      return line === undefined ? problem : { ...problem, line };
    }),
  );
}

function contractLines(
  contracts: readonly TurnContract[],
  lineOf: LineOf,
): ReadonlyMap<string, ContractLines> {
  return new Map(
    contracts.map(({ name, expect }, at): [string, ContractLines] => {
      const contract = lineOf(`contracts[${at}]`) ?? 1;
      const clauses = expect.map((_, of) => lineOf(`contracts[${at}].expect[${of}]`) ?? contract);
      return [name, { contract, clauses }];
    }),
  );
}

function repeated(
  names: readonly string[],
  list: string,
  field: string,
): { readonly path: string; readonly rule: string }[] {
  return names.flatMap((name, at) =>
    names.indexOf(name) === at ? [] : [{ path: `${list}[${at}].${field}`, rule: "occurs twice" }],
  );
}

/** The JSON Schema of a file, generated from the schema that reads it. */
export function contractJsonSchema(): object {
  return {
    title: "Turnproof contracts",
    ...z.toJSONSchema(contractFileSchema, { target: "draft-2020-12" }),
  };
}
