/** @module TurnWhere: conditions of a question as SQL over the table of turns. */
import { requestedConditions } from "../ledger/requested-conditions.ts";
import { microsOf, numberFields } from "../ledger/turn-fields.ts";
import type { TurnCondition, TurnOrder, TurnPlace, TurnQuestion } from "../ledger/turn-question.ts";
import type { Bindings } from "./sql-text.ts";
import { toStoredJson } from "./stored-text.ts";
import { columnOfList, timeOrNumberSql } from "./turn-rows.ts";

/** The condition for a turn. */
export function whereOf(question: TurnQuestion, bind: Bindings): string {
  const own = requestedConditions(question).map((condition) => conditionSql(condition, bind));
  return ["NOT gone", ...own.map((sql) => `(${sql})`)].join(" AND ");
}

function conditionSql(condition: TurnCondition, bind: Bindings): string {
  const sql = plainSql(condition, bind);
  // A comparison with an unknown value is false, so its negation matches.
  return condition.not === true ? `(${sql}) IS NOT TRUE` : sql;
}

function plainSql(condition: TurnCondition, bind: Bindings): string {
  if ("text" in condition) {
    const { text, is } = condition;
    return is === null ? `${text} IS NULL` : `${text} = ${bind.text(is)}`;
  }
  if ("list" in condition) {
    const column = columnOfList(condition.list);
    return condition.has === null
      ? `cardinality(${column}) = 0`
      : `${column} @> ARRAY[${bind.text(condition.has)}]`;
  }
  if ("call" in condition) {
    return `calls @> ${bind.plain(toStoredJson([condition.call]))}::jsonb`;
  }
  if ("any" in condition) {
    const terms = condition.any.map((one) => `(${conditionSql(one, bind)})`);
    return terms.length === 0 ? "false" : terms.join(" OR ");
  }
  if ("number" in condition) {
    return `${condition.number} ${condition.sign} ${numberSql(condition.value, bind)}`;
  }
  const { from, to } = condition;
  const time = timeOrNumberSql(condition.time);
  const ends = [
    `${time} IS NOT NULL`,
    ...(from === undefined ? [] : [`${time} >= ${microsSql(microsOf(from), bind)}`]),
    ...(to === undefined ? [] : [`${time} < ${microsSql(microsOf(to), bind)}`]),
  ];
  return ends.join(" AND ");
}

function numberSql(value: number, bind: Bindings): string {
  return `${bind.plain(String(value))}::double precision`;
}

function microsSql(micros: number, bind: Bindings): string {
  return `${bind.plain(String(micros))}::bigint`;
}

/** The rows after a place in an order; unknown values come last. */
export function afterOf(order: TurnOrder, place: TurnPlace, bind: Bindings): string {
  const by = timeOrNumberSql(order.by);
  const key = bind.text(place.key);
  if (place.value === null) return `${by} IS NULL AND key < ${key}`;
  const isNumber = Object.hasOwn(numberFields, order.by);
  const value = isNumber ? numberSql(place.value, bind) : microsSql(place.value, bind);
  const beyond = order.ascending === true ? ">" : "<";
  return `${by} IS NULL OR ${by} ${beyond} ${value} OR (${by} = ${value} AND key < ${key})`;
}

/** The order of a list. */
export function orderOf({ by, ascending }: TurnOrder): string {
  return `${timeOrNumberSql(by)} ${ascending === true ? "ASC" : "DESC"} NULLS LAST, key DESC`;
}
