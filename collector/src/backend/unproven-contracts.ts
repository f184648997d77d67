/**
 * @module UnprovenContracts: results of contracts while evidence of their turns is, or may be,
 * damaged or gone. What holds by it is not established.
 */
import { turnName } from "@turnproof/store";
import type { TurnCondition, TurnRecord } from "@turnproof/store";

/** Starts a name of a record that is the result of a contract. */
const prefix = turnName("contract", "");
const holds = "=holds";
const unproven = "=not_established";

/**
 * The field of a condition, facet or group that has such results, with what their values start
 * with.
 */
const resultPrefixes: Readonly<Record<string, string>> = { contract: "", name: prefix };

/** A value without its result, where it is that of a contract with this result. */
function contractOf(field: string, value: string | null, result: string): string | undefined {
  const start = resultPrefixes[field];
  if (value === null || start === undefined) return undefined;
  return value.startsWith(start) && value.endsWith(result)
    ? value.slice(0, -result.length)
    : undefined;
}

/** The value that is answered for a recorded one. */
export function shownResult(field: string, value: string | null): string | null {
  const contract = contractOf(field, value, holds);
  return contract === undefined ? value : `${contract}${unproven}`;
}

/** The names of a record as they are answered. */
export function shownNames({ names }: Pick<TurnRecord, "names">): readonly string[] {
  if (!hasHolds({ names })) return names;
  return [...new Set(names.map((name) => shownResult("name", name) ?? name))].toSorted();
}

/** Whether a contract holds for a turn, as it is recorded. */
export function hasHolds({ names }: Pick<TurnRecord, "names">): boolean {
  return names.some((name) => contractOf("name", name, holds) !== undefined);
}

/** The condition on recorded values for one on answered values; undefined where they are equal. */
export function recordedResult(condition: TurnCondition): TurnCondition | undefined {
  if (!("list" in condition)) return undefined;
  const { list, has } = condition;
  const not = condition.not === true ? ({ not: true } as const) : {};
  // No turn is answered with it.
  if (contractOf(list, has, holds) !== undefined) return { any: [], ...not };
  const contract = contractOf(list, has, unproven);
  if (contract === undefined) return undefined;
  const any = [unproven, holds].map((result) => ({ list, has: `${contract}${result}` }));
  return { any, ...not };
}
