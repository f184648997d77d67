/**
 * Alerts of a rule with `group_by: rule`: one message of what began, and of what ended, at a time.
 */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ephemeral } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { AlertEvent } from "../../../collector/src/alerts/alert-message.ts";
import { eraseAlerts } from "../../../collector/src/alerts/erase-alerts.ts";
import { fileStorage } from "../../../collector/src/alerts/alert-storage.ts";
import { noAlerts } from "../../../collector/src/alerts/alert-state.ts";
import type { AlertMessage } from "../../../collector/src/alerts/alert-state.ts";
import { Folding } from "../../../collector/src/alerts/message-groups.ts";
import { afterAttempt, dueMessages } from "../../../collector/src/alerts/outbox.ts";
import { parseAlertRules } from "../../../collector/src/config/alert-rules.ts";
import type { Alerts } from "../../../collector/src/parts.ts";
import { openAlerts, putTurns } from "./alert-desk.ts";
import type { Clock } from "./alert-desk.ts";
import { openReceiver } from "./alert-receiver.ts";
import type { Receiver } from "./alert-receiver.ts";

const start = Date.parse("2026-11-21T12:00:00Z");
const each = "  - {name: failing, measure: error_share, by: agent, window: 10m, above: 0.5}";
const folded = each.replace("above", "group_by: rule, above");
const soon = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 20_000 });

let clock: Clock;
let receiver: Receiver;
let store: EvidenceStore;
let file: string;
let opened: Alerts[];
beforeEach(async () => {
  clock = { ms: start };
  store = ephemeral();
  receiver = await openReceiver();
  file = join(mkdtempSync(join(tmpdir(), "turnproof-folded-")), "alerts.json");
  opened = [];
});
afterEach(async () => {
  for (const alerts of opened) await alerts.close();
  await receiver.close();
});

async function open(rules: string): Promise<Alerts> {
  const targets = (["webhook", "slack", "alertmanager"] as const).map((kind) => {
    return { name: kind, kind, url: `${receiver.url}/${kind}` };
  });
  const alerts = await openAlerts(store, clock, { rules, targets, file });
  opened.push(alerts);
  await look(alerts, 0);
  return alerts;
}

/** Closes it once: the next one has its file. */
async function stop(alerts: Alerts): Promise<void> {
  opened = opened.filter((one) => one !== alerts);
  await alerts.close();
}

async function look(alerts: Alerts, ms: number): Promise<void> {
  clock.ms += ms;
  await soon(() => expect(alerts.document.looked_ms).toBe(clock.ms));
}

interface Folded {
  readonly type: string;
  readonly data: {
    readonly sentence: string;
    readonly count: number;
    readonly not_listed: number;
    readonly firing: number;
    readonly groups: readonly { readonly group: string; readonly root_trace_ids: string[] }[];
  };
}

const at = (path: string) => receiver.got.filter((one) => one.path.startsWith(path));
const webhooks = (): readonly Folded[] =>
  at("/webhook").map(({ body }) => JSON.parse(body) as Folded);
const slack = (): readonly { blocks: { text: { text: string } }[] }[] =>
  at("/slack").map(({ body }) => JSON.parse(body));
const agents = (count: number, failed: boolean, round = 0) =>
  Array.from({ length: count }, (_, index) => {
    const agent = `agent-${String(index).padStart(2, "0")}`;
    return { root: `${agent}.${round}`, agent, failed };
  });

