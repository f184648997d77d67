/**
 * @module PreviewSilence: when groups would have been silent on what is stored. Steps in which
 * nothing of a group was received show where its window was empty; there the rule is evaluated.
 */
import { isoTime } from "@turnproof/semconv";
import type { StoredTime } from "@turnproof/store";

import { breaks } from "./breach.ts";
import { pastReceipts, receiptsAround, silentField } from "./past-receipts.ts";
import type { PreviewSteps, PreviewWindow } from "./preview-windows.ts";
import { ruleQuestion } from "./rule-question.ts";
import type { MeasureParts } from "./rule-question.ts";
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
  const cells = await receivedSteps(parts, rule, span, stepMs, named);
  // Before its first turn only a group that the rule names is missed.
  const pauses = [...cells]
    .flatMap(([group, heard]) => pausesOf(group, heard, span))
    .filter(({ start, end }) => end - start >= perWindow && end >= firstEnd)
    .filter(({ group, start }) => start > span.from || named.has(group))
    .toSorted((a, b) => b.start - a.start);
  const windows: PreviewWindow[] = [];
  let unclear = 0;
  for (const pause of pauses.slice(0, pausesMax)) {
    const { group } = pause;
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
      const { count } = own;
      windows.push({ group, from_ms: endMs - rule.window_ms, value: rule.window_ms, count });
    }
  }
  return { windows, unclear, left: Math.max(0, pauses.length - pausesMax) };
}

/** Steps in which a turn of each group was received first or last; also of those it names. */
async function receivedSteps(
  { store: { ledger } }: MeasureParts,
  rule: AlertRule,
  { from, to }: { readonly from: number; readonly to: number },
  stepMs: number,
  named: ReadonlySet<string>,
): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
  const { scope, where } = await ruleQuestion(ledger, rule);
  const within = { from: isoTime(from * stepMs), to: isoTime(Math.round(to * stepMs)) };
  const read = (time: Extract<StoredTime, "first_received" | "received_at">) =>
    ledger.turnFigures(
      { scope, where: [...where, { time, ...within }] },
      { by: silentField(rule), everyMs: stepMs, time },
    );
  const cells = new Map<string, Set<number>>([...named].map((group) => [group, new Set()]));
  for (const figures of await Promise.all([read("first_received"), read("received_at")])) {
    for (const { value, from_ms = 0 } of figures) {
      if (value === null || value === undefined) continue;
      const own = cells.get(value) ?? new Set<number>();
      cells.set(value, own.add(Math.round(from_ms / stepMs)));
    }
  }
  return cells;
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
