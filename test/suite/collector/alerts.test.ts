/** Alerts over a store: what fires, what is sent, and what is kept. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ephemeral } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { Alerts } from "../../../collector/src/parts.ts";
import { measureRule } from "../../../collector/src/alerts/measure.ts";
import { previewRule } from "../../../collector/src/alerts/preview.ts";
import { parseAlertRules, watchAlertRules } from "../../../collector/src/config/alert-rules.ts";
import { turnQueryOf } from "../../../collector/src/turns/turn-conditions.ts";
import { readTerms } from "../../../collector/src/ui/display/filter-terms.ts";
import { measureParts, openAlerts, putTurns } from "./alert-desk.ts";
import type { Clock } from "./alert-desk.ts";
import { openReceiver } from "./alert-receiver.ts";
import type { Receiver } from "./alert-receiver.ts";
import { quiet } from "./desk.ts";

const start = Date.parse("2026-11-21T12:00:00Z");
const hour = 3_600_000;
const failing = `
  - name: failing
    measure: verdict_share
    verdict: failed
    by: agent
    window: 10m
    above: 0.25
    min_count: 3
    severity: critical
`;

let clock: Clock;
let receiver: Receiver;
let opened: Alerts[];
beforeEach(async () => {
  clock = { ms: start };
  receiver = await openReceiver();
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((alerts) => alerts.close()));
  await receiver.close();
});

async function open(...args: Parameters<typeof openAlerts>): Promise<Alerts> {
  const alerts = await openAlerts(...args);
  opened.push(alerts);
  return alerts;
}

const hook = (): readonly { name: string; kind: "webhook"; url: string }[] => [
  { name: "ops", kind: "webhook", url: receiver.url },
];
/** Waits for a result on a machine that runs other tests as well. */
const soon = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 20_000 });
const reported = (): unknown[] =>
  receiver.got.map(({ body }) => {
    const { type, data } = JSON.parse(body) as { type: string; data: Record<string, unknown> };
    return [type, data["rule"], data["group"]];
  });
const turns = (agent: string, count: number, failed: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({
    root: `${agent}-${from + index}`,
    agent,
    verdict: index < failed ? "failed" : "success",
  }));

test("a group over its limit fires once with its evidence, and resolves when it is over", async () => {
  const store = ephemeral();
  // Received before the window.
  await putTurns(store, start - 20 * 60_000, turns("bad", 1, 1, 90));
  await putTurns(store, start - 60_000, [
    ...turns("bad", 4, 2),
    ...turns("good", 8, 1),
    // Too few for a result.
    ...turns("few", 2, 2),
  ]);
  const alerts = await open(store, clock, { rules: failing, targets: hook() });
  await soon(() => expect(reported()).toEqual([["turnproof.alert.firing", "failing", "bad"]]));
  const { data } = JSON.parse(receiver.got[0]?.body ?? "") as { data: Record<string, unknown> };
  expect(data).toMatchObject({ value: 0.5, severity: "critical", by: "agent" });
  expect((data["root_trace_ids"] as string[]).toSorted()).toEqual(["bad-0", "bad-1"]);
  // The list is of the window in which it fired: by last receipt, in the order of receipt.
  const list = new URL(data["turns"] as string);
  expect(`${list.origin}${list.pathname}`).toBe("https://turnproof.test/traces");
  expect(list.searchParams.get("verdict")).toBe("failed");
  expect(list.searchParams.get("sort")).toBe("first_received");
  const terms = readTerms(list.searchParams.get("q") ?? "");
  expect(terms.unclear).toEqual([]);
  expect(terms.terms.map(({ key, value }) => `${key}:${value}`)).toEqual([
    "agent:bad",
    expect.stringMatching(/^received:>=/),
    expect.stringMatching(/^received:<\d/),
  ]);
  const rows = await store.ledger.listTurns(
    turnQueryOf(
      { scope: allTenants, query: {} },
      { q: list.searchParams.get("q") ?? "", verdict: "failed" },
    ),
    { order: { by: "first_received" }, limit: 10 },
  );
  expect(new Set(rows.records.map(({ row }) => row.root_trace_id))).toEqual(
    new Set(["bad-0", "bad-1"]),
  );
  clock.ms += 5 * 60_000;
  await putTurns(store, clock.ms - 1_000, turns("bad", 8, 0, 10));
  await soon(() => expect(reported()[1]).toEqual(["turnproof.alert.resolved", "failing", "bad"]));
  expect(alerts.document.closed).toMatchObject([{ group: "bad", reason: "value" }]);
  expect(receiver.got).toHaveLength(2);
  const ended = JSON.parse(receiver.got[1]?.body ?? "") as { data: Record<string, unknown> };
  // Two of twelve failed at the end, where it was two of four.
  expect(ended.data["value"]).toBeCloseTo(2 / 12);
  expect(ended.data["sentence"]).toMatch(/: 16\.7 %, 50\.0 % when it last fired\.$/);
});

