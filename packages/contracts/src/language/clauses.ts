/**
 * @module Clauses: the one schema of every clause. The TypeScript types, the JSON Schema and the
 * messages about a wrong file all come from it.
 */
import {
  cacheDecisions,
  coverageProfiles,
  eventKinds,
  eventStatuses,
  parserStatuses,
  toolOutcomes,
  verdictStatuses,
} from "@turnproof/semconv";
import { z } from "zod";

import { namePattern, oneOrMore } from "./names.ts";
import {
  count,
  fingerprint,
  selectorSchema,
  selectorShape,
  someField,
  withSameKind,
} from "./selector.ts";

/** How much a violated clause weighs. */
export const severities = ["error", "warning", "note"] as const;
export type Severity = (typeof severities)[number];

const amount = z.number().min(0);
const share = z.number().min(0).max(1);

/** A condition under which a contract or a clause applies; all given fields must match. */
export const conditionSchema = someField(
  z.strictObject({
    agent: oneOrMore(namePattern).optional(),
    application: oneOrMore(namePattern).optional(),
    release: oneOrMore(namePattern).optional().describe("Some event is of such a release."),
    environment: oneOrMore(namePattern).optional(),
    profile: oneOrMore(namePattern)
      .optional()
      .describe("A coverage profile that the turn declares."),
    intent: oneOrMore(namePattern).optional(),
    calls: selectorSchema.optional().describe("Some such call or event is recorded."),
    status: oneOrMore(z.enum(eventStatuses)).optional(),
  }),
).meta({ id: "Condition" });
export type Condition = z.infer<typeof conditionSchema>;

const shared = {
  severity: z.enum(severities).optional().describe("Default: that of the contract."),
  when: conditionSchema.optional().describe("The clause applies where this is so."),
  id: z.string().min(1).max(80).optional().describe("A name for reports."),
};

const limitsOf = { at_least: amount.optional(), at_most: amount.optional() };
const counts = { at_least: count.optional(), at_most: count.optional(), exactly: count.optional() };
const ms = { at_least_ms: amount.optional(), at_most_ms: amount.optional() };
const fieldsOf = <N extends string, S extends z.core.$ZodLooseShape>(name: N, shape: S) =>
  z.strictObject({ clause: z.literal(name), ...shape, ...shared });
const clause = <N extends string, S extends z.core.$ZodLooseShape>(name: N, shape: S) =>
  fieldsOf(name, shape).meta({ id: `clause_${name}` });
/** A clause with the fields of a selector. */
const selecting = <N extends string, S extends z.core.$ZodLooseShape>(name: N, shape: S) =>
  withSameKind(fieldsOf(name, { ...selectorShape, ...shape })).meta({ id: `clause_${name}` });

const stages = [...eventKinds, "model_call_result", "tool_call_result", "turn_result"] as const;

/** One step of a golden trajectory: a call without its content. */
export const stepSchema = z.strictObject({
  kind: z.enum(["tool", "model"]),
  name: z.string().min(1).max(240).nullable(),
  outcome: z.string().max(60).optional(),
  fingerprint: fingerprint.optional(),
});
export type GoldenStep = z.infer<typeof stepSchema>;

const trajectory = {
  match: z
    .enum(["strict", "unordered", "subset", "superset", "ordered"])
    .describe(
      "strict: the same steps in the same order; unordered: in any order; subset: no step beyond " +
        "the golden; superset: every golden step, others too; ordered: the same in that order.",
    ),
  golden: z.string().min(1).max(240).optional().describe("Name of a golden trajectory."),
  steps: z.array(stepSchema).max(10_000).optional().describe("The trajectory itself."),
  of: z.enum(["tools", "calls"]).optional().describe("Default: tools."),
  compare: z
    .array(z.enum(["outcome", "arguments"]))
    .optional()
    .describe("What must agree beside the name."),
};

