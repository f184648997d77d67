/**
 * @module PreviewSilence: when groups would have been silent on what is stored. Steps in which
 * nothing of a group was received show where its window was empty. Where no turn was received both
 * before and after a pause the steps have the result; elsewhere the rule is evaluated.
 */
import { isoTime } from "@turnproof/semconv";
import type { StoredTime, TurnCondition } from "@turnproof/store";

import { breaks } from "./breach.ts";
import { pastReceipts, receiptsAround, silentField } from "./past-receipts.ts";
import type { PreviewSteps, PreviewWindow } from "./preview-windows.ts";
import { longestTurnMs, ruleQuery } from "./rule-query.ts";
import type { MeasureParts } from "./rule-query.ts";
import type { AlertRule } from "../config/alert-rules.ts";
import { receivedWithin, namedBy, silentOf } from "./silent.ts";

/** A pause of a group, in whole steps: after its start nothing was received before its end. */
interface Pause {
  readonly group: string;
  readonly start: number;
  readonly end: number;
}

/** Silences of the past. */
interface PastSilence {
  readonly windows: readonly PreviewWindow[];
  /** Silences of which it is not recorded whether something was received. */
  readonly unclear: number;
  /** Older pauses that were not looked at. */
  readonly left: number;
}

/** Most pauses that are looked at, the newest ones. */
const pausesMax = 100;

/** The silences of a rule's groups. @param stepMs length of a step */
export async function pastSilence(
  parts: MeasureParts,
  rule: AlertRule,
  steps: PreviewSteps,
  stepMs: number,
): Promise<PastSilence> {
  const { perWindow, firstEnd, newest } = steps;
  const reach = Math.ceil(receivedWithin(rule, firstEnd * stepMs, null) / stepMs);
  const span = { from: firstEnd - reach, to: newest };
  const named = new Set(rule.min_count > 1 ? [] : namedBy(rule));
  const receipts = await receivedSteps(parts, rule, span, stepMs, named);
  const cells = new Map([...receipts].map(([group, own]) => [group, own.steps]));
  // Before its first turn only a group that the rule names is missed.
  const pauses = [...cells]
    .flatMap(([group, own]) => pausesOf(group, own, span))
    .filter(({ start, end }) => end - start >= perWindow && end >= firstEnd)
    .filter(({ group, start }) => start > span.from || named.has(group))
    .toSorted((a, b) => b.start - a.start);
  const windows: PreviewWindow[] = [];
  let unclear = 0;
  for (const pause of pauses.slice(0, pausesMax)) {
    const { group } = pause;
    const counted = countedAt(receipts.get(group), pause, {
      rule,
      steps,
      stepMs,
      oldest: span.from,
    });
    if (counted !== undefined) {
      const isKnown = counted.turns >= rule.min_count || named.has(group);
      if (isKnown) windows.push(windowOf(rule, group, counted.endMs, counted.turns));
      continue;
    }
    const found = await partsOf(parts, rule, pause, stepMs);
    if (found.unclear) unclear += 1;
    for (const { start, end } of found.unclear ? [] : found.pauses) {
      const first = Math.max(start + perWindow, firstEnd);
      if (first > end) continue;
      const endMs = first * stepMs;
      const readReceipts = pastReceipts(parts, rule, [group]);
      const looked = { open: [], lookedMs: endMs };
      const judged = await silentOf(readReceipts, rule, endMs, looked);
      const own = judged.find((one) => one.group === group);
      const broken = own === undefined ? false : breaks(rule, own.value, null);
      if (broken === null) unclear += 1;
      if (own === undefined || broken !== true) continue;
      windows.push(windowOf(rule, group, endMs, own.count));
    }
  }
  return { windows, unclear, left: Math.max(0, pauses.length - pausesMax) };
}

function windowOf(rule: AlertRule, group: string, endMs: number, count: number): PreviewWindow {
  return { group, from_ms: endMs - rule.window_ms, value: rule.window_ms, count };
}

/** Receipts of a group's turns. */
class GroupReceipts {
  /** Steps in which a turn was received first or last. */
  readonly steps = new Set<number>();
  /** Turns that were received before the first of the steps, and in it or after it. */
  before = 0;
  readonly #first = new Map<number, number>();
  readonly #last = new Map<number, number>();

  add(of: "first" | "last", step: number, turns: number): void {
    this.steps.add(step);
    const own = of === "first" ? this.#first : this.#last;
    own.set(step, (own.get(step) ?? 0) + turns);
  }

