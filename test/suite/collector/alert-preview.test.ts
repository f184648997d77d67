/**
 * A preview has the windows at which its rule fired when it was evaluated as the evidence came, for
 * each measure whose past is stored; of another it names what is not recorded.
 */
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { TurnEvent } from "@turnproof/evidence";
import { recordStored } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";
import { expect, test } from "vitest";

import { breaks, valueText } from "../../../collector/src/alerts/breach.ts";
import { measureRule } from "../../../collector/src/alerts/measure.ts";
import { previewRule } from "../../../collector/src/alerts/preview.ts";
import type { PreviewParts, RulePreview } from "../../../collector/src/alerts/preview.ts";
import { parseAlertRules } from "../../../collector/src/config/alert-rules.ts";
import type { AlertRule } from "../../../collector/src/config/alert-rules.ts";
import { appendMinute } from "../../../collector/src/receive/history/history-file.ts";
import type { IngestMinute } from "../../../collector/src/receive/history/minute.ts";
import type { AlertsModel } from "../../../collector/src/pages/alerts/route.ts";
import { measureParts } from "./alert-desk.ts";
import { openDesk, turnEvents } from "./desk.ts";

const start = Date.parse("2026-11-21T12:00:00Z");
const minute = 60_000;
const backends = ["ephemeral", "filesystem", "clickhouse"] as const;
const long = { timeout: 240_000 };

function ruleOf(of: string): AlertRule {
  const [rule] = parseAlertRules(`version: 1\nrules:\n  - {name: one, window: 10m, ${of}}`);
  if (rule === undefined) throw new Error("no rule");
  return rule;
}

/** Evidence that is received half a minute after this minute. */
interface Arrival {
  readonly at: number;
  readonly root: string;
  readonly events: (atMs: number) => readonly TurnEvent[];
}

/** When a rule fired, by minute and group, with its value in words. */
type Fired = readonly (readonly [number, string | null, string])[];

let batches = 0;
async function receive(store: EvidenceStore, { at, root, events }: Arrival): Promise<void> {
  const atMs = start + at * minute + minute / 2;
  const receivedAt = new Date(atMs).toISOString().replace("Z", "000Z");
  await store.append({ batchId: `past-${(batches += 1)}`, receivedAt, events: events(atMs) });
  await recordStored(store, allTenants, [root]);
}

/**
 * Evaluates a rule each minute, as the evidence arrives; an alert lasts until it is broken no more.
 */
async function fired(
  parts: PreviewParts,
  clock: { ms: number },
  rule: AlertRule,
  { arrivals, minutes }: { readonly arrivals: readonly Arrival[]; readonly minutes: number },
): Promise<Fired> {
  const open = new Set<string | null>();
  const found: [number, string | null, string][] = [];
  const left = arrivals.toSorted((a, b) => a.at - b.at);
  for (let at = 1; at <= minutes; at += 1) {
    while (left[0] !== undefined && left[0].at < at) {
      await receive(parts.store, left.shift() as Arrival);
    }
    clock.ms = start + at * minute;
    const lasting = [...open].map((group) => ({ group, since: "", resolved: false }));
    const before = { open: lasting, lookedMs: clock.ms };
    for (const { group, value, cost } of await measureRule(parts, rule, clock.ms, before)) {
      const broken = breaks(rule, value, null);
      if (broken === true && !open.has(group)) {
        found.push([at, group, valueText(rule, value, cost)]);
      }
      if (broken === true) open.add(group);
      else open.delete(group);
    }
  }
  return found;
}

async function previewed(
  parts: PreviewParts,
  rule: AlertRule,
  minutes: number,
): Promise<{ readonly past: RulePreview; readonly fired: Fired }> {
  const nowMs = start + minutes * minute;
  const past = await previewRule(parts, rule, { nowMs, days: minutes / 1_440 });
  if (!("windows" in past)) throw new Error(past.not_recorded);
  const rows = past.windows.map(({ from_ms, group, value, cost }) => {
    const end = (from_ms + rule.window_ms - start) / minute;
    return [end, group, valueText(rule, value, cost)] as const;
  });
  const order = (row: Fired[number]): string => `${String(row[0]).padStart(5, "0")} ${row[1]}`;
  return { past, fired: rows.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)) };
}

async function opened(
  backend: string,
  run: (parts: PreviewParts, clock: { ms: number }) => Promise<void>,
): Promise<void> {
  const desk = await openDesk({ TURNPROOF_BACKEND: backend }, { judge: false });
  const clock = { ms: start };
  try {
    await run(await measureParts(desk.store, clock), clock);
  } finally {
    await desk.collector.close();
  }
}

/** A turn of an agent; `part` is evidence of the same turn that comes later. */
function turn(at: number, agent: string, root = `${agent} ${at}`, part = ""): Arrival {
  const events = (atMs: number): readonly TurnEvent[] => {
    const own = turnEvents({ root, agent, at: new Date(atMs).toISOString() });
    return part === "" ? own : own.slice(-1).map((one) => ({ ...one, event_id: root + part }));
  };
  return { at, root, events };
}

