/**
 * @module Silent: groups from which no turn was received in a window. They are those that were
 * heard in the day before it, those that the rule's filter names, and those whose alert fires: an
 * alert of a group lasts until a turn of it is received, however long ago the last one was.
 */
import type { TurnCondition } from "@turnproof/store";

import { selectsOf } from "./rule-change.ts";
import type { ActiveAlert } from "./alert-state.ts";
import type { MeasuredGroup } from "./rule-change.ts";
import type { AlertRule } from "../config/alert-rules.ts";
import { readTerms, valuesOf } from "../ui/display/filter-terms.ts";
import { groupCondition, groupFields, windowQuery } from "./rule-query.ts";
import type { MeasureParts } from "./rule-query.ts";

/** How far back before the window a group must have been heard. */
const heardMs = 86_400_000;
/** Most groups that were heard, those with the most turns, and most that fire without. */
const groupsMax = 1_000;

/** What earlier looks found. */
export interface LookedBefore {
  /** Alerts of the rule that fire. */
  readonly open: readonly Pick<ActiveAlert, "group" | "since" | "selects" | "resolved">[];
  /** When the rules were last looked at, epoch milliseconds; null before the first time. */
  readonly lookedMs: number | null;
}

/** From where to the end of the window a group counts as heard, in milliseconds. */
export function receivedWithin(
  { window_ms }: Pick<AlertRule, "window_ms">,
  endMs: number,
  lookedMs: number | null,
): number {
  // In a time without a process no group became silent: the day before it counts.
  return endMs - Math.min(endMs - window_ms, lookedMs ?? endMs) + heardMs;
}

/** Turns of each group of which something was received. */
export interface ReceivedTurns {
  readonly turns: ReadonlyMap<string, number>;
  /** Groups that may have more, because it is not recorded. */
  readonly unclear: ReadonlySet<string>;
}

/** Reads them for the time before `endMs`; only of these names, if any. */
export type ReadReceipts = (
  endMs: number,
  sizeMs: number,
  names?: readonly string[],
) => Promise<ReceivedTurns>;

/** The groups of a rule: its window where none of them was received in it, 0 otherwise. */
export async function silentOf(
  readReceipts: ReadReceipts,
  rule: AlertRule,
  endMs: number,
  { open, lookedMs }: LookedBefore,
): Promise<readonly MeasuredGroup[]> {
  const [heard, now] = await Promise.all([
    readReceipts(endMs, receivedWithin(rule, endMs, lookedMs)),
    readReceipts(endMs, rule.window_ms),
  ]);
  const known = [...heard.turns].filter(([, turns]) => turns >= rule.min_count);
  const groups = new Set(known.map(([name]) => name));
  // Without a turn there is nothing to count up to `min_count`.
  for (const name of rule.min_count > 1 ? [] : namedBy(rule)) groups.add(name);
  for (const name of lasting(rule, open)) groups.add(name);
  const perhaps = [...heard.unclear].filter((name) => !groups.has(name));
  const silent = [...groups].filter((name) => !now.turns.has(name));
  // One of them may have been heard by a turn of days, or beyond the most groups.
  const late = silent.length > 0 ? await readReceipts(endMs, rule.window_ms, silent) : now;
  const isHeard = (name: string): boolean => now.turns.has(name) || late.turns.has(name);
  const isUnclear = (name: string): boolean =>
    !groups.has(name) || now.unclear.has(name) || late.unclear.has(name);
  return [...groups, ...perhaps].map((group) => ({
    group,
    value: isHeard(group) ? 0 : isUnclear(group) ? null : rule.window_ms,
    count: heard.turns.get(group) ?? 0,
  }));
}

/** Reads them from the ledger, up to now: a turn counts by its last receipt. */
export function storedReceipts(parts: MeasureParts, rule: AlertRule): ReadReceipts {
  return async (endMs, sizeMs, names) => {
    const turns = await turnsOf(parts, rule, endMs, sizeMs, names);
    return { turns, unclear: new Set() };
  };
}

/** Names of groups whose alert lasts while no turn of them is found, the newest first. */
function lasting(rule: AlertRule, open: LookedBefore["open"]): readonly string[] {
  return open
    .filter(({ selects = selectsOf(rule), resolved }) => selects === selectsOf(rule) && !resolved)
    .toSorted((a, b) => Date.parse(b.since) - Date.parse(a.since))
    .slice(0, groupsMax)
    .flatMap(({ group }) => group ?? []);
}

/** Groups that the filter names: they are missed although none was ever heard. */
export function namedBy({ by, where = "" }: AlertRule): readonly string[] {
  return readTerms(where).terms.flatMap((term) =>
    term.key === by && !term.negated ? valuesOf(term) : [],
  );
}

/**
 * Turns of each group that was received in the time before `endMs`. @param names only of these, and
 * turns of any length
 */
async function turnsOf(
  { store: { ledger } }: MeasureParts,
  rule: AlertRule,
  endMs: number,
  sizeMs: number,
  names?: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const lengths = names === undefined ? "usual" : "any";
  const { scope, where } = await windowQuery(ledger, rule, endMs, sizeMs, lengths);
  const own: readonly TurnCondition[] =
    names === undefined ? [] : [{ any: names.flatMap((name) => groupCondition(rule, name)) }];
  const field = groupFields[rule.by === "agent" ? "agent" : "app"];
  const [facet] = await ledger.turnFacets({ scope, where: [...where, ...own] }, [field], groupsMax);
  return new Map(
    (facet?.values ?? []).flatMap(({ value, turns }) => (value === null ? [] : [[value, turns]])),
  );
}