  /** Turns that were received first before a step. */
  began(step: number): number {
    return this.before + sumBefore(this.#first, step);
  }

  /** Turns that were received last before a step. */
  ended(step: number): number {
    return sumBefore(this.#last, step);
  }

  /** True for a step in a span at which each turn that had begun was received for the last time. */
  isIdleIn({ from, to }: { readonly from: number; readonly to: number }): boolean {
    let open = this.began(from) - this.ended(from);
    for (const step of [...this.steps].toSorted((a, b) => a - b)) {
      if (open === 0) return true;
      if (step < from || step >= to) continue;
      open += (this.#first.get(step) ?? 0) - (this.#last.get(step) ?? 0);
    }
    return open === 0;
  }
}

function sumBefore(turns: ReadonlyMap<number, number>, step: number): number {
  let sum = 0;
  for (const [at, count] of turns) if (at < step) sum += count;
  return sum;
}

/**
 * Turns of the day before a pause's first silent window, and its end; undefined where the steps do
 * not have it: a turn was received before and after the pause, or may have lasted for a day.
 */
function countedAt(
  receipts: GroupReceipts | undefined,
  { start, end }: Pause,
  of: {
    readonly rule: AlertRule;
    readonly steps: PreviewSteps;
    readonly stepMs: number;
    /** The first step that was read. */
    readonly oldest: number;
  },
): { readonly turns: number; readonly endMs: number } | undefined {
  const { rule, steps, stepMs } = of;
  const last = Math.max(start + steps.perWindow, steps.firstEnd);
  const endMs = last * stepMs;
  const from = last - receivedWithin(rule, endMs, endMs) / stepMs;
  const dayAgo = from - longestTurnMs / stepMs;
  if (receipts === undefined || last > end || !Number.isInteger(from)) return undefined;
  if (receipts.began(start) !== receipts.ended(start)) return undefined;
  if (!receipts.isIdleIn({ from: Math.max(dayAgo, of.oldest), to: from })) return undefined;
  return { turns: receipts.began(last) - receipts.ended(from), endMs };
}

/** Steps in which a turn of each group was received first or last; also of those it names. */
async function receivedSteps(
  { store: { ledger } }: MeasureParts,
  rule: AlertRule,
  { from, to }: { readonly from: number; readonly to: number },
  stepMs: number,
  named: ReadonlySet<string>,
): Promise<ReadonlyMap<string, GroupReceipts>> {
  const { scope, where } = await ruleQuery(ledger, rule);
  const by = silentField(rule);
  const first = isoTime(from * stepMs);
  const within = { from: first, to: isoTime(Math.round(to * stepMs)) };
  const read = (time: Extract<StoredTime, "first_received" | "received_at">) =>
    ledger.turnFigures(
      { scope, where: [...where, { time, ...within }] },
      { by, everyMs: stepMs, time },
    );
  const earlier: readonly TurnCondition[] = [
    { time: "first_received", to: first },
    { time: "received_at", from: first },
  ];
  const [began, ended, before] = await Promise.all([
    read("first_received"),
    read("received_at"),
    ledger.turnFigures({ scope, where: [...where, ...earlier] }, { by }),
  ]);
  const groups = new Map([...named].map((group) => [group, new GroupReceipts()]));
  const of = (value: string): GroupReceipts => {
    const own = groups.get(value) ?? new GroupReceipts();
    groups.set(value, own);
    return own;
  };
  for (const [time, figures] of [
    ["first", began],
    ["last", ended],
  ] as const) {
    for (const { value, from_ms = 0, turns } of figures) {
      if (value === null || value === undefined) continue;
      of(value).add(time, Math.round(from_ms / stepMs), turns);
    }
  }
  for (const { value, turns } of before) {
    const own = groups.get(value ?? "");
    if (own !== undefined) own.before = turns;
  }
  return groups;
}

/** The pauses between those steps, and those at both ends. */
function pausesOf(
  group: string,
  heard: ReadonlySet<number>,
  { from, to }: { readonly from: number; readonly to: number },
): readonly Pause[] {
  const ends = [...[...heard].toSorted((a, b) => a - b), to];
  return ends.map((end, index) => ({ group, start: (ends[index - 1] ?? from - 1) + 1, end }));
}

/** A pause without the receipts of turns that were received before and after it. */
async function partsOf(
  parts: MeasureParts,
  rule: AlertRule,
  { group, start, end }: Pause,
  stepMs: number,
): Promise<{ readonly pauses: readonly Pause[]; readonly unclear: boolean }> {
  const span = { fromMs: start * stepMs, toMs: Math.round(end * stepMs) };
  const { turns, unclear } = await receiptsAround(parts, rule, group, span);
  const heard = new Set(turns.flat().map((at) => Math.floor(at / stepMs)));
  return { pauses: pausesOf(group, heard, { from: start, to: end }), unclear };
}
