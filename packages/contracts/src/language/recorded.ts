/**
 * @module Recorded: attributes of an event as a selector compares them. Every attribute of the
 * vocabulary can be compared, by its short name; none of them holds content.
 */
import type { TurnEvent } from "@turnproof/evidence";
import { registryRows } from "@turnproof/semconv";
import type { AttributeName } from "@turnproof/semconv";
import { z } from "zod";

import { matchesName, namePattern, oneOrMore } from "./names.ts";

/** Limits of a number, both included. */
export interface RecordedLimits {
  readonly at_least?: number | undefined;
  readonly at_most?: number | undefined;
}

/** What an attribute must be: a name or one of several, a number or its limits, a flag. */
export type Wanted = string | string[] | number | boolean | RecordedLimits;

/** Attributes by their short names. */
export type Recorded = { readonly [name in Comparable]?: Wanted | undefined };

/** The outcome of a tool has a field of its own, which reads more than one attribute. */
type Comparable = Exclude<AttributeName, "tool_outcome">;

const limits = z
  .strictObject({ at_least: z.number().optional(), at_most: z.number().optional() })
  .meta({ minProperties: 1 });

const wantedOf = {
  text: oneOrMore(namePattern),
  number: z.union([z.number(), limits.refine(isSome, { error: "needs a field" })]),
  flag: z.boolean(),
};

function isSome(value: object): boolean {
  return Object.values(value).some((of) => of !== undefined);
}

function schemaOf(type: string): z.ZodType<Wanted> {
  if (type.startsWith("string")) return wantedOf.text;
  return type.startsWith("boolean") ? wantedOf.flag : wantedOf.number;
}

const shape = Object.fromEntries(
  registryRows.flatMap(({ slot, event, type }) =>
    slot === "attributes" && event !== "tool_outcome" ? [[event, schemaOf(type).optional()]] : [],
  ),
);

/** The attributes that a selector compares. */
export const recordedSchema = z
  .strictObject(shape)
  .refine(isSome, { error: "needs a field", when: ({ issues }) => issues.length === 0 })
  .meta({
    id: "Recorded",
    minProperties: 1,
    description: "Attributes that such a call or event has; of a list, one entry.",
  }) as z.ZodType<Recorded>;

/** Whether an event has the attributes; undefined where one of them is not recorded. */
export function hasRecorded(
  wanted: Recorded | undefined,
  attributes: TurnEvent["attributes"],
): boolean | undefined {
  if (wanted === undefined) return true;
  let open = false;
  for (const [name, want] of Object.entries(wanted)) {
    const value: unknown = attributes[name as Comparable];
    if (want === undefined) continue;
    if (value === undefined || value === null) open = true;
    else if (![value].flat().some((one) => isWanted(want, one))) return false;
  }
  return open ? undefined : true;
}

function isWanted(want: Wanted, value: unknown): boolean {
  if (typeof value === "string") {
    return [want].flat().some((one) => typeof one === "string" && matchesName(one, value));
  }
  if (typeof value !== "number" || typeof want !== "object" || Array.isArray(want)) {
    return value === want;
  }
  const { at_least: least, at_most: most } = want;
  return (least === undefined || value >= least) && (most === undefined || value <= most);
}

/** The attributes in a sentence. */
export function recordedWords(wanted: Recorded): string {
  const words = Object.entries(wanted).map(([name, want]) => `${name} ${wantedWords(want ?? "")}`);
  return words.join(" and ");
}

function wantedWords(want: Wanted): string {
  if (typeof want !== "object") return String(want);
  if (Array.isArray(want)) return want.join(" or ");
  const { at_least: least, at_most: most } = want;
  return [
    ...(least === undefined ? [] : [`at least ${least}`]),
    ...(most === undefined ? [] : [`at most ${most}`]),
  ].join(" and ");
}