test("thirty failing agents are one message for each target, and so is their end", async () => {
  await putTurns(store, start - 60_000, agents(60, true));
  const alerts = await open(folded);
  await soon(() => expect(alerts.document.outbox).toEqual([]));
  const [first] = webhooks();
  expect([at("/webhook").length, at("/slack").length]).toEqual([1, 1]);
  expect(first?.type).toBe("turnproof.alerts.firing");
  expect(first?.data).toMatchObject({ count: 60, not_listed: 10, firing: 60, rule: "failing" });
  expect(first?.data.sentence).toMatch(/^failing fires for 60 agents\. Share of turns/);
  expect(first?.data.groups).toHaveLength(50);
  expect(first?.data.groups[0]).toMatchObject({
    group: "agent-00",
    root_trace_ids: ["agent-00.0"],
  });
  const text = slack()[0]?.blocks[0]?.text.text ?? "";
  expect(text.match(/\n• /g)?.length).toBeGreaterThan(4);
  expect(text).toMatch(/\nand \d\d more\n/);
  expect(text.length).toBeLessThan(3_000);
  // Alertmanager groups by itself.
  const started = at("/alertmanager").flatMap(({ body }) => JSON.parse(body) as object[]);
  expect(
    new Set(started.map((one) => JSON.stringify((one as { labels: object }).labels))).size,
  ).toBe(60);
  receiver.got.length = 0;
  await putTurns(store, clock.ms, [
    ...agents(3, false, 1),
    ...agents(3, false, 2),
    { root: "new", agent: "newcomer", failed: true },
  ]);
  await look(alerts, 1_000);
  await soon(() => expect(webhooks()).toHaveLength(2));
  const shown = webhooks().map(({ type, data }) => [type, data.groups.map(({ group }) => group)]);
  expect(shown).toEqual([
    ["turnproof.alerts.resolved", ["agent-00", "agent-01", "agent-02"]],
    ["turnproof.alerts.firing", ["newcomer"]],
  ]);
  expect(webhooks()[0]?.data.sentence).toMatch(/is resolved for 3 agents\. 58 still fire\./);
  expect(webhooks()[1]?.data.sentence).toMatch(/fires for 1 agent\. 58 fire now\./);
  // An operator ends one alert.
  const [one] = alerts.document.active;
  await alerts.resolve(one?.id ?? "");
  await look(alerts, 1_000);
  await soon(() => expect(webhooks()).toHaveLength(3));
  expect(webhooks()[2]?.data).toMatchObject({ count: 1, groups: [{ group: one?.group }] });
});

test("a message that waits survives a restart under its id, and its start is before its end", async () => {
  receiver.answer = 500;
  await putTurns(store, start - 60_000, agents(3, true));
  const first = await open(folded);
  await soon(() => expect(at("/webhook").length).toBeGreaterThan(0));
  const id = at("/webhook")[0]?.id;
  await stop(first);
  const second = await open(folded);
  await putTurns(store, clock.ms, [...agents(2, false, 1), ...agents(2, false, 2)]);
  await look(second, 1_000);
  await soon(() => expect(second.document.closed).toHaveLength(2));
  receiver.got.length = 0;
  receiver.answer = 204;
  for (let step = 0; step < 6; step += 1) await look(second, 30_000);
  await soon(() => expect(second.document.outbox).toEqual([]));
  expect(at("/webhook").map((one) => one.id)[0]).toBe(id);
  expect(webhooks().map(({ type, data }) => [type, data.count])).toEqual([
    ["turnproof.alerts.firing", 3],
    ["turnproof.alerts.resolved", 2],
  ]);
  // Another collector with the same evidence has the same ids.
  clock.ms = start;
  receiver.got.length = 0;
  const fresh = ephemeral();
  await putTurns(fresh, start - 60_000, agents(3, true));
  const targets = [{ name: "webhook", kind: "webhook" as const, url: `${receiver.url}/other` }];
  opened.push(await openAlerts(fresh, clock, { rules: folded, targets }));
  await soon(() => expect(at("/other").map((one) => one.id)).toEqual([id]));
});

test("a rule that is grouped later ends the alerts of an earlier version", async () => {
  await putTurns(store, start - 60_000, agents(2, true));
  const before = await open(each);
  await soon(() => expect(before.document.outbox).toEqual([]));
  expect(webhooks().map(({ type }) => type)).toEqual(
    Array.from({ length: 2 }, () => "turnproof.alert.firing"),
  );
  await stop(before);
  const { active, ...document } = JSON.parse(readFileSync(file, "utf8")) as {
    active: { started?: unknown; sent?: unknown }[];
  };
  const old = active.map(({ started: _started, sent: _sent, ...alert }) => alert);
  writeFileSync(file, JSON.stringify({ ...document, active: old }));
  receiver.got.length = 0;
  const after = await open(folded);
  await putTurns(store, clock.ms, [...agents(2, false, 1), ...agents(2, false, 2)]);
  await look(after, 1_000);
  await soon(() => expect(webhooks()).toHaveLength(1));
  expect(webhooks()[0]).toMatchObject({ type: "turnproof.alerts.resolved", data: { count: 2 } });
});