test.each(backends)("silences by the receipts of turns (%s)", long, async (backend) => {
  await opened(backend, async (parts, clock) => {
    const rule = ruleOf("measure: silence, by: agent");
    const arrivals = [
      ...[0, 3, 6, 9, 40, 43].map((at) => turn(at, "pausing")),
      ...Array.from({ length: 12 }, (_, at) => turn(at * 5, "steady")),
      turn(2, "gone"),
      // Nothing but late evidence of its first turn, with one pause before the last.
      turn(1, "late", "late"),
      turn(8, "late", "late", " b"),
      turn(16, "late", "late", " c"),
      turn(24, "late", "late", " d"),
      turn(50, "late", "late", " e"),
    ];
    const live = await fired(parts, clock, rule, { arrivals, minutes: 59 });
    expect(live).toEqual([
      [13, "gone", "10 min"],
      [20, "pausing", "10 min"],
      [35, "late", "10 min"],
      [54, "pausing", "10 min"],
    ]);
    const past = await previewed(parts, rule, 59);
    expect(past.fired).toEqual(live);
    expect(past.past).toMatchObject({ by: "receipt", unclear: 0, left: 0, alerts: 4 });
    expect(past.past.step_ms).toBe(minute);
    // Two turns in the day before: one agent has fewer.
    const two = ruleOf("measure: silence, by: agent, min_count: 2");
    expect((await previewed(parts, two, 59)).fired.map(([, group]) => group)).toEqual([
      "pausing",
      "pausing",
    ]);
    // A group that the rule names is missed before its first turn.
    const named = ruleOf('measure: silence, by: agent, where: "agent:unheard"');
    expect((await previewed(parts, named, 59)).fired).toEqual([[0, "unheard", "10 min"]]);
  });
});

test("a pause in which replaced evidence may have been received is not established", async () => {
  await opened("ephemeral", async (parts) => {
    const rule = ruleOf("measure: silence, by: agent");
    for (const at of [1, 10, 30]) await receive(parts.store, turn(at, "late", "late", " same"));
    await receive(parts.store, turn(30, "late", "late", " last"));
    const { past } = await previewed(parts, rule, 35);
    expect(past).toMatchObject({ alerts: 0, unclear: 1 });
  });
});

/** A turn of one model call with this many thousand tokens of input. */
function call(at: number, agent: string, thousands: number, model = "gpt-4o"): Arrival {
  const { root, events } = turn(at, agent, `${agent} ${model} ${at}`);
  const attributes = {
    model,
    provider: "openai",
    input_tokens: thousands * 1_000,
    output_tokens: 0,
  };
  const priced = (atMs: number): readonly TurnEvent[] =>
    events(atMs).map((event) =>
      event.event_kind === "model_call" ? { ...event, attributes } : event,
    );
  return { at, root, events: priced };
}

test.each(backends)("costs by the dated prices of tokens (%s)", long, async (backend) => {
  await opened(backend, async (parts, clock) => {
    const arrivals = [
      call(1, "shop", 400),
      call(4, "shop", 400),
      call(8, "shop", 600),
      call(9, "desk", 100),
      call(12, "shop", 50, "house-model-1"),
      call(30, "desk", 2_000),
      call(41, "desk", 20),
      call(43, "shop", 1_000),
    ];
    const above = ruleOf("measure: cost_usd, above: 2, by: agent");
    const live = await fired(parts, clock, above, { arrivals, minutes: 59 });
    expect(live).toEqual([
      [9, "shop", "$1.75 to $3.50"],
      [31, "desk", "$2.50 to $5.00"],
      [44, "shop", "$1.25 to $2.50"],
    ]);
    expect((await previewed(parts, above, 59)).fired).toEqual(live);
    for (const of of ["above: 2", "below: 1", "above: 2, by: model", "above: 2, min_count: 3"]) {
      const rule = ruleOf(`measure: cost_usd, ${of}`);
      const all = await fired(parts, clock, rule, { arrivals: [], minutes: 59 });
      expect([of, (await previewed(parts, rule, 59)).fired]).toEqual([of, all]);
    }
  });
});

/** A report of a producer's losses. */
function report(at: number, producer: string, dropped: number, ownAt = at): Arrival {
  const root = `report ${producer} ${at}`;
  const event: TurnEvent = {
    schema_version: 3,
    event_id: root,
    event_kind: "data_quality",
    phase: "event",
    status: "success",
    timestamp: new Date(start + ownAt * minute).toISOString(),
    application_id: "till",
    root_trace_id: root,
    producer_id: producer,
    attributes: { loss_created: 100, loss_exported: 100 - dropped, loss_dropped: dropped },
  };
  return { at, root, events: () => [event] };
}

