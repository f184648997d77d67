/**
 * @module PastReceipts: the receipts that a rule of silence had found at a past time. The ledger
 * has the first and the last receipt of a turn, and at that time the last one may have been
 * another: for a turn that was received before and after a time, the time is that of its stored
 * events.
 */
import { turnKey } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { isoTime } from "@turnproof/semconv";
import type { TurnCondition, TurnRecord } from "@turnproof/store";

import { collectorScope } from "../access/grants.ts";
import { groupCondition, groupFields, longestTurnMs, ruleQuery } from "./rule-query.ts";
import type { MeasureParts } from "./rule-query.ts";
import type { AlertRule } from "../config/alert-rules.ts";
import type { ReadReceipts } from "./silent.ts";

/** A time, epoch milliseconds; its end is not in it. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Receipts of some turns in a time. */
export interface SpanReceipts {
  /** Epoch milliseconds, by turn. */
  readonly turns: readonly (readonly number[])[];
  /**
   * True where stored events do not have all of them: there are too many, or some were replaced.
   */
  readonly unclear: boolean;
}

/** Most turns of a group, and events of these, that are read for one time. */
const turnsMax = 20;
const eventsMax = 20_000;

/** Field of the ledger of a rule's groups. */
export function silentField({ by }: AlertRule): "agent_id" | "application" {
  return groupFields[by === "agent" ? "agent" : "app"];
}

/** Turns of any of these groups. */
function ofGroups(rule: AlertRule, groups: readonly string[]): TurnCondition {
  return { any: groups.flatMap((group) => groupCondition(rule, group)) };
}

/** Conditions of a turn that was received before and after a time, and perhaps in it. */
function around({ fromMs, toMs }: Span): readonly TurnCondition[] {
  return [
    { time: "first_received", to: isoTime(fromMs) },
    { time: "received_at", from: isoTime(toMs) },
  ];
}

/** When those turns of a group were received in that time. */
export async function receiptsAround(
  parts: MeasureParts,
  rule: AlertRule,
  group: string,
  span: Span,
  more: readonly TurnCondition[] = [],
): Promise<SpanReceipts> {
  const { ledger } = parts.store;
  const { scope, where } = await ruleQuery(ledger, rule);
  const own = [...where, ...groupCondition(rule, group), ...around(span), ...more];
  const order = { by: "first_received" } as const;
  const page = await ledger.listTurns({ scope, where: own }, { order, limit: turnsMax });
  const { records, next } = page;
  if (records.length === 0) return { turns: [], unclear: false };
  const ids = [...new Set(records.flatMap(({ row }) => row.root_trace_id ?? []))];
  const roots = await parts.store.roots(collectorScope(), ids, {
    limit: eventsMax,
    budgetRows: eventsMax,
  });
  const read = [...roots.values()];
  const isWhole = read.every(
    ({ bounded, errors, duplicatesRemoved }) =>
      !bounded && errors.length === 0 && duplicatesRemoved === 0,
  );
  const events = read.flatMap((slice) => slice.events);
  return {
    turns: records.map((record) => receiptsOf(record, events, span)),
    unclear: next !== null || roots.size < ids.length || !isWhole,
  };
}

function receiptsOf(
  { row }: TurnRecord,
  events: readonly TurnEvent[],
  { fromMs, toMs }: Span,
): readonly number[] {
  const key = turnKey(row);
  return events.flatMap((event) => {
    const at = Date.parse(event.received_at ?? "");
    return at >= fromMs && at < toMs && turnKey(event) === key ? [at] : [];
  });
}

/** Hears these groups at a past time, as the rule did then. */
export function pastReceipts(
  parts: MeasureParts,
  rule: AlertRule,
  groups: readonly string[],
): ReadReceipts {
  const { ledger } = parts.store;
  const field = silentField(rule);
  return async (endMs, sizeMs, only) => {
    const names = only ?? groups;
    const span = { fromMs: endMs - sizeMs, toMs: endMs };
    const { scope, where } = await ruleQuery(ledger, rule);
    const count = async (more: readonly TurnCondition[]): Promise<Map<string, number>> => {
      const own = { scope, where: [...where, ofGroups(rule, names), ...more] };
      const [facet] = await ledger.turnFacets(own, [field], names.length);
      const values = (facet?.values ?? []).filter(({ value }) => names.includes(value ?? ""));
      return new Map(values.map(({ value, turns }) => [value ?? "", turns]));
    };
    const since = { time: "first_received", from: isoTime(span.fromMs - longestTurnMs) } as const;
    const known = only === undefined ? [since] : [];
    const began = { time: "first_received", to: isoTime(endMs) } as const;
    const lasted = { time: "received_at", from: isoTime(span.fromMs) } as const;
    const [touching, spanning] = await Promise.all([
      count([...known, began, lasted]),
      count([...known, ...around(span)]),
    ]);
    const turns = new Map(touching);
    const unclear = new Set<string>();
    for (const [group, between] of spanning) {
      const found = await receiptsAround(parts, rule, group, span, known);
      const heard = found.turns.filter((times) => times.length > 0).length;
      const sure = (touching.get(group) ?? 0) - between + heard;
      if (sure > 0) turns.set(group, sure);
      else turns.delete(group);
      if (found.unclear) unclear.add(group);
    }
    return { turns, unclear };
  };
}