test("roots of a deleted user leave a message that waits", async () => {
  receiver.answer = 500;
  await putTurns(store, start - 60_000, agents(3, true));
  const alerts = await open(folded);
  await soon(() => expect(at("/webhook").length).toBeGreaterThan(0));
  await stop(alerts);
  await eraseAlerts(fileStorage(file), new Set(["agent-01.0"]), false);
  const text = readFileSync(file, "utf8");
  expect([text.includes("agent-01.0"), text.includes("agent-02.0")]).toEqual([false, true]);
});

test("what waits holds back later messages about each of its groups", () => {
  const message = (id: string, groups: readonly string[], next_ms = 0): AlertMessage => ({
    id,
    target: "ops",
    alert_id: `of ${id}`,
    members: groups.map((group) => ({ alert_id: group, about: `about ${group}` })),
    body: "{}",
    made_ms: 0,
    attempts: 0,
    next_ms,
  });
  const outbox = [message("1", ["a", "b"], 9), message("2", ["b", "c"]), message("3", ["c"])];
  const due = (of: readonly AlertMessage[]): unknown => dueMessages(of, 5).map(({ id }) => id);
  expect(due(outbox)).toEqual([]);
  expect(due([...outbox, message("4", ["d"])])).toEqual(["4"]);
  // An end leaves with its starts once all of them are given up.
  const days = 4 * 86_400_000;
  const old = message("1", ["a", "b"]);
  const [both, more] = [message("2", ["a", "b"]), message("3", ["b", "c"])].map((one) => {
    return { ...one, made_ms: days };
  });
  const none = { taken: new Set<string>(), failed: new Set<string>() };
  const nothing = { ...none, status: null, waitMs: 0 };
  const targets = [{ name: "ops", kind: "webhook" as const, url: "http://x" }];
  const document = { ...noAlerts, outbox: [old, both, more].filter((one) => one !== undefined) };
  const left = afterAttempt(document, nothing, targets, days);
  expect([left.outbox.map(({ id }) => id), left.given_up]).toEqual([["3"], 2]);
});

test("of a group that began, ended and began again in one evaluation the last message says so", () => {
  const [rule] = parseAlertRules(`version: 1\nrules:\n${folded}`);
  if (rule === undefined) throw new Error("no rule");
  const event = (kind: "firing" | "resolved", group: string, episode: number): AlertEvent => ({
    kind,
    rule,
    alert: {
      id: `alert_${group}${episode}`,
      rule: rule.name,
      group,
      since: new Date(start).toISOString(),
      value: 1,
      roots: [],
      broken_ms: start,
      notified: true,
      resolved: false,
    },
    value: 1,
    atMs: start,
    base: "https://turnproof.test",
  });
  const targets = [{ name: "ops", kind: "webhook" as const, url: "http://x" }];
  const folding = new Folding();
  let document = noAlerts;
  for (const one of [
    event("firing", "a", 1),
    event("firing", "b", 1),
    event("resolved", "a", 1),
    event("firing", "c", 1),
    event("firing", "a", 2),
    event("resolved", "b", 1),
  ]) {
    document = folding.add(document, targets, one);
  }
  expect(document.outbox).toEqual([]);
  document = folding.into(document);
  const shown = document.outbox.map(({ body, members = [] }) => {
    const { type } = JSON.parse(body) as Folded;
    return [type.split(".").at(-1), members.map(({ alert_id: id }) => id.slice("alert_".length))];
  });
  expect(shown).toEqual([
    ["firing", ["a1", "b1", "c1"]],
    ["resolved", ["a1", "b1"]],
    ["firing", ["a2"]],
  ]);
  // What was passed on is not passed on again.
  expect(folding.into(document).outbox).toHaveLength(3);
});

test("messages are grouped where a rule has groups", () => {
  const rules = (of: string) => () => parseAlertRules(`version: 1\nrules:\n${of}`);
  expect(rules(folded)).not.toThrow();
  expect(rules(folded.replace("by: agent, ", ""))).toThrow("messages are grouped where `by`");
  expect(rules(folded.replace("group_by: rule", "group_by: agent"))).toThrow();
});
