/** @module ContractFile: contracts and goldens of a YAML or JSON text. */
import { parseDocument } from "yaml";
import { z } from "zod";

import { ContractError, contractFileSchema, crossProblems, problemsOf } from "./contract.ts";
import type { TurnContract, Golden } from "./contract.ts";

/** What a file holds. */
export interface ContractSet {
  readonly contracts: readonly TurnContract[];
  readonly goldens: readonly Golden[];
}

/**
 * Reads a YAML or JSON text.
 *
 * @throws ContractError with path and rule of each problem; a syntax error has its line as path
 */
export function parseContracts(text: string): ContractSet {
  const document = parseDocument(text, { uniqueKeys: true, prettyErrors: true });
  const [wrong] = document.errors;
  if (wrong !== undefined) {
    const line = wrong.linePos?.[0].line;
    throw new ContractError([
      { path: line === undefined ? "(file)" : `line ${line}`, rule: `is no YAML (${wrong.code})` },
    ]);
  }
  // A small text may expand to a large value by aliases.
  return readContracts(document.toJS({ maxAliasCount: 50 }));
}

/**
 * Reads the value of a file.
 *
 * @throws ContractError with path and rule of each problem
 */
export function readContracts(value: unknown): ContractSet {
  const read = contractFileSchema.safeParse(value);
  if (!read.success) throw new ContractError(problemsOf(read.error));
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
  if (problems.length > 0) throw new ContractError(problems);
  return { contracts, goldens };
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
