/**
 * @module Contract: what a turn must do. `defineContract` for TypeScript, the same shape in YAML
 * and JSON; the schema refuses what it does not have.
 */
import { CodedError } from "@turnproof/semconv";
import { z } from "zod";

import { brokenRule, reversedLimits } from "./clause-rules.ts";
import { clauseSchema, conditionSchema, severities, stepSchema } from "./clauses.ts";
import type { Clause } from "./clauses.ts";
import { problemText, problemsOf } from "./problems.ts";
import type { ContractProblem } from "./problems.ts";

const label = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._/-]{0,119}$/,
    "a name of letters, digits and ._/- that begins with a letter or digit",
  );

/** A contract as it is written. */
export const contractSchema = z
  .strictObject({
    name: label.describe("Unique among the contracts that are judged together."),
    description: z.string().max(500).optional(),
    severity: z.enum(severities).optional().describe("Of its clauses; default: error."),
    when: conditionSchema.optional().describe("The contract applies to turns where this is so."),
    expect: z.array(clauseSchema).min(1).max(200),
  })
  .meta({ id: "Contract" });

/** A contract. */
export type TurnContract = z.infer<typeof contractSchema>;

/** A golden trajectory: the calls of a chosen turn without their content. */
export const goldenSchema = z
  .strictObject({
    golden: label.describe("Name to which a trajectory clause refers."),
    steps: z.array(stepSchema).max(10_000),
    ordered: z
      .literal(false)
      .optional()
      .describe(
        "Times do not establish the order of the steps: `strict` and `ordered` do not hold.",
      ),
    recorded_from: z
      .strictObject({ root_trace_id: z.string().max(240), turn_id: z.string().max(240).nullable() })
      .optional(),
  })
  .meta({ id: "Golden" });
export type Golden = z.infer<typeof goldenSchema>;

/** A file of contracts, goldens or both. */
export const contractFileSchema = z.strictObject({
  $schema: z.string().optional(),
  version: z.literal(1).describe("Version of the language."),
  contracts: z.array(contractSchema).optional(),
  goldens: z.array(goldenSchema).optional(),
});

/** A contract that cannot be read. */
export class ContractError extends CodedError {
  readonly problems: readonly ContractProblem[];

  constructor(problems: readonly ContractProblem[]) {
    super("contract_invalid", problems[0] === undefined ? {} : { field: problems[0].path });
    this.problems = problems;
    this.message = problems.map(problemText).join("\n");
  }
}

/**
 * Reads a contract that TypeScript has typed already.
 *
 * @throws ContractError with path and rule of each problem
 */
export function defineContract(contract: z.input<typeof contractSchema>): TurnContract {
  const read = contractSchema.safeParse(contract);
  if (!read.success) throw new ContractError(problemsOf(read.error));
  const problems = crossProblems(read.data, "");
  if (problems.length > 0) throw new ContractError(problems);
  return read.data;
}

/** Rules between the fields of a contract. */
export function crossProblems(contract: TurnContract, above: string): ContractProblem[] {
  const when = contract.when === undefined ? undefined : reversedLimits(contract.when);
  return [
    ...(when === undefined ? [] : [{ path: `${above}when`, rule: when }]),
    ...clauseProblems(contract.expect, `${above}expect`),
  ];
}

function clauseProblems(clauses: readonly Clause[], above: string): ContractProblem[] {
  const ids = clauses.map(({ id }) => id);
  return clauses.flatMap((clause, at) => {
    const path = `${above}[${at}]`;
    const rule = brokenRule(clause);
    const repeated = clause.id !== undefined && ids.indexOf(clause.id) !== at;
    return [
      ...(rule === undefined ? [] : [{ path, rule }]),
      ...(repeated ? [{ path: `${path}.id`, rule: "occurs twice" }] : []),
      ...(clause.clause === "some_of" ? clauseProblems(clause.expect, `${path}.expect`) : []),
    ];
  });
}
