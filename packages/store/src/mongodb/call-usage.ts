/** @module CallUsage: what the price of a call depends on, as expressions of MongoDB. */
import type { Document } from "mongodb";

import { usageLetters } from "../ledger/call-usage.ts";
import type { UsageField } from "../ledger/call-usage.ts";
import type { CallValues } from "../ledger/turn-query.ts";

/** True where an expression has a value. */
export function isStated(expression: string): Document {
  return { $ne: [{ $ifNull: [expression, null] }, null] };
}

/** Service tier, step of the input and known counts of a call; `of` is `$calls` or a variable. */
export function usageIn(
  of: string,
  steps: readonly number[],
): Readonly<Record<"tier" | "step" | "known", Document>> {
  const when = (condition: Document, then: unknown, otherwise: unknown): Document => ({
    $cond: [condition, then, otherwise],
  });
  const count = (field: UsageField): Document => ({ $ifNull: [`${of}.${field}`, 0] });
  const wrong = (whole: UsageField, ...parts: UsageField[]): Document => ({
    $and: [isStated(`${of}.${whole}`), { $gt: [{ $add: parts.map(count) }, count(whole)] }],
  });
  const isWrong = {
    $or: [
      wrong("input_tokens", "cached_tokens", "cache_write_tokens"),
      wrong("output_tokens", "reasoning_tokens"),
    ],
  };
  const letters = usageLetters.map(([letter, field]) =>
    when(isStated(`${of}.${field}`), letter, ""),
  );
  return {
    tier: { $ifNull: [`${of}.service_tier`, null] },
    step: {
      $add: [0, ...steps.map((step) => when({ $gt: [count("input_tokens"), step] }, 1, 0))],
    },
    known: { $concat: [...letters, when(isWrong, "x", "")] },
  };
}

/** True for a turn with a call of these values, known counts among them. */
export function calledExpression({ known = null, ...values }: CallValues): Document {
  const requested = Object.entries(values).filter(([, value]) => value !== undefined);
  const own = requested.map(([field, value]) => ({
    $eq: [{ $ifNull: [`$$call.${field}`, null] }, { $literal: value }],
  }));
  const counts = { $eq: [usageIn("$$call", []).known, { $literal: known ?? "" }] };
  return {
    $anyElementTrue: [{ $map: { input: "$calls", as: "call", in: { $and: [...own, counts] } } }],
  };
}
