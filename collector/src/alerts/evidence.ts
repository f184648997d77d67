/**
 * @module Evidence: the turns behind an alert, and its onset: the receipt of the first of them in
 * the window. The onset names the episode, so that collectors with the same evidence give one id.
 */
import { isoTime } from "@turnproof/semconv";

import type { AlertRule } from "../config/alert-rules.ts";
import { badCondition } from "./measure.ts";
import { groupCondition, windowQuery } from "./rule-query.ts";
import type { MeasureParts } from "./rule-query.ts";
import { receivedWithin } from "./silent.ts";

/** Onset, ISO 8601, and some roots, newest first. */
export interface AlertEvidence {
  readonly onset: string;
  readonly roots: readonly string[];
  /** False where no turn of the window was received since then. */
  readonly isNew: boolean;
}

const rootsMax = 3;
/** How far back the oldest turn without a verdict is searched for. */
const unjudgedMs = 86_400_000;

/** The evidence of one group; only turns received after `afterMs` name a new episode. */
export async function evidenceOf(
  parts: MeasureParts,
  rule: AlertRule,
  of: {
    readonly group: string | null;
    readonly endMs: number;
    readonly afterMs: number;
    /** The look before, epoch milliseconds; null before the first one. */
    readonly lookedMs: number | null;
  },
): Promise<AlertEvidence> {
  const { group, endMs, afterMs, lookedMs } = of;
  const silent = rule.measure === "silence";
  const size = rule.window_ms + (rule.measure === "judge_lag_ms" ? unjudgedMs : 0);
  const reach = silent ? receivedWithin(rule, endMs, lookedMs) : size;
  const { ledger } = parts.store;
  const { scope, where } = await windowQuery(ledger, rule, endMs, reach);
  const query = {
    scope,
    where: [...where, ...groupCondition(rule, group), ...badCondition(rule)],
  };
  const { records } = await ledger.listTurns(query, {
    order: { by: "received_at" },
    limit: rootsMax,
  });
  const roots = [...new Set(records.flatMap(({ row }) => row.root_trace_id ?? []))];
  const slot = isoTime(Math.floor(endMs / rule.window_ms) * rule.window_ms);
  // Its last turn names the silence of a group.
  if (silent) return { onset: records[0]?.row.received_at ?? slot, roots, isNew: true };
  if (badCondition(rule).length === 0) return { onset: slot, roots, isNew: false };
  const after = { time: "received_at" as const, from: isoTime(afterMs) };
  const first = await ledger.listTurns(
    { scope, where: [...query.where, after] },
    { order: { by: "received_at", ascending: true }, limit: 1 },
  );
  const onset = first.records[0]?.row.received_at;
  return { onset: onset ?? slot, roots, isNew: onset !== undefined };
}
