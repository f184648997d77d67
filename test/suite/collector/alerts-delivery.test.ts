/** Messages of alerts after an outage of their target, and to one that answers 410. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ephemeral } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { AlertTarget } from "../../../collector/src/config/alert-rules.ts";
import type { Alerts } from "../../../collector/src/parts.ts";
import { openAlerts, putTurns } from "./alert-desk.ts";
import type { Clock } from "./alert-desk.ts";
import { openReceiver } from "./alert-receiver.ts";
import type { Receiver } from "./alert-receiver.ts";
import { quiet } from "./desk.ts";

const start = Date.parse("2026-11-21T12:00:00Z");
const rules = `
  - {name: error, measure: error_share, by: agent, window: 10m, above: 0.5}
`;
/** Waits for a result on a machine that runs other tests as well. */
const soon = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 20_000 });

let clock: Clock;
let receiver: Receiver;
let store: EvidenceStore;
let closes: (() => Promise<unknown>)[];
beforeEach(async () => {
  clock = { ms: start };
  store = ephemeral();
  receiver = await openReceiver();
  closes = [() => receiver.close()];
});
afterEach(async () => {
  for (const close of closes.toReversed()) await close();
});

async function open(
  kinds: readonly AlertTarget["kind"][],
  more: Pick<Parameters<typeof openAlerts>[2], "file" | "log"> = {},
): Promise<Alerts> {
  const targets = kinds.map((kind) => ({ name: kind, kind, url: `${receiver.url}/${kind}` }));
  const alerts = await openAlerts(store, clock, { rules, targets, ...more });
  closes.push(() => alerts.close());
  await soon(() => expect(alerts.document.looked_ms).toBe(clock.ms));
  return alerts;
}

async function look(alerts: Alerts, ms: number): Promise<void> {
  clock.ms += ms;
  await soon(() => expect(alerts.document.looked_ms).toBe(clock.ms));
}

const at = (path: string): readonly string[] =>
  receiver.got.flatMap((one) => (one.path.startsWith(path) ? one.body : []));

test("after an outage each target gets start before end, and no start outlasts its end", async () => {
  const alerts = await open(["webhook", "slack", "alertmanager"]);
  receiver.answer = 500;
  await putTurns(store, start, [{ root: "a", agent: "a", failed: true }]);
  await look(alerts, 2_000);
  await soon(() => expect(alerts.document.active).toMatchObject([{ notified: true }]));
  // Each failed attempt doubles the pause of the start; its end has none yet.
  for (let step = 0; step < 8; step += 1) await look(alerts, 40_000);
  await putTurns(
    store,
    clock.ms,
    ["b", "c", "d"].map((root) => ({ root, agent: "a" })),
  );
  await look(alerts, 1_000);
  await soon(() => expect(alerts.document.closed).toHaveLength(1));
  const endedMs = Date.parse(alerts.document.closed[0]?.ended ?? "");
  receiver.got.length = 0;
  receiver.answer = 204;
  for (let step = 0; step < 8; step += 1) await look(alerts, 60_000);
  await soon(() => expect(alerts.document.outbox).toEqual([]));
  const types = at("/webhook").map((body) => (JSON.parse(body) as { type: string }).type);
  expect(types).toEqual(["turnproof.alert.firing", "turnproof.alert.resolved"]);
  const texts = at("/slack").map((body) => (JSON.parse(body) as { text: string }).text);
  expect(texts).toEqual([
    expect.stringContaining("error fires"),
    expect.stringContaining("error is resolved after"),
  ]);
  const sent = at("/alertmanager").flatMap((body) => JSON.parse(body) as { endsAt: string }[]);
  expect(sent.map(({ endsAt }) => Date.parse(endsAt))).toEqual([endedMs, endedMs]);
});

test("a target that does not accept is logged with its status and what waits, without content", async () => {
  const lines: unknown[] = [];
  const log = { ...quiet, warn: (...line: readonly unknown[]) => void lines.push(line) };
  const alerts = await open(["webhook", "slack", "alertmanager"], { log });
  receiver.answers.set("/webhook", 500);
  // A redirect is no answer.
  receiver.answers.set("/slack", 302);
  await putTurns(
    store,
    start,
    ["a", "b"].map((agent) => ({ root: agent, agent, failed: true })),
  );
  await look(alerts, 2_000);
  const line = (target: string, status: unknown): readonly unknown[] => [
    "alert_not_taken",
    { target, status, count: 2 },
  ];
  await soon(() => {
    expect(lines).toContainEqual(line("webhook", 500));
    expect(lines).toContainEqual(line("slack", "no_answer"));
  });
  await soon(() => expect(at("/alertmanager").length).toBeGreaterThan(0));
  expect(JSON.stringify(lines)).not.toMatch(/alertmanager|http/);
});