test.each(backends)("losses by the receipts of their reports (%s)", long, async (backend) => {
  await opened(backend, async (parts, clock) => {
    const rule = ruleOf("measure: lost_events, above: 3");
    const arrivals = [
      report(1, "pod-1", 2),
      report(4, "pod-2", 2),
      report(20, "pod-1", 2),
      report(22, "pod-1", 5),
      // Of an earlier time: its loss is known already.
      report(30, "pod-1", 4, 21),
      report(40, "pod-2", 12),
    ];
    const live = await fired(parts, clock, rule, { arrivals, minutes: 59 });
    expect(live).toEqual([
      [5, null, "4"],
      [41, null, "10"],
    ]);
    // A process that reads all of them at once has the same answer, and so has the preview.
    const later = { ...parts };
    const past = await previewed(later, rule, 59);
    expect(past.fired).toEqual(live);
    expect(past.past).toMatchObject({ by: "receipt", established: 60 });
  });
});

const newest = "the newest window ends now, and the first ones begin before the range (%s)";
test.each(backends)(newest, long, async (backend) => {
  await opened(backend, async (parts) => {
    await receive(parts.store, call(-3 * 1_440, "shop", 400));
    await receive(parts.store, call(-20, "desk", 400));
    const nowMs = start + 123_456;
    for (const of of ["error_share, below: 0.5", "cost_usd, above: 0.1"]) {
      const week = { ...ruleOf(`measure: ${of}, by: agent`), window_ms: 7 * 86_400_000 };
      const past = await previewRule(parts, week, { nowMs, days: 1 });
      if (!("windows" in past)) throw new Error(past.not_recorded);
      expect([past.from_ms, past.to_ms]).toEqual([nowMs - 86_400_000, nowMs]);
      const fired = past.windows.map(({ group, from_ms }) => [group, from_ms]);
      // Nothing but the window of now has the turn of twenty minutes ago.
      expect(fired).toContainEqual(["desk", nowMs - week.window_ms]);
      expect(new Set(past.windows.map(({ group }) => group))).toEqual(new Set(["desk", "shop"]));
      expect(past.alerts).toBe(2);
    }
  });
});

test("the judge's lag by the recorded minutes, and what is not recorded", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "turnproof-lag-"));
  const lags = [0, 0, 40_000, 50_000, null, 45_000, 0, 31_000];
  const minuteOf = (lag: number | null, at: number): IngestMinute => ({
    from_ms: start + at * minute,
    to_ms: start + (at + 1) * minute,
    counts: {},
    peaks: { pending_items: 0, oldest_pending_ms: 0, journal_bytes: 0, judge_behind_ms: lag },
  });
  const minutes = lags.map(minuteOf);
  // The collector ran for half of the seventh minute, and the eighth is not on the disk yet.
  for (const one of minutes.slice(0, -1)) {
    if (one.from_ms !== start + 6 * minute) await appendMinute(folder.path, one);
    else await appendMinute(folder.path, { ...one, from_ms: one.from_ms + 30_000 });
  }
  const history = { folder: folder.path, recent: () => minutes.slice(-1) };
  await opened("ephemeral", async (parts) => {
    const lag = ruleOf("measure: judge_lag_ms, above: 30000");
    const past = await previewRule({ ...parts, history }, lag, {
      nowMs: start + 8 * minute,
      days: 10 / 1_440,
    });
    expect(past).toMatchObject({
      by: "minute",
      step_ms: minute,
      established: 7,
      broken: 4,
      alerts: 2,
      // Two minutes before the first one, and one in which nothing was known.
      unclear: 3,
      windows: [
        { from_ms: start + 7 * minute, value: 31_000 },
        { from_ms: start + 2 * minute, value: 40_000 },
      ],
    });
    const some = ruleOf("measure: judge_lag_ms, above: 30000, where: 'release:3.2'");
    expect(await previewRule({ ...parts, history }, some, { nowMs: start, days: 1 })).toMatchObject(
      { not_recorded: expect.stringContaining("under a filter") as string },
    );
  });
});

test("the page shows each measure that is not of turns, and what of it is not recorded", async () => {
  const desk = await openDesk({}, { judge: false });
  const rule = (measure: string, more = ""): string =>
    encodeURIComponent(`name: typed\nmeasure: ${measure}\nwindow: 10m\n${more}`);
  const preview = async (draft: string): Promise<AlertsModel["preview"]> =>
    (await desk.json<AlertsModel>(`/alerts.json?draft=${draft}`)).preview;
  try {
    const late = rule("judge_lag_ms", "above: 1000");
    expect(await preview(late)).toMatchObject({
      past: null,
      not_recorded: expect.stringContaining("not recorded in this range") as string,
    });
    for (const [draft, words] of [
      [rule("cost_usd", "above: 1"), "by the turns&#39; own time"],
      [rule("silence", "by: agent"), "by the receipts of the turns"],
      [rule("lost_events", "above: 0"), "when a report was stored is not recorded"],
    ] as const) {
      expect(await preview(draft)).toMatchObject({ not_recorded: null, past: { alerts: 0 } });
      expect(await (await desk.get(`/alerts?draft=${draft}`)).text()).toContain(words);
    }
  } finally {
    await desk.collector.close();
  }
});
