/** @module TurnSql: conditions of a query as SQL of SQLite over the table `turns`. */
import { foldedAscii } from "../ledger/ascii-case.ts";
import { requestedConditions } from "../ledger/requested-conditions.ts";
import { prefixRange } from "../ledger/text-prefix.ts";
import { microsOf } from "../ledger/turn-fields.ts";
import type { TurnCondition, TurnOrder, TurnPosition, TurnQuery } from "../ledger/turn-query.ts";
import { heldJoin, heldUsageSql, tierSql } from "./held-usage.ts";
import type { SqlValue } from "./sqlite-database.ts";
import { orderValueSql } from "./turn-order-values.ts";
import { timeOrNumberSql, emptyListSql, valuesSql } from "./turn-schema.ts";

/** A part of a statement and its parameters, in order. */
export interface SqlPart {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** The condition for a turn. Field names come from the types, never from a caller. */
export function whereSql(query: TurnQuery): SqlPart {
  return joined(requestedConditions(query).map(conditionSql), " AND ");
}

function joined(parts: readonly SqlPart[], by: string): SqlPart {
  if (parts.length === 0) return { sql: by === " OR " ? "0" : "1", values: [] };
  return {
    sql: parts.map(({ sql }) => `(${sql})`).join(by),
    values: parts.flatMap(({ values }) => values),
  };
}

/** One condition; NULL where a comparison is of an unknown value. */
export function conditionSql(condition: TurnCondition): SqlPart {
  const part = plainSql(condition);
  // A comparison with an unknown value is false, so its negation matches.
  return condition.not === true ? { ...part, sql: `NOT coalesce(${part.sql}, 0)` } : part;
}

function plainSql(condition: TurnCondition): SqlPart {
  if ("text" in condition) return { sql: `${condition.text} IS ?`, values: [condition.is] };
  if ("part" in condition) {
    const { part, of } = condition;
    if (part !== "name") return { sql: `instr(lower(${part}), ?) > 0`, values: [foldedAscii(of)] };
    const sql = `id IN (SELECT turn FROM ${valuesSql([part])}
      WHERE field = ? AND instr(lower(value), ?) > 0)`;
    return { sql, values: [part, foldedAscii(of)] };
  }
  if ("prefix" in condition) {
    const { from, to } = prefixRange(condition.of);
    return { sql: `${condition.prefix} >= ? AND ${condition.prefix} < ?`, values: [from, to] };
  }
  if ("list" in condition) {
    if (condition.has === null) return { sql: emptyListSql(condition.list), values: [] };
    const held = valuesSql([condition.list]);
    const sql = `id IN (SELECT turn FROM ${held} WHERE field = ? AND value = ?)`;
    return { sql, values: [condition.list, condition.has] };
  }
  if ("call" in condition) {
    const { kind, ...values } = condition.call;
    const requested = Object.entries(values).filter(([, value]) => value !== undefined);
    const own = requested.map(([field]) => ` AND ${callColumn(field)} IS ?`).join("");
    const held = requested.some(([field]) => field === "service_tier" || field === "known");
    const from = held ? `turn_calls calls ${heldJoin}` : "turn_calls calls";
    const sql = `turns.id IN (SELECT calls.turn FROM ${from} WHERE calls.kind = ?${own})`;
    return { sql, values: [kind, ...requested.map(([, value]) => value)] };
  }
  if ("any" in condition) return joined(condition.any.map(conditionSql), " OR ");
  if ("number" in condition) {
    return { sql: `${condition.number} ${condition.sign} ?`, values: [condition.value] };
  }
  const { from, to } = condition;
  const time = timeOrNumberSql(condition.time);
  const ends = [
    { sql: `${time} IS NOT NULL`, values: [] },
    ...(from === undefined ? [] : [{ sql: `${time} >= ?`, values: [microsOf(from)] }]),
    ...(to === undefined ? [] : [{ sql: `${time} < ?`, values: [microsOf(to)] }]),
  ];
  return joined(ends, " AND ");
}

/** The SQL of a call's value. */
function callColumn(field: string): string {
  if (field === "service_tier") return tierSql;
  return field === "known" ? `nullif(${heldUsageSql([]).known}, '')` : `calls.${field}`;
}

/** The rows after a place in an order; unknown values come last. */
export function afterSql(order: TurnOrder, { value, key }: TurnPosition): SqlPart {
  const by = orderValueSql(order.by);
  if (value === null) return { sql: `${by} IS NULL AND key < ?`, values: [key] };
  const beyond = order.ascending === true ? ">" : "<";
  const sql = `${by} IS NULL OR ${by} ${beyond} ? OR (${by} = ? AND key < ?)`;
  return { sql, values: [value, value, key] };
}

/** The order of a list. */
export function orderSql({ by, ascending }: TurnOrder): string {
  return `${orderValueSql(by)} ${ascending === true ? "ASC" : "DESC"} NULLS LAST, key DESC`;
}
