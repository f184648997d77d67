/**
 * @module TurnFilter: conditions of a query as filters; values are only ever operands of
 * operators.
 */
import type { Document, Filter } from "mongodb";

import { foldedAscii } from "../ledger/ascii-case.ts";
import { requestedConditions } from "../ledger/requested-conditions.ts";
import { prefixRange } from "../ledger/text-prefix.ts";
import { microsOf } from "../ledger/turn-fields.ts";
import type { Sign, TurnCondition, TurnQuery } from "../ledger/turn-query.ts";
import { calledExpression } from "./call-usage.ts";
import { fieldOfList } from "./turn-documents.ts";

/** Matches no document. */
const nothing: Filter<Document> = { _id: { $in: [] } };

const operators: Readonly<Record<Sign, string>> = {
  "<": "$lt",
  "<=": "$lte",
  "=": "$eq",
  ">=": "$gte",
  ">": "$gt",
};

/** The filter for matching turns. */
export function filterOf(query: TurnQuery): Filter<Document> {
  const own = requestedConditions(query).map(conditionFilter);
  return { $and: [{ gone: { $eq: false } }, ...own] };
}

function conditionFilter(condition: TurnCondition): Filter<Document> {
  const filter = plainFilter(condition);
  // A comparison with an unknown value is false, so its negation matches.
  return condition.not === true ? { $nor: [filter] } : filter;
}

function plainFilter(condition: TurnCondition): Filter<Document> {
  if ("text" in condition) return { [condition.text]: { $eq: condition.is } };
  if ("part" in condition) {
    const field = condition.part === "name" ? fieldOfList("name") : condition.part;
    return { [field]: { $regex: partPattern(foldedAscii(condition.of)) } };
  }
  if ("prefix" in condition) {
    const { from, to } = prefixRange(condition.of);
    return { [condition.prefix]: { $gte: from, $lt: to } };
  }
  if ("list" in condition) {
    return { [fieldOfList(condition.list)]: { $eq: condition.has ?? [] } };
  }
  if ("call" in condition) {
    if (condition.call.known !== undefined) return { $expr: calledExpression(condition.call) };
    const requested = Object.entries(condition.call).filter(([, value]) => value !== undefined);
    const own = requested.map(([field, value]) => [field, { $eq: value }] as const);
    return { calls: { $elemMatch: Object.fromEntries(own) } };
  }
  if ("any" in condition) {
    const terms = condition.any.map(conditionFilter);
    return terms.length === 0 ? nothing : { $or: terms };
  }
  if ("number" in condition) {
    return { [condition.number]: { [operators[condition.sign]]: condition.value } };
  }
  const { time, from, to } = condition;
  const ends: Filter<Document>[] = [{ [time]: { $ne: null } }];
  if (from !== undefined) ends.push({ [time]: { $gte: microsOf(from) } });
  if (to !== undefined) ends.push({ [time]: { $lt: microsOf(to) } });
  return { $and: ends };
}

/**
 * A pattern without options, which fold more than ASCII letters. Every other ASCII character is its
 * number, because some have a meaning in a pattern.
 */
function partPattern(part: string): string {
  return part.replaceAll(/[\0-\x7f]/g, (one) => {
    if (/[a-z]/.test(one)) return `[${one}${one.toUpperCase()}]`;
    return `\\x${one.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
}