test("an alert without evidence for a whole window ends as not established", async () => {
  const store = ephemeral();
  await putTurns(store, start - 60_000, turns("bad", 4, 2));
  const alerts = await open(store, clock, { rules: failing, targets: [] });
  await soon(() => expect(alerts.document.active).toHaveLength(1));
  clock.ms += 9 * 60_000 + 30_000;
  await soon(() => expect(alerts.values.get("failing")).toEqual([]));
  expect(alerts.document.active).toHaveLength(1);
  clock.ms += 60_000;
  await soon(() => expect(alerts.document.closed[0]?.reason).toBe("not_established"));
});

test("two collectors on one store send one id", async () => {
  const store = ephemeral();
  await putTurns(store, start - 60_000, turns("bad", 4, 2));
  await open(store, clock, { rules: failing, targets: hook() });
  await soon(() => expect(receiver.got).toHaveLength(1));
  clock.ms += 7_000;
  await putTurns(store, clock.ms - 1_000, turns("bad", 1, 1, 50));
  await open(store, clock, { rules: failing, targets: hook() });
  await soon(() => expect(receiver.got).toHaveLength(2));
  expect(receiver.got[1]?.id).toBe(receiver.got[0]?.id);
  expect(receiver.got[0]?.id).toMatch(/^msg_[0-9a-f]{32}$/);
});

test("the next episode has another id", async () => {
  const store = ephemeral();
  await putTurns(store, start - 60_000, turns("bad", 4, 2));
  const alerts = await open(store, clock, { rules: failing, targets: hook() });
  await soon(() => expect(alerts.document.active).toHaveLength(1));
  clock.ms += 60_000;
  await putTurns(store, clock.ms - 1_000, turns("bad", 8, 0, 10));
  await soon(() => expect(alerts.document.active).toHaveLength(0));
  clock.ms += 60_000;
  await putTurns(store, clock.ms - 1_000, turns("bad", 8, 8, 20));
  await soon(() => expect(receiver.got).toHaveLength(3));
  const [first, , second] = receiver.got;
  expect(second?.id).not.toBe(first?.id);
});

test("a silenced alert is sent when the silence ends; a resolved one when it comes back", async () => {
  const store = ephemeral();
  const alerts = await open(store, clock, { rules: failing, targets: hook() });
  const until = new Date(clock.ms + 60_000).toISOString();
  await alerts.silence({ rule: "failing", group: null, until, by: "root" });
  await putTurns(store, clock.ms - 1_000, turns("bad", 4, 4));
  await soon(() => expect(alerts.document.active).toMatchObject([{ notified: false }]));
  clock.ms += 61_000;
  await soon(() => expect(reported()).toEqual([["turnproof.alert.firing", "failing", "bad"]]));
  expect(alerts.document.silences).toEqual([]);
  const id = alerts.document.active[0]?.id ?? "";
  expect(await alerts.resolve(id)).toBe(true);
  expect(await alerts.resolve(id)).toBe(false);
  await soon(() => expect(reported()).toHaveLength(2));
  const { data } = JSON.parse(receiver.got[1]?.body ?? "") as { data: { sentence: string } };
  expect(data.sentence).toMatch(
    /^failing is resolved by an operator after .* when it last fired\.$/,
  );
  // It still holds, and stays quiet until it has ended once.
  clock.ms += 60_000;
  await putTurns(store, clock.ms - 1_000, turns("bad", 2, 2, 30));
  await new Promise((resolve) => setTimeout(resolve, 120));
  expect(receiver.got).toHaveLength(2);
  expect(alerts.document.closed).toMatchObject([{ id, reason: "operator" }]);
  clock.ms += hour;
  await soon(() => expect(alerts.document.active).toEqual([]));
  await putTurns(store, clock.ms - 1_000, turns("bad", 4, 4, 40));
  await soon(() => expect(reported()).toHaveLength(3));
});

