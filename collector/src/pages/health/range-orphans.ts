/**
 * @module RangeOrphans: spans of a range whose parent is not in the trace. The ledger counts
 * them in the whole trace, so that neither an end of the range nor a page of rows makes an orphan.
 */
import { isoTime } from "@turnproof/semconv";
import type { TurnCondition, TurnQuery } from "@turnproof/store";

import type { Parts } from "../../parts.ts";
import { usualOrder } from "../../turns/turn-position.ts";

/** Orphans of the turns of a range. */
export interface RangeOrphans {
  /** A lower bound where more turns have some than are read for the sum. */
  readonly spans: number;
  readonly turns: number;
  /** Turns for which it is known whether they have some. */
  readonly turns_known: number;
  /** Turns without a trace, or of a version that did not count orphans. */
  readonly turns_unknown: number;
  /** Turns that received something in the last minute: a parent may still arrive. */
  readonly turns_arriving: number;
  /** False where `spans` is a lower bound. */
  readonly complete: boolean;
}

/** Turns with orphans of which the spans are summed. */
const summedMax = 2_000;
/** A parent span ends, and is sent, after its children. */
const arrivingMs = 60_000;

/** Counts them. `query`: the turns of the range, in the scope of the reading. */
export async function rangeOrphans({ store, now }: Parts, query: TurnQuery): Promise<RangeOrphans> {
  const { ledger } = store;
  const from = isoTime(now() - arrivingMs);
  const arriving: TurnCondition = { time: "received_at", from };
  const only = (...where: readonly TurnCondition[]): TurnQuery => ({
    ...query,
    where: [...query.where, ...where],
  });
  const quiet: TurnCondition = { ...arriving, not: true };
  const orphaned = only(quiet, { list: "flag", has: "orphan" });
  const [all, turns_arriving, turns, linked, page] = await Promise.all([
    ledger.countTurns(only()),
    ledger.countTurns(only(arriving)),
    ledger.countTurns(orphaned),
    ledger.countTurns(only(quiet, { list: "flag", has: "parents" })),
    ledger.listTurns(orphaned, { order: usualOrder, limit: summedMax }),
  ]);
  const turns_known = turns + linked;
  return {
    spans: page.records.reduce((sum, { row }) => sum + (row.orphan_spans ?? 0), 0),
    turns,
    turns_known,
    // Turns arrive between two counts.
    turns_unknown: Math.max(0, all - turns_arriving - turns_known),
    turns_arriving,
    complete: page.next === null,
  };
}