/** Clauses that hold no other ones. */
const singles = [
  clause("ended", {}),
  clause("status", { is: oneOrMore(z.enum(eventStatuses)) }),
  clause("verdict", { is: oneOrMore(z.enum(verdictStatuses)) }),
  clause("no_errors", {
    at_most_share: z
      .number()
      .min(0)
      .lt(1)
      .optional()
      .describe("Errors are at most this share of what ended, from 0 to below 1; default: none."),
  }),
  clause("tools_clean", { tool: oneOrMore(namePattern).optional() }),
  clause("duration", ms),
  clause("tokens", { of: z.enum(["total", "input", "output", "cached"]).optional(), ...limitsOf }),
  clause("cost", limitsOf),
  clause("retries", { at_most: count }),
  clause("fallbacks", { at_most: count }),
  clause("depth", { at_most: count }),
  selecting("calls", { ...counts, never: z.literal(true).optional() }),
  clause("tools", {
    allowed: z.array(namePattern).min(1).optional(),
    forbidden: z.array(namePattern).min(1).optional(),
  }),
  clause("tools_f1", {
    expected: z
      .array(z.string().min(1).max(240))
      .min(1)
      .describe("Names of the tools that should be called, each at least once."),
    at_least: share.optional(),
    at_most: share.optional(),
  }),
  clause("arguments", { tool: oneOrMore(namePattern), any_of: z.array(fingerprint).min(1) }),
  selecting("each_call", {
    duration_at_most_ms: amount.optional(),
    first_token_at_most_ms: amount.optional(),
    tokens_at_most: count.optional(),
    results_at_least: count.optional(),
    results_at_most: count.optional(),
    outcome_in: z.array(z.enum(toolOutcomes)).min(1).optional(),
    provider_in: z.array(namePattern).min(1).optional(),
    finish_reason_in: z.array(namePattern).min(1).optional(),
  }),
  selecting("statistic", {
    of: z
      .enum(["duration_ms", "first_token_ms", "tokens", "results"])
      .describe("What is measured of each such call."),
    average: z.literal(true).optional().describe("The mean of all such calls."),
    sum: z.literal(true).optional().describe("The sum over all such calls."),
    percentile: z.number().gt(0).max(100).optional().describe("By nearest rank, such as 95."),
    ...limitsOf,
  }),
  selecting("order", {
    before: selectorSchema.optional().describe("Every such call has one of the calls before it."),
    after: selectorSchema.optional().describe("Every such call has one of the calls after it."),
    never_after: selectorSchema.optional().describe("None of the calls follows such a call."),
    ended: z
      .literal(true)
      .optional()
      .describe("The first has ended before the second begins. Without it only starts count."),
    immediately: z
      .literal(true)
      .optional()
      .describe("No other call of their kinds begins between the two."),
    within_ms: amount
      .optional()
      .describe("From the end of the first to the start of the second; an overlap is 0 ms."),
    within_calls: count.optional().describe("At most so many calls apart, by their starts."),
  }),
  clause("trajectory", trajectory),
  clause("model", { pinned: z.array(namePattern).min(1) }),
  clause("release", { pinned: z.array(namePattern).min(1) }),
  clause("services", {
    pinned: z.array(namePattern).min(1).optional(),
    at_least: count.optional().describe("How many services recorded a part of the turn."),
    at_most: count.optional(),
  }),
  clause("memory", {
    supplied: z.strictObject(limitsOf).optional(),
    retrieved: z.strictObject(limitsOf).optional(),
    referenced: z.strictObject(limitsOf).optional(),
    degraded: z.literal(false).optional(),
  }),
  clause("cache", { decision: oneOrMore(z.enum(cacheDecisions)) }),
  clause("ownership", {}),
  clause("provenance", {}),
  clause("context", {
    binding: oneOrMore(namePattern).optional().describe("Thread binding status."),
    grounding: oneOrMore(namePattern).optional().describe("Grounding status."),
  }),
  clause("stages", {
    profile: z
      .enum(coverageProfiles)
      .optional()
      .describe("Those of a coverage profile; one of a host's own is a list of stages."),
    stages: z.array(z.enum(stages)).min(1).optional(),
  }),
  clause("artifact", { type: namePattern, persisted: z.literal(true).optional() }),
  clause("delivery", { target: namePattern.optional(), acknowledged: z.literal(true).optional() }),
  clause("output", {
    name: namePattern,
    parser: oneOrMore(z.enum(parserStatuses)).optional(),
    recovery: z.literal(false).optional(),
  }),
  clause("outcome", { source: namePattern.optional() }),
  clause("score", { name: namePattern, ...limitsOf }),
] as const;

/** A clause that holds no other ones. */
export const singleSchema = z.discriminatedUnion("clause", singles);
export type SingleClause = z.infer<typeof singleSchema>;

/** Every clause by the name in its field `clause`. */
export const clauseSchema = z.discriminatedUnion("clause", [
  ...singles,
  clause("some_of", {
    expect: z.array(singleSchema).min(1).max(50).describe("Clauses of which a part may fail."),
    at_least: z.int().min(1).optional().describe("So many of them hold."),
    at_least_share: z
      .number()
      .gt(0)
      .max(1)
      .optional()
      .describe("This share of them holds, from above 0 to 1."),
  }),
]);
export type Clause = z.infer<typeof clauseSchema>;
export type ClauseName = Clause["clause"];
/** The clause of one name. */
export type ClauseOf<N extends ClauseName> = Extract<Clause, { readonly clause: N }>;