test("a message is repeated as it was until it is taken; no redirect is followed", async () => {
  const store = ephemeral();
  await putTurns(store, start - 60_000, turns("bad", 4, 2));
  receiver.answer = 503;
  const alerts = await open(store, clock, { rules: failing, targets: hook() });
  for (const answer of [302, 500, 204]) {
    const before = receiver.got.length;
    await soon(() => expect(receiver.got.length).toBe(before + (before === 0 ? 1 : 0)));
    // A later attempt is from when this one was recorded.
    const tried = (): number | undefined => alerts.document.outbox[0]?.attempts;
    await soon(() => expect(tried()).toBe(receiver.got.length));
    receiver.answer = answer;
    clock.ms += 10_000;
    await soon(() => expect(receiver.got.length).toBeGreaterThan(before));
  }
  await soon(() => expect(alerts.document.outbox).toEqual([]));
  expect(receiver.got.length).toBeGreaterThanOrEqual(3);
  expect(new Set(receiver.got.map(({ id, body, path }) => [id, body, path].join(" "))).size).toBe(
    1,
  );
});

test("what fires, its history and what waits survive a restart", async () => {
  const store = ephemeral();
  const file = join(mkdtempSync(join(tmpdir(), "turnproof-alerts-")), "alerts.json");
  await putTurns(store, start - 60_000, turns("bad", 4, 2));
  receiver.answer = 503;
  const first = await openAlerts(store, clock, { rules: failing, targets: hook(), file });
  await soon(() => expect(receiver.got.length).toBeGreaterThan(0));
  const id = first.document.active[0]?.id ?? "";
  await first.close();
  receiver.answer = 204;
  clock.ms += 10_000;
  const second = await openAlerts(store, clock, { rules: failing, targets: hook(), file });
  await soon(() => expect(second.document.outbox).toEqual([]));
  expect(second.document.active).toMatchObject([{ id, notified: true }]);
  expect(new Set(receiver.got.map((one) => one.id)).size).toBe(1);
  await second.close();
  // A rule that is removed while no collector runs ends its alert at the receiver, too.
  receiver.got.length = 0;
  const third = await open(store, clock, { rules: "  []", targets: hook(), file });
  await soon(() => expect(reported()).toEqual([["turnproof.alert.resolved", "failing", "bad"]]));
  expect(third.document.closed).toMatchObject([{ id, reason: "rule_removed" }]);
  const { data } = JSON.parse(receiver.got[0]?.body ?? "") as { data: { sentence: string } };
  expect(data.sentence).toMatch(/^failing is no longer evaluated: the rule was removed after /);
});

test("an outage longer than the window hides no alarm", async () => {
  const store = ephemeral();
  const file = join(mkdtempSync(join(tmpdir(), "turnproof-alerts-")), "alerts.json");
  const first = await openAlerts(store, clock, { rules: failing, targets: hook(), file });
  await soon(() => expect(first.document.looked_ms).toBe(start));
  await first.close();
  await putTurns(store, start + hour, turns("bad", 4, 2));
  clock.ms = start + 3 * hour;
  await open(store, clock, { rules: failing, targets: hook(), file });
  await soon(() =>
    expect(reported()).toEqual([
      ["turnproof.alert.firing", "failing", "bad"],
      ["turnproof.alert.resolved", "failing", "bad"],
    ]),
  );
});

test("a document that is not ours stops the start", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "turnproof-alerts-")), "alerts.json");
  writeFileSync(file, '{"version":2}');
  await expect(
    openAlerts(ephemeral(), clock, { rules: failing, targets: [], file }),
  ).rejects.toThrow(expect.objectContaining({ code: "store_corrupt" }) as Error);
});

