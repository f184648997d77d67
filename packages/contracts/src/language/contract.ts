/**
 * @module Contract: what a turn must do. `defineContract` for TypeScript, the same shape in YAML
 * and JSON; the schema refuses what it does not have.
 */
import { CodedError } from "@turnproof/semconv";
import { z } from "zod";

import { clauseSchema, conditionSchema, severities, stepSchema } from "./clauses.ts";
import type { Clause } from "./clauses.ts";

const label = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,119}$/, "letters, digits and ._/-");

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

/** A problem of a file: the path of a value and the rule that it breaks; never the value. */
export interface ContractProblem {
  readonly path: string;
  readonly rule: string;
}

/** A contract that cannot be read. */
export class ContractError extends CodedError {
  readonly problems: readonly ContractProblem[];

  constructor(problems: readonly ContractProblem[]) {
    super("contract_invalid", problems[0] === undefined ? {} : { field: problems[0].path });
    this.problems = problems;
    this.message = problems.map(({ path, rule }) => `${path}: ${rule}`).join("\n");
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

/** The problems of a failed parse, one per value. */
export function problemsOf(error: z.ZodError): ContractProblem[] {
  return error.issues.flatMap((issue) => issuesWithin(issue, []));
}

function issuesWithin(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): ContractProblem[] {
  const path = [...above, ...issue.path];
  const at = pathText(path);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: pathText([...path, key]), rule: "is no known field" }));
  }
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    // The branch with the deepest problem is the one that was meant.
    const branches = issue.errors.map((branch) => branch.flatMap((one) => issuesWithin(one, path)));
    return branches.toSorted((a, b) => depth(b) - depth(a))[0] ?? [];
  }
  return [{ path: at, rule: issue.message }];
}

function depth(problems: readonly ContractProblem[]): number {
  return Math.max(0, ...problems.map(({ path }) => path.split(/[.[]/u).length));
}

function pathText(path: readonly PropertyKey[]): string {
  const text = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`));
  return text.join("").replace(/^\./u, "") || "(file)";
}

/** Rules between the fields of a clause. */
export function crossProblems(contract: TurnContract, above: string): ContractProblem[] {
  return contract.expect.flatMap((clause, at) => {
    const rule = brokenRule(clause);
    return rule === undefined ? [] : [{ path: `${above}expect[${at}]`, rule }];
  });
}

function brokenRule(clause: Clause): string | undefined {
  const has = (...names: string[]): number =>
    names.filter((name) => (clause as Record<string, unknown>)[name] !== undefined).length;
  switch (clause.clause) {
    case "duration":
      return has("at_least_ms", "at_most_ms") === 0 ? "needs at_least_ms or at_most_ms" : undefined;
    case "tokens":
    case "cost":
    case "score":
      return has("at_least", "at_most") === 0 ? "needs at_least or at_most" : undefined;
    case "calls":
      if (has("tool", "model", "kind", "operation") === 0)
        return "needs tool, model, kind or operation";
      return has("at_least", "at_most", "exactly", "never") === 0
        ? "needs at_least, at_most, exactly or never"
        : undefined;
    case "statistic":
      if (has("tool", "model", "kind", "operation") === 0)
        return "needs tool, model, kind or operation";
      if (has("average", "percentile") !== 1) return "needs one of average and percentile";
      return has("at_least", "at_most") === 0 ? "needs at_least or at_most" : undefined;
    case "order":
      if (has("tool", "model", "kind", "operation") === 0)
        return "needs tool, model, kind or operation";
      return has("before", "after", "never_after") === 1
        ? undefined
        : "needs one of before, after and never_after";
    case "trajectory":
      return has("golden", "steps") === 1 ? undefined : "needs one of golden and steps";
    case "tools":
      return has("allowed", "forbidden") === 0 ? "needs allowed or forbidden" : undefined;
    case "memory":
      return has("supplied", "retrieved", "referenced", "degraded") === 0
        ? "needs supplied, retrieved, referenced or degraded"
        : undefined;
    case "context":
      return has("binding", "grounding") === 0 ? "needs binding or grounding" : undefined;
    case "stages":
      return has("profile", "stages") === 1 ? undefined : "needs one of profile and stages";
    default:
      return undefined;
  }
}
