/**
 * @module Selector: which calls or events a clause is about. All given fields must match; a name
 * may contain `*` for any characters.
 */
import { eventKinds, eventStatuses, toolOutcomes } from "@turnproof/semconv";
import { z } from "zod";

import { namePattern, oneOrMore } from "./names.ts";
import { recordedSchema } from "./recorded.ts";

/** A wrong field is reported by itself. */
function isRight({ issues }: { readonly issues: readonly unknown[] }): boolean {
  return issues.length === 0;
}

/** The object, refused without any field: it would select everything. */
export function someField<T extends z.ZodObject>(object: T): T {
  const isSome = (value: object): boolean => Object.values(value).some((of) => of !== undefined);
  return object
    .refine(isSome, { error: "needs a field", when: isRight })
    .meta({ minProperties: 1 });
}

/** Kind of the calls that a field selects. */
const kindOf = { tool: "tool_call", model: "model_call" } as const;

/** The object with a selector's fields, refused where its kind is not that of its tool or model. */
export function withSameKind<T extends z.ZodObject>(object: T): T {
  const fields = Object.entries(kindOf);
  const refined = fields.reduce(
    (read, [field, kind]) =>
      read.refine(
        ({ [field]: name, kind: given }: Readonly<Record<string, unknown>>) =>
          name === undefined || given === undefined || given === kind,
        { path: ["kind"], error: `needs ${kind} beside ${field}`, when: isRight },
      ),
    object,
  );
  const rule = ([field, kind]: readonly [string, string]): object => ({
    anyOf: [{ not: { required: [field] } }, { properties: { kind: { const: kind } } }],
  });
  return refined.meta({ allOf: fields.map(rule) });
}

/** A count of at least zero. */
export const count = z.int().min(0).max(1_000_000);

/** A keyed fingerprint: the name of a key, an underscore and 26 characters. */
export const fingerprint = z
  .string()
  .regex(/^[a-z0-9]{1,12}_[a-z2-7]{26}$/, "a keyed fingerprint, for example k1_ and 26 letters");

/** Fields that select a span around others. */
const aroundShape = {
  tool: oneOrMore(namePattern).optional(),
  model: oneOrMore(namePattern).optional(),
  kind: z.enum(eventKinds).optional(),
  operation: oneOrMore(namePattern).optional(),
} as const;

/** Fields that select calls and events. */
export const selectorShape = {
  tool: oneOrMore(namePattern).optional().describe("Tool calls of these names."),
  model: oneOrMore(namePattern).optional().describe("Calls of these models."),
  kind: z.enum(eventKinds).optional().describe("Events of this kind."),
  operation: oneOrMore(namePattern).optional().describe("Events of these operations."),
  status: oneOrMore(z.enum(eventStatuses)).optional(),
  outcome: oneOrMore(z.enum(toolOutcomes)).optional().describe("Outcomes of a tool call."),
  provider: oneOrMore(namePattern).optional(),
  fingerprint: oneOrMore(fingerprint).optional().describe("Keyed fingerprint of a tool's call."),
  attributes: recordedSchema.optional(),
  inside: someField(withSameKind(z.strictObject(aroundShape)))
    .optional()
    .describe("Only inside such a span of the turn, at any depth."),
} as const;

/** A selector as it is written. */
export const selectorSchema = someField(withSameKind(z.strictObject(selectorShape))).meta({
  id: "Selector",
});
export type Selector = z.infer<typeof selectorSchema>;