test("Slack and Alertmanager receive their own forms", async () => {
  const store = ephemeral();
  await putTurns(store, start - 60_000, turns("bad", 4, 2));
  const targets = [
    { name: "chat", kind: "slack" as const, url: `${receiver.url}/hook` },
    { name: "manager", kind: "alertmanager" as const, url: receiver.url },
  ];
  await open(store, clock, { rules: failing, targets });
  const at = (path: string) => receiver.got.filter((one) => one.path === path);
  await soon(() => expect(at("/hook")).toHaveLength(1));
  await soon(() => expect(at("/api/v2/alerts").length).toBeGreaterThan(0));
  expect(JSON.parse(at("/hook")[0]?.body ?? "")).toMatchObject({
    text: expect.stringContaining("failing fires. Share of judged turns") as string,
    blocks: [{ type: "section", text: { type: "mrkdwn" } }],
  });
  const [alert] = JSON.parse(at("/api/v2/alerts")[0]?.body ?? "") as [Record<string, unknown>];
  expect(alert).toMatchObject({
    labels: { alertname: "failing", severity: "critical", agent: "bad" },
    startsAt: new Date(start).toISOString(),
  });
  expect(Date.parse(String(alert["endsAt"]))).toBeGreaterThan(clock.ms);
  // It is sent again before Alertmanager forgets it.
  const before = at("/api/v2/alerts").length;
  clock.ms += 61_000;
  await soon(() => expect(at("/api/v2/alerts").length).toBeGreaterThan(before));
});

test("a change is against the same window a week earlier", async () => {
  const store = ephemeral();
  const week = 7 * 24 * hour;
  await putTurns(store, start - week - 60_000, [...turns("calm", 10, 1), ...turns("worse", 10, 1)]);
  await putTurns(store, start - 60_000, [
    ...turns("calm", 10, 2, 20),
    ...turns("worse", 10, 4, 20),
  ]);
  const rules = failing.replace("above: 0.25", "change: 3");
  await open(store, clock, { rules, targets: hook() });
  await soon(() => expect(reported()).toEqual([["turnproof.alert.firing", "failing", "worse"]]));
});

