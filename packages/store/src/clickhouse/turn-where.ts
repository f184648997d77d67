/** @module TurnWhere: conditions of a question as SQL over the table of turns. */
import { microsOf, tenantText } from "../ledger/turn-fields.ts";
import type { TurnCondition, TurnOrder, TurnPlace, TurnQuestion } from "../ledger/turn-question.ts";
import { numberFields } from "../ledger/turn-fields.ts";
import { checkScope } from "../scope.ts";
import type { Bindings } from "./sql-text.ts";
import { columnOfList } from "./turn-columns.ts";

/** The condition under which a turn passes. Never PREWHERE: with FINAL it counts old versions. */
export function whereOf({ scope, where }: TurnQuestion, bind: Bindings): string {
  checkScope(scope);
  const application = "operator" in scope ? scope.operator.applicationId : scope.applicationId;
  const own = [
    ...("operator" in scope ? [] : [`tenant = ${bind.text(tenantText(scope.tenant))}`]),
    ...(application === undefined ? [] : [sayText("application_id", application, bind)]),
    ...where.map((condition) => conditionSql(condition, bind)),
  ];
  return own.length === 0 ? "true" : own.map((sql) => `(${sql})`).join(" AND ");
}

function conditionSql(condition: TurnCondition, bind: Bindings): string {
  const sql = plainSql(condition, bind);
  // An unknown value makes no comparison true, so it passes the negated one.
  return condition.not === true ? `NOT ifNull(${sql}, false)` : sql;
}

/** Empty is unknown, and no turn says it. */
function sayText(column: string, is: string | null, bind: Bindings): string {
  if (is === "") return "false";
  return `${column} = ${is === null ? "''" : bind.text(is)}`;
}

function plainSql(condition: TurnCondition, bind: Bindings): string {
  if ("text" in condition) return sayText(condition.text, condition.is, bind);
  if ("list" in condition) {
    return `has(${columnOfList(condition.list)}, ${bind.text(condition.has)})`;
  }
  if ("any" in condition) {
    if (condition.any.length === 0) return "false";
    return condition.any
      .map((one) => `ifNull(${conditionSql(one, bind)}, false)`)
      .join(" OR ")
      .replace(/^(.*)$/s, "($1)");
  }
  if ("number" in condition) {
    return `${condition.number} ${condition.sign} ${numberSql(condition.value)}`;
  }
  const { time, from, to } = condition;
  const ends = [
    `isNotNull(${time})`,
    ...(from === undefined ? [] : [`${time} >= ${timeSql(microsOf(from))}`]),
    ...(to === undefined ? [] : [`${time} < ${timeSql(microsOf(to))}`]),
  ];
  return `(${ends.join(" AND ")})`;
}

/** A number as the engine reads it; what is no finite one equals nothing. */
function numberSql(value: number): string {
  return Number.isFinite(value) ? `toFloat64(${value})` : "CAST(NULL AS Nullable(Float64))";
}

function timeSql(micros: number): string {
  return `fromUnixTimestamp64Micro(toInt64(${micros}), 'UTC')`;
}

function isNumber(field: TurnOrder["by"]): boolean {
  return Object.hasOwn(numberFields, field);
}

/** What comes after a place in an order; unknown values stand last. */
export function afterOf({ by, ascending }: TurnOrder, place: TurnPlace, bind: Bindings): string {
  const key = bind.text(place.key);
  if (place.value === null) return `isNull(${by}) AND key < ${key}`;
  const value = isNumber(by) ? numberSql(place.value) : timeSql(place.value);
  const beyond = ascending === true ? ">" : "<";
  return `isNull(${by}) OR ${by} ${beyond} ${value} OR (${by} = ${value} AND key < ${key})`;
}

/** The order of a list. */
export function orderOf({ by, ascending }: TurnOrder): string {
  return `${by} ${ascending === true ? "ASC" : "DESC"} NULLS LAST, key DESC`;
}
