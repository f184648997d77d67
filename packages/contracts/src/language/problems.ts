/** @module Problems: what is wrong with a file or a contract: a path and a rule, never a value. */
import type { z } from "zod";

/** A problem: the path of a value and the rule that it breaks; never the value. */
export interface ContractProblem {
  readonly path: string;
  readonly rule: string;
  /** Line of a YAML or JSON text, from 1. */
  readonly line?: number;
}

/** A problem in one line. */
export function problemText({ path, rule, line }: ContractProblem): string {
  return `${line === undefined ? "" : `line ${line} `}${path}: ${rule}`;
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
  return [{ path: at, rule: ruleOf(issue) }];
}

/** The rule that a value breaks. */
function ruleOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.message.endsWith("received undefined")
        ? `is missing; it needs ${nounOf(issue.expected)}`
        : `needs ${nounOf(issue.expected)}`;
    case "invalid_value":
      return `needs ${issue.values.length === 1 ? "" : "one of "}${issue.values.join(", ")}`;
    case "invalid_union":
      return "options" in issue && Array.isArray(issue.options)
        ? `needs one of ${issue.options.map(String).join(", ")}`
        : "has the wrong form";
    case "too_small":
      if (issue.inclusive === false) return `needs more than ${issue.minimum}`;
      return `needs at least ${sizeOf(issue.minimum, issue.origin)}`;
    case "too_big":
      if (issue.inclusive === false) return `needs less than ${issue.maximum}`;
      return `needs at most ${sizeOf(issue.maximum, issue.origin)}`;
    case "invalid_format":
      return `needs ${issue.message}`;
    default:
      return issue.message;
  }
}

const nouns: { readonly [type: string]: string } = {
  array: "a list",
  boolean: "true or false",
  int: "a whole number",
  number: "a number",
  object: "fields with values",
  string: "a text",
};

function nounOf(type: string): string {
  return nouns[type] ?? type;
}

const units: { readonly [origin: string]: readonly [one: string, several: string] } = {
  array: ["entry", "entries"],
  string: ["character", "characters"],
};

function sizeOf(limit: number | bigint, origin: string): string {
  const [one, several] = units[origin] ?? [];
  const unit = Number(limit) === 1 ? one : several;
  return unit === undefined ? String(limit) : `${limit} ${unit}`;
}

function depth(problems: readonly ContractProblem[]): number {
  return Math.max(0, ...problems.map(({ path }) => path.split(/[.[]/u).length));
}

function pathText(path: readonly PropertyKey[]): string {
  const text = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`));
  return text.join("").replace(/^\./u, "") || "(file)";
}
