/** @module TurnConditions: whether a record matches, and its place in an order. */
import type { TurnCall } from "@turnproof/evidence";

import { inScope } from "../scope.ts";
import { foldedAscii } from "./ascii-case.ts";
import { usageOf } from "./call-usage.ts";
import { isPrefix } from "./text-prefix.ts";
import {
  listFields,
  microsOf,
  numberFields,
  statedText,
  textFields,
  timeFields,
} from "./turn-fields.ts";
import { orderValues } from "./turn-orders.ts";
import type {
  CallValues,
  Sign,
  TurnCondition,
  TurnOrder,
  TurnPosition,
  TurnQuery,
} from "./turn-query.ts";
import type { TurnRecord } from "./turn-record.ts";
import { compareValues } from "./turn-sums.ts";

/** True for a record in scope that meets every condition. */
export function passes(record: TurnRecord, { scope, where }: TurnQuery): boolean {
  return inScope(record.row, scope) && where.every((condition) => holds(record, condition));
}

function holds(record: TurnRecord, condition: TurnCondition): boolean {
  return mentions(record, condition) !== (condition.not === true);
}

function mentions(record: TurnRecord, condition: TurnCondition): boolean {
  if ("text" in condition) return textFields[condition.text](record) === condition.is;
  if ("part" in condition) {
    const { part, of } = condition;
    const texts = part === "name" ? listFields.name(record) : [textFields[part](record) ?? ""];
    // A lone surrogate is in no text that was stored.
    if (of === "" || !of.isWellFormed()) return false;
    return texts.some((text) => foldedAscii(text).includes(foldedAscii(of)));
  }
  if ("prefix" in condition) {
    const text = textFields[condition.prefix](record);
    return text !== null && isPrefix(condition.of) && text.startsWith(condition.of);
  }
  if ("list" in condition) {
    const values = listFields[condition.list](record);
    return condition.has === null ? values.length === 0 : values.includes(condition.has);
  }
  if ("call" in condition) return record.calls.some((call) => isCall(call, condition.call));
  if ("any" in condition) return condition.any.some((one) => holds(record, one));
  if ("number" in condition) {
    const value = numberFields[condition.number](record);
    return value !== null && isSo(value, condition.sign, condition.value);
  }
  const time = timeFields[condition.time](record);
  if (time === null) return false;
  const { from, to } = condition;
  return (
    (from === undefined || time >= microsOf(from)) && (to === undefined || time < microsOf(to))
  );
}

/** True for a call with all of these values. */
function isCall(call: TurnCall, { kind, known, ...values }: CallValues): boolean {
  const requested = Object.entries(values) as [keyof typeof values, string | null | undefined][];
  return (
    call.kind === kind &&
    (known === undefined || usageOf(call, []).known === known) &&
    requested.every(([field, value]) => value === undefined || statedText(call[field]) === value)
  );
}

function isSo(value: number, sign: Sign, wanted: number): boolean {
  switch (sign) {
    case "<":
      return value < wanted;
    case "<=":
      return value <= wanted;
    case "=":
      return value === wanted;
    case ">=":
      return value >= wanted;
    case ">":
      return value > wanted;
  }
}

/** Place of a record in an order. */
export function turnPositionOf(record: TurnRecord, { by }: TurnOrder): TurnPosition {
  return { value: orderValues[by](record), key: record.key };
}

/**
 * Negative when `a` comes first. Unknown values come last; ties go by key, the greater first. Texts
 * are compared by the bytes of UTF-8.
 */
export function compareTurnPositions(
  a: TurnPosition,
  b: TurnPosition,
  { ascending }: TurnOrder,
): number {
  if (a.value === null || b.value === null) {
    if (a.value !== b.value) return a.value === null ? 1 : -1;
  } else if (a.value !== b.value) {
    return isBefore(a.value, b.value) === (ascending === true) ? -1 : 1;
  }
  return a.key === b.key ? 0 : a.key > b.key ? -1 : 1;
}

function isBefore(a: number | string, b: number | string): boolean {
  return typeof a === "string" && typeof b === "string" ? compareValues(a, b) < 0 : a < b;
}