test("each measure has its value, and nothing where nothing is recorded", async () => {
  const store = ephemeral();
  const parts = await measureParts(store, clock);
  const values = async (rule: string, atMs = start): Promise<unknown> => {
    const [one] = parseAlertRules(`version: 1\nrules:\n  - {name: one, window: 10m, ${rule}}`);
    if (one === undefined) throw new Error("no rule");
    return (await measureRule(parts, one, atMs)).map(({ group, value }) => [group, value]);
  };
  expect(await values("measure: error_share, above: 0")).toEqual([[null, null]]);
  expect(await values("measure: findings, finding: artifact_missing, above: 0")).toEqual([
    [null, 0],
  ]);
  await putTurns(store, start - 30 * 60_000, [{ root: "old", agent: "old", tookMs: 9_000 }]);
  await putTurns(store, start - 60_000, [
    { root: "a", failed: true, tookMs: 100 },
    { root: "b", verdict: "partial", codes: ["artifact_missing"], tookMs: 200 },
    { root: "c", verdict: "success", agent: "other", tookMs: 300 },
  ]);
  expect(await values("measure: error_share, above: 0")).toEqual([[null, 1 / 3]]);
  expect(await values("measure: verdict_share, verdict: partial, above: 0")).toEqual([[null, 0.5]]);
  expect(await values("measure: findings, finding: artifact_missing, above: 0, by: agent")).toEqual(
    [["helper", 1]],
  );
  const contracts = (result: string) => [`contract:order=${result}`];
  const judged = { verdict: "success", agent: "buyer" };
  await putTurns(store, start - 50_000, [
    { root: "v", ...judged, contracts: contracts("violated"), tookMs: 10 },
    { root: "h", ...judged, contracts: contracts("holds"), tookMs: 10 },
    { root: "n", ...judged, contracts: contracts("not_established"), tookMs: 10 },
  ]);
  const order = "measure: contract_share, contract: order, above: 0";
  expect(await values(order)).toEqual([[null, 0.5]]);
  expect(await values(`${order}, by: agent`)).toEqual([["buyer", 0.5]]);
  expect(await values(`${order}, min_count: 3`)).toEqual([[null, null]]);
  const [rule] = parseAlertRules(`version: 1\nrules:\n  - {name: one, window: 10m, ${order}}`);
  if (rule === undefined) throw new Error("no rule");
  const past = await previewRule(parts, rule, { nowMs: start + 600_000, days: 1 });
  expect(past).toMatchObject({ established: 10, alerts: 1, windows: [{ value: 0.5, count: 2 }] });
  // A window of ten minutes begins every minute; the first one with these turns ends with theirs.
  expect(past).toMatchObject({ step_ms: 60_000, windows: [{ from_ms: start - 10 * 60_000 }] });
  expect(await values(order.replace("order,", "other,"))).toEqual([[null, null]]);
  expect(await values("measure: p95_ms, above: 0")).toEqual([[null, 300]]);
  expect(await values('measure: p95_ms, above: 0, where: "agent:helper"')).toEqual([[null, 200]]);
  expect(await values("measure: p95_ms, above: 0, min_count: 9")).toEqual([[null, null]]);
  expect(await values("measure: judge_lag_ms, above: 0")).toEqual([[null, 30 * 60_000 - 7_000]]);
  // The model is on no price list, so its cost is unknown.
  expect(await values("measure: cost_usd, above: 0")).toEqual([[null, null]]);
  expect(await values("measure: lost_events, above: 0")).toEqual([[null, 0]]);
  const silent = (await values("measure: silence, by: agent")) as [string, number][];
  expect(Object.fromEntries(silent)).toEqual({ buyer: 0, helper: 0, old: 600_000, other: 0 });
});

test("rules follow their file; a wrong one leaves those of before", async () => {
  const store = ephemeral();
  const file = join(mkdtempSync(join(tmpdir(), "turnproof-rules-")), "rules.yaml");
  const write = (rules: string): void => writeFileSync(file, `version: 1\nrules:\n${rules}`);
  write("  []");
  await putTurns(store, start - 60_000, turns("bad", 4, 2));
  const alerts = await open(store, clock, { rules: "  []", targets: hook(), rulesChange: true });
  const warned = vi.fn();
  const log = { ...quiet, warn: warned };
  const stop = watchAlertRules({
    path: file,
    rules: alerts.rules,
    names: { targets: hook(), contracts: false },
    log,
    now: () => clock.ms,
    changed: (rules) => alerts.replaceRules(rules),
    refused: (refused) => alerts.refuseRules(refused),
  });
  try {
    write(failing);
    await soon(() => expect(alerts.document.active).toMatchObject([{ rule: "failing" }]));
    write(failing.replace("above", "over"));
    await soon(() => expect(warned).toHaveBeenCalledTimes(1));
    expect(JSON.stringify(warned.mock.calls)).toContain("rule 1");
    const reason = expect.any(String) as string;
    expect(alerts.refused).toMatchObject({ file: "rules.yaml", reason });
    write(failing);
    await soon(() => expect(alerts.refused).toBeNull());
    write(failing.replace("by: agent", "to: [nope]"));
    await soon(() => expect(warned).toHaveBeenCalledTimes(2));
    expect(JSON.stringify(warned.mock.calls[1])).toContain("TURNPROOF_ALERT_TARGETS");
    expect(alerts.rules).toHaveLength(1);
    write(failing.replace("name: failing", "name: renamed"));
    await soon(() => expect(alerts.document.active).toMatchObject([{ rule: "renamed" }]));
    expect(alerts.document.closed).toMatchObject([{ rule: "failing", reason: "rule_removed" }]);
    // A receiver that was sent the start is sent the end, too.
    await soon(() =>
      expect(receiver.got.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual([
        "turnproof.alert.firing",
        "turnproof.alert.resolved",
        "turnproof.alert.firing",
      ]),
    );
  } finally {
    stop();
  }
});
