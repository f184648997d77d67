/**
 * The alert of a silent group lasts until the group sends again, its rule is gone or it is
 * resolved.
 */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ephemeral } from "@turnproof/store";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { measureRule } from "../../../collector/src/alerts/measure.ts";
import { previewRule } from "../../../collector/src/alerts/preview.ts";
import { parseAlertRules } from "../../../collector/src/config/alert-rules.ts";
import type { Alerts } from "../../../collector/src/parts.ts";
import { measureParts, openAlerts, putTurns } from "./alert-desk.ts";
import type { Clock } from "./alert-desk.ts";
import { openReceiver } from "./alert-receiver.ts";
import type { Receiver } from "./alert-receiver.ts";
import { openDesk, turnEvents } from "./desk.ts";

const start = Date.parse("2026-11-21T12:00:00Z");
const hour = 3_600_000;
const day = 24 * hour;
const silent = (more = "", window = "10m"): string =>
  `  - {name: silent, measure: silence, by: agent, window: ${window}${more}}`;
/** A look after a long time is at few of its windows. */
const wide = silent("", "6h");

let clock: Clock;
let receiver: Receiver;
let file: string;
let closes: (() => Promise<unknown>)[];
beforeEach(async () => {
  clock = { ms: start };
  receiver = await openReceiver();
  file = join(mkdtempSync(join(tmpdir(), "turnproof-silence-")), "alerts.json");
  closes = [];
});
afterEach(async () => {
  for (const close of closes.toReversed()) await close();
  await receiver.close();
});

async function open(store: Parameters<typeof openAlerts>[0], rules: string): Promise<Alerts> {
  const targets = [{ name: "ops", kind: "webhook" as const, url: receiver.url }];
  const alerts = await openAlerts(store, clock, { rules, file, targets });
  closes.push(() => alerts.close());
  return alerts;
}

/** Waits for a look at this time, and for what it sends. */
async function lookAt(alerts: Alerts, ms: number): Promise<void> {
  clock.ms = ms;
  await vi.waitFor(() => expect(alerts.document.looked_ms).toBe(ms), { timeout: 20_000 });
  await vi.waitFor(() => expect(alerts.document.outbox).toEqual([]), { timeout: 20_000 });
}

const groups = (alerts: Alerts): unknown => alerts.document.active.map(({ group }) => group);
const sent = (): unknown[] =>
  receiver.got.map(({ body }) => {
    const { type, data } = JSON.parse(body) as { type: string; data: { group: string } };
    return `${type.replace("turnproof.alert.", "")} ${data.group}`;
  });

test.each(["ephemeral", "filesystem", "clickhouse"])(
  "a group that stays silent for days fires until it sends again (%s)",
  { timeout: 120_000 },
  async (backend) => {
    const desk = await openDesk({ TURNPROOF_BACKEND: backend }, { judge: false });
    closes.push(() => desk.collector.close());
    const { store } = desk;
    await putTurns(store, start - 7 * hour, [{ root: "a", agent: "dead" }]);
    const first = await open(store, wide);
    await lookAt(first, start);
    const id = first.document.active[0]?.id;
    for (const at of [0.5, 1, 1.5, 2, 3]) await lookAt(first, start + at * day);
    expect([groups(first), sent()]).toEqual([["dead"], ["firing dead"]]);
    await first.close();
    const second = await open(store, wide);
    await lookAt(second, start + 9 * day);
    expect(second.document.active.map((one) => one.id)).toEqual([id]);
    await putTurns(store, clock.ms + 8 * hour - 1_000, [{ root: "b", agent: "dead" }]);
    await lookAt(second, clock.ms + 8 * hour);
    expect(second.document.closed).toMatchObject([{ id, reason: "value" }]);
    expect(sent()).toEqual(["firing dead", "resolved dead"]);
    // The next silence is another episode.
    await lookAt(second, clock.ms + 8 * hour);
    expect([groups(second), sent().at(-1)]).toEqual([["dead"], "firing dead"]);
    expect(second.document.active[0]?.id).not.toBe(id);
  },
);

test("fewer turns than min_count in the day before end no alert, and one turn does", async () => {
  const store = ephemeral();
  const turns = [1, 2, 3].map((index) => ({ root: `a${index}`, agent: "busy" }));
  await putTurns(store, start - hour, turns);
  const alerts = await open(store, silent(", min_count: 3"));
  for (const at of [0, 20, 23.5, 30, 60]) await lookAt(alerts, start + at * hour);
  expect([groups(alerts), sent()]).toEqual([["busy"], ["firing busy"]]);
  await putTurns(store, clock.ms, [{ root: "b", agent: "busy" }]);
  await lookAt(alerts, clock.ms + 1_000);
  expect(sent()).toEqual(["firing busy", "resolved busy"]);
});