test("a webhook that answers 410 is disabled until the next start; others go on", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "turnproof-gone-")), "alerts.json");
  const alerts = await open(["webhook", "slack"], { file });
  receiver.answers.set("/webhook", 410);
  await putTurns(store, start, [{ root: "a", agent: "a", failed: true }]);
  await look(alerts, 2_000);
  await soon(() => expect(alerts.document.disabled).toEqual(["webhook"]));
  await soon(() => expect(alerts.document).toMatchObject({ outbox: [], given_up: 1 }));
  receiver.answers.clear();
  await putTurns(store, clock.ms, [{ root: "b", agent: "b", failed: true }]);
  await look(alerts, 60_000);
  await soon(() => expect(at("/slack")).toHaveLength(2));
  expect(at("/webhook")).toHaveLength(1);
  expect(alerts.document.disabled).toEqual(["webhook"]);
  await alerts.close();
  const next = await open(["webhook", "slack"], { file });
  await putTurns(store, clock.ms, [{ root: "c", agent: "c", failed: true }]);
  await look(next, 2_000);
  await soon(() => expect(at("/webhook")).toHaveLength(2));
  expect(next.document.disabled).toBeUndefined();
});

test("no end is sent of an alert whose start was given up", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "turnproof-gone-")), "alerts.json");
  const alerts = await open(["webhook", "slack"], { file });
  receiver.answers.set("/webhook", 410);
  await putTurns(store, start, [{ root: "a", agent: "a", failed: true }]);
  await look(alerts, 2_000);
  await soon(() => expect(alerts.document).toMatchObject({ outbox: [], given_up: 1 }));
  receiver.answers.clear();
  // Its start is not even made for the disabled target.
  await putTurns(store, clock.ms, [{ root: "b", agent: "b", failed: true }]);
  await look(alerts, 2_000);
  await soon(() => expect(at("/slack")).toHaveLength(2));
  await alerts.close();
  const next = await open(["webhook", "slack"], { file });
  for (const agent of ["a", "b"]) {
    const ended = ["c", "d", "e"].map((root) => ({ root: `${agent}-${root}`, agent }));
    await putTurns(store, clock.ms, ended);
  }
  await look(next, 2_000);
  await soon(() => expect(at("/slack")).toHaveLength(4));
  await soon(() => expect(next.document).toMatchObject({ active: [], outbox: [] }));
  expect(at("/webhook")).toHaveLength(1);
});

test("410 of another kind of target is a failure like others", async () => {
  const alerts = await open(["slack"]);
  receiver.answer = 410;
  await putTurns(store, start, [{ root: "a", agent: "a", failed: true }]);
  await look(alerts, 2_000);
  await soon(() => expect(alerts.document.outbox).toMatchObject([{ attempts: 1, status: 410 }]));
  receiver.answer = 204;
  await look(alerts, 2_000);
  await soon(() => expect(receiver.got).toHaveLength(2));
});

test("a target that does not answer delays no other target, no look and no end", async () => {
  const alerts = await open(["webhook", "slack"]);
  receiver.answers.set("/webhook", 0);
  for (const agent of ["a", "b", "c"]) {
    await putTurns(store, clock.ms, [{ root: agent, agent, failed: true }]);
    await look(alerts, 1_000);
    await soon(() => expect(at("/slack").at(-1)).toContain(`agent ${agent}`));
  }
  expect(at("/slack")).toHaveLength(3);
  // One attempt has been running all the time.
  expect(at("/webhook")).toHaveLength(1);
  await alerts.close();
  closes.pop();
});

test("a target that asks for a pause gets nothing before its end, and its status is kept", async () => {
  receiver.answer = 429;
  const alerts = await open(["webhook"]);
  await putTurns(store, clock.ms, [{ root: "a", agent: "a", failed: true }]);
  await look(alerts, 1_000);
  await soon(() => expect(alerts.document.outbox).toMatchObject([{ attempts: 1, status: 429 }]));
  receiver.answer = 204;
  await putTurns(store, clock.ms, [{ root: "b", agent: "b", failed: true }]);
  await look(alerts, 30_000);
  await look(alerts, 25_000);
  expect(receiver.got).toHaveLength(1);
  await look(alerts, 5_000);
  await soon(() => expect(receiver.got).toHaveLength(3));
});
