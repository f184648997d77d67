/** @module ClauseRules: rules between the fields of a clause. */
import type { Clause } from "./clauses.ts";

/** The rule between its fields that a clause breaks. */
export function brokenRule(clause: Clause): string | undefined {
  const has = (...names: string[]): number =>
    names.filter((name) => (clause as Record<string, unknown>)[name] !== undefined).length;
  const reversed = reversedLimits(clause);
  if (reversed !== undefined) return reversed;
  switch (clause.clause) {
    case "duration":
      return has("at_least_ms", "at_most_ms") === 0 ? "needs at_least_ms or at_most_ms" : undefined;
    case "tokens":
    case "cost":
    case "score":
    case "tools_f1":
      return has("at_least", "at_most") === 0 ? "needs at_least or at_most" : undefined;
    case "calls":
      if (has("tool", "model", "kind", "operation") === 0)
        return "needs tool, model, kind or operation";
      if (has("at_least", "at_most", "exactly", "never") === 0)
        return "needs at_least, at_most, exactly or never";
      return has("exactly", "never") === 0 || has("at_least", "at_most", "exactly", "never") === 1
        ? undefined
        : "has exactly or never beside another limit";
    case "each_call":
      return has(...predicates) === 0 ? `needs one of ${predicates.join(", ")}` : undefined;
    case "statistic":
      if (has("tool", "model", "kind", "operation") === 0)
        return "needs tool, model, kind or operation";
      if (has("average", "sum", "percentile") !== 1)
        return "needs one of average, sum and percentile";
      return has("at_least", "at_most") === 0 ? "needs at_least or at_most" : undefined;
    case "order":
      if (has("tool", "model", "kind", "operation") === 0)
        return "needs tool, model, kind or operation";
      return has("before", "after", "never_after") === 1
        ? undefined
        : "needs one of before, after and never_after";
    case "trajectory":
      return has("golden", "steps") === 1 ? undefined : "needs one of golden and steps";
    case "services":
      return has("pinned", "at_least", "at_most") === 0
        ? "needs pinned, at_least or at_most"
        : undefined;
    case "tools":
      return has("allowed", "forbidden") === 0 ? "needs allowed or forbidden" : undefined;
    case "memory":
      return has("supplied", "retrieved", "referenced", "degraded") === 0
        ? "needs supplied, retrieved, referenced or degraded"
        : undefined;
    case "context":
      return has("binding", "grounding") === 0 ? "needs binding or grounding" : undefined;
    case "some_of":
      if (clause.expect.some(({ severity }) => severity !== undefined)) {
        return "has one severity for all of its clauses";
      }
      if (has("at_least", "at_least_share") !== 1)
        return "needs one of at_least and at_least_share";
      return (clause.at_least ?? 0) > clause.expect.length
        ? "at_least is above the number of its clauses"
        : undefined;
    case "stages":
      return has("profile", "stages") === 1 ? undefined : "needs one of profile and stages";
    default:
      return undefined;
  }
}

/** What `each_call` may require of a call. */
const predicates = [
  "duration_at_most_ms",
  "first_token_at_most_ms",
  "tokens_at_most",
  "results_at_least",
  "results_at_most",
  "outcome_in",
  "provider_in",
  "finish_reason_in",
] as const;

const limits = [
  ["at_least", "at_most"],
  ["at_least_ms", "at_most_ms"],
  ["results_at_least", "results_at_most"],
] as const;

/** Limits that no number meets, in the clause or in a part of it. */
export function reversedLimits(fields: object, above = ""): string | undefined {
  const values = fields as Readonly<Record<string, unknown>>;
  for (const [least, most] of limits) {
    const [low, high] = [values[least], values[most]];
    if (typeof low === "number" && typeof high === "number" && low > high) {
      return `${above}${least} is above ${most}`;
    }
  }
  for (const [name, part] of Object.entries(values)) {
    // The clauses within a clause are judged by themselves.
    if (typeof part !== "object" || part === null || Array.isArray(part)) continue;
    const rule = reversedLimits(part, `${name}: `);
    if (rule !== undefined) return rule;
  }
  return undefined;
}