test("a group that became silent before a stop of days fires after it", async () => {
  const store = ephemeral();
  await putTurns(store, start - 60_000, [{ root: "a", agent: "dead" }]);
  const first = await open(store, silent());
  await lookAt(first, start);
  expect(groups(first)).toEqual([]);
  await first.close();
  clock.ms += 5 * day;
  const second = await open(store, silent());
  await lookAt(second, clock.ms);
  expect([groups(second), sent()]).toEqual([["dead"], ["firing dead"]]);
  expect(second.document.active[0]?.roots).toEqual(["a"]);
});

test("only a group that the rule names fires without a turn", async () => {
  const store = ephemeral();
  const alerts = await open(store, silent());
  await lookAt(alerts, start + 1_000);
  expect(groups(alerts)).toEqual([]);
  await alerts.close();
  const named = await open(store, silent(', where: "agent:booked -agent:calm"'));
  await lookAt(named, start + 2_000);
  await lookAt(named, start + 2 * day);
  expect([groups(named), sent()]).toEqual([["booked"], ["firing booked"]]);
  await putTurns(store, clock.ms + 500, [{ root: "a", agent: "booked" }]);
  await lookAt(named, clock.ms + 1_000);
  expect(sent()).toEqual(["firing booked", "resolved booked"]);
});

test("each of a list of names fires without a turn", async () => {
  const named = await open(ephemeral(), silent(', where: "agent:one,two"'));
  await lookAt(named, start);
  await lookAt(named, start + 2 * day);
  expect(new Set(groups(named) as string[])).toEqual(new Set(["one", "two"]));
});

test("it ends where an operator resolves it, and where the rule counts other turns", async () => {
  const store = ephemeral();
  await putTurns(store, start - hour, [
    { root: "a", agent: "retired" },
    { root: "b", agent: "dead" },
  ]);
  const alerts = await open(store, silent());
  await lookAt(alerts, start);
  const retired = alerts.document.active.find(({ group }) => group === "retired")?.id ?? "";
  expect(await alerts.resolve(retired)).toBe(true);
  for (const at of [1, 2, 3]) await lookAt(alerts, start + at * day);
  // It is kept no longer than it would fire again.
  expect(groups(alerts)).toEqual(["dead"]);
  expect(new Set(sent())).toEqual(new Set(["firing dead", "firing retired", "resolved retired"]));
  await alerts.close();
  const other = await open(store, silent(', where: "-agent:dead"'));
  await lookAt(other, start + 4 * day);
  expect(groups(other)).toEqual([]);
  expect(other.document.closed[0]).toMatchObject({ group: "dead", reason: "not_established" });
});

test("a silence that an earlier version stored lasts as well", async () => {
  const store = ephemeral();
  const alert = {
    id: `alert_${"0".repeat(32)}`,
    rule: "silent",
    group: "dead",
    since: new Date(start - 3 * day).toISOString(),
    value: 600_000,
    roots: [],
    broken_ms: start - 1_000,
    notified: true,
    resolved: false,
  };
  const empty = { closed: [], outbox: [], silences: [], given_up: 0 };
  const document = { version: 1, looked_ms: start - 1_000, active: [alert], ...empty };
  writeFileSync(file, JSON.stringify(document));
  const alerts = await open(store, silent());
  await lookAt(alerts, start + day);
  expect(groups(alerts)).toEqual(["dead"]);
  await putTurns(store, clock.ms, [{ root: "a", agent: "dead" }]);
  await lookAt(alerts, clock.ms + 1_000);
  expect(sent()).toEqual(["resolved dead"]);
});

test.each(["ephemeral", "filesystem", "clickhouse"])(
  "evidence of a turn of days ends a silence (%s)",
  { timeout: 120_000 },
  async (backend) => {
    const desk = await openDesk({ TURNPROOF_BACKEND: backend }, { judge: false });
    closes.push(() => desk.collector.close());
    const parts = await measureParts(desk.store, clock);
    const [rule] = parseAlertRules(`version: 1\nrules:\n${silent()}`);
    if (rule === undefined) throw new Error("no rule");
    const values = async (): Promise<unknown> =>
      (await measureRule(parts, rule, start)).map(({ group, value }) => [group, value]);
    const span = { nowMs: start, days: 1 / 24 };
    const fired = async (): Promise<unknown> => {
      const past = await previewRule(parts, rule, span);
      return "windows" in past ? past.windows.map(({ group }) => group) : past;
    };
    const agent = "slow";
    const part = async (name: string, ms: number): Promise<void> => {
      const at = new Date(ms).toISOString();
      const [event] = turnEvents({ root: "long", agent, at });
      if (event !== undefined) await desk.put([{ ...event, event_id: name }], at);
    };
    await part("first", start - 50 * hour);
    await putTurns(desk.store, start - 20 * 60_000, [{ root: "short", agent }]);
    expect([await values(), await fired()]).toEqual([[[agent, 600_000]], [agent]]);
    await part("second", start - 15 * 60_000);
    await part("third", start - 6 * 60_000);
    expect([await values(), await fired()]).toEqual([[[agent, 0]], []]);
  },
);
