/** @module TurnWhere: conditions of a query as SQL over the table of turns. */
import { foldedAscii } from "../ledger/ascii-case.ts";
import { requestedConditions } from "../ledger/requested-conditions.ts";
import { prefixRange } from "../ledger/text-prefix.ts";
import { microsOf, timeFields } from "../ledger/turn-fields.ts";
import type {
  CallValues,
  TurnCondition,
  TurnOrder,
  TurnPosition,
  TurnQuery,
} from "../ledger/turn-query.ts";
import { callRows, callUsageSql } from "./call-rows.ts";
import type { Bindings } from "./sql-text.ts";
import { toStored, toStoredJson } from "./stored-text.ts";
import { columnOfList, orderValueSql, timeOrNumberSql } from "./turn-rows.ts";

/** The condition for a turn. */
export function whereOf(query: TurnQuery, bind: Bindings): string {
  const own = requestedConditions(query).map((condition) => conditionSql(condition, bind));
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
  if ("part" in condition) {
    const part = foldedAscii(condition.of);
    return condition.part === "name"
      ? `EXISTS (SELECT 1 FROM unnest(${columnOfList("name")}) AS named(one)
          WHERE ${partSql("named.one", part, bind)})`
      : partSql(condition.part, part, bind);
  }
  if ("prefix" in condition) {
    const { from, to } = prefixRange(condition.of);
    return `${condition.prefix} >= ${bind.text(from)} AND ${condition.prefix} < ${bind.text(to)}`;
  }
  if ("list" in condition) {
    const column = columnOfList(condition.list);
    return condition.has === null
      ? `cardinality(${column}) = 0`
      : `${column} @> ARRAY[${bind.text(condition.has)}]`;
  }
  if ("call" in condition) {
    const { known, service_tier: tier, ...values } = condition.call;
    // One element has all of the values.
    const sql = `calls @> ${bind.plain(toStoredJson([values]))}::jsonb`;
    if (known === undefined && tier === undefined) return sql;
    return `${sql} AND ${calledSql(condition.call, bind)}`;
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

function calledSql({ kind, ...values }: CallValues, bind: Bindings): string {
  const requested = Object.entries(values).filter(([, value]) => value !== undefined);
  const own = requested.map(([field, value]) => {
    const column = field === "known" ? `nullif(${callUsageSql([]).known}, '')` : `call.${field}`;
    return ` AND ${column} ${value === null ? "IS NULL" : `= ${bind.text(value)}`}`;
  });
  return `EXISTS (SELECT 1 FROM ${callRows} WHERE call.kind = ${bind.plain(kind)}${own.join("")})`;
}

/**
 * In stored form a control character is a mark and a digit. A part that begins with such a digit is
 * compared where these are letters, so that it is not found in the middle of one.
 */
function partSql(column: string, part: string, bind: Bindings): string {
  const text = `lower(${column})`;
  if (!/^[01]/.test(part)) return `strpos(${text}, ${bind.text(part)}) > 0`;
  const other = storedMarks.reduce(
    (sql, [stored, letters]) => `replace(${sql}, ${bind.plain(stored)}, ${bind.plain(letters)})`,
    text,
  );
  const wanted = storedMarks.reduce(
    (all, [stored, letters]) => all.replaceAll(stored, letters),
    toStored(part),
  );
  return `strpos(${other}, ${bind.plain(wanted)}) > 0`;
}

const storedMarks = ["\u0000", "\u0001"].map((one, at) => {
  const stored = toStored(one);
  return [stored, `${stored.charAt(0)}${"ab".charAt(at)}`] as const;
});

function numberSql(value: number, bind: Bindings): string {
  return `${bind.plain(String(value))}::double precision`;
}

function microsSql(micros: number, bind: Bindings): string {
  return `${bind.plain(String(micros))}::bigint`;
}

/** The rows after a place in an order; unknown values come last. */
export function afterOf(order: TurnOrder, place: TurnPosition, bind: Bindings): string {
  const by = orderValueSql(order.by);
  const key = bind.text(place.key);
  if (place.value === null) return `${by} IS NULL AND key < ${key}`;
  const value = placeSql(order, place.value, bind);
  const beyond = order.ascending === true ? ">" : "<";
  return `${by} IS NULL OR ${by} ${beyond} ${value} OR (${by} = ${value} AND key < ${key})`;
}

function placeSql({ by }: TurnOrder, value: number | string, bind: Bindings): string {
  if (typeof value === "string") return bind.text(value);
  return Object.hasOwn(timeFields, by) ? microsSql(value, bind) : numberSql(value, bind);
}

/** The order of a list. */
export function orderOf({ by, ascending }: TurnOrder): string {
  return `${orderValueSql(by)} ${ascending === true ? "ASC" : "DESC"} NULLS LAST, key DESC`;
}
