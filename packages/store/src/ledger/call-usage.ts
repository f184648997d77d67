/**
 * @module CallUsage: what the price of a call depends on, as the reference computes it and as SQL
 * that SQLite, PostgreSQL and ClickHouse have in common.
 */
import type { TurnCall } from "@turnproof/evidence";

import { statedText } from "./turn-fields.ts";
import type { CallField, CallUsage } from "./turn-query.ts";

/** Counts of a call by their letter, in the order of {@link CallUsage.known}. */
export const usageLetters: readonly (readonly [letter: string, field: UsageField])[] = [
  ["i", "input_tokens"],
  ["o", "output_tokens"],
  ["c", "cached_tokens"],
  ["w", "cache_write_tokens"],
  ["r", "reasoning_tokens"],
];

/** A count of a call. */
export type UsageField =
  | "input_tokens"
  | "output_tokens"
  | "cached_tokens"
  | "cache_write_tokens"
  | "reasoning_tokens";

/** What the price of one call depends on. */
export function usageOf(
  call: Pick<TurnCall, UsageField | "service_tier">,
  steps: readonly number[],
): CallUsage {
  const { input_tokens: input, output_tokens: output } = call;
  const { cache_write_tokens: written = null, reasoning_tokens: reasoning = null } = call;
  const isWrong =
    (input !== null && (call.cached_tokens ?? 0) + (written ?? 0) > input) ||
    (output !== null && (reasoning ?? 0) > output);
  const letters = usageLetters.flatMap(([letter, field]) =>
    (call[field] ?? null) === null ? [] : [letter],
  );
  return {
    service_tier: statedText(call.service_tier),
    input_step: steps.filter((step) => (input ?? 0) > step).length,
    known: statedText(letters.join("") + (isWrong ? "x" : "")),
    cache_write_tokens: written,
    reasoning_tokens: reasoning,
  };
}

/** Expressions for a step of the input and for the known counts. */
export function usageSql(
  column: (field: UsageField) => string,
  steps: readonly number[],
): { readonly step: string; readonly known: string } {
  const when = (condition: string, then: string, otherwise: string): string =>
    `CASE WHEN ${condition} THEN ${then} ELSE ${otherwise} END`;
  const input = column("input_tokens");
  const above = steps.map((step) => when(`${input} > ${step}`, "1", "0"));
  const letters = usageLetters.map(([letter, field]) =>
    when(`${column(field)} IS NULL`, "''", `'${letter}'`),
  );
  const parts = `coalesce(${column("cached_tokens")}, 0) + coalesce(${column("cache_write_tokens")}, 0)`;
  const wrong =
    `${parts} > ${input} OR ` +
    `coalesce(${column("reasoning_tokens")}, 0) > ${column("output_tokens")}`;
  return {
    step: ["0", ...above].join(" + "),
    known: [...letters, when(wrong, "'x'", "''")].join(" || "),
  };
}

/** True for a field of the call itself, false for one of its turn. */
export function isCallOwn(
  field: CallField,
): field is "name" | "provider" | "outcome" | "error_type" {
  return ["name", "provider", "outcome", "error_type"].includes(field);
}
