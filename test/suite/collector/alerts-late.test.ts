/**
 * Alerts about turns whose verdict comes after their window: after a stop that is longer than the
 * window, and from a judge that is late; from a file and from a shared store.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { filesystem, postgres } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { fileStorage, sharedKeep } from "../../../collector/src/alerts/alert-storage.ts";
import type { AlertStorage } from "../../../collector/src/alerts/alert-storage.ts";
import type { Alerts } from "../../../collector/src/parts.ts";
import { startPostgres } from "../../servers/postgres.ts";
import { openAlerts, putTurns } from "./alert-desk.ts";
import type { Clock } from "./alert-desk.ts";
import { openReceiver } from "./alert-receiver.ts";
import type { Receiver } from "./alert-receiver.ts";
import { judgeTurns } from "./desk.ts";

const start = Date.parse("2026-11-21T12:00:00Z");
const rules = `
  - {name: verdict, measure: verdict_share, verdict: unknown, by: agent, window: 20s, above: 0.5}
  - {name: finding, measure: findings, finding: turn_failed, by: agent, window: 20s, above: 0}
  - {name: contract, measure: contract_share, contract: order, by: agent, window: 20s, above: 0.5}
  - {name: error, measure: error_share, by: agent, window: 20s, above: 0}
`;
const names = ["contract", "error", "finding", "verdict"];
/** Waits for a result on a machine that runs other tests as well. */
const soon = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 20_000 });

/** A store, and where its alerts are kept: the same for each opening. */
interface Place {
  readonly store: EvidenceStore;
  readonly keep: () => AlertStorage;
}

let clock: Clock;
let receiver: Receiver;
let closes: (() => Promise<unknown> | void)[];
beforeEach(async () => {
  clock = { ms: start };
  receiver = await openReceiver();
  closes = [() => receiver.close()];
});
afterEach(async () => {
  for (const close of closes.toReversed()) await close();
});

async function filePlace(): Promise<Place> {
  const dir = mkdtempSync(join(tmpdir(), "turnproof-late-"));
  closes.push(() => rmSync(dir, { recursive: true, force: true }));
  const provider = await filesystem({ directory: join(dir, "store") });
  closes.push(() => provider.close());
  return { store: provider.evidence, keep: () => fileStorage(join(dir, "alerts.json")) };
}

async function postgresPlace(): Promise<Place> {
  const server = await startPostgres();
  closes.push(() => server.close());
  const provider = await postgres({ url: server.url(await server.createDatabase()) });
  closes.push(() => provider.close());
  return sharedPlace(provider.evidence);
}

function sharedPlace(store: EvidenceStore): Place {
  const { state } = store;
  if (state === undefined) throw new Error("no state");
  const times = { renewMs: 50, holdMs: 3_000, settleMs: 50 };
  return { store, keep: () => sharedKeep(state, "test", times) };
}

async function open({ store, keep }: Place): Promise<Alerts> {
  const targets = [{ name: "ops", kind: "webhook" as const, url: receiver.url }];
  const alerts = await openAlerts(store, clock, { rules, targets, keep: keep() });
  await soon(() => expect(alerts.document.looked_ms).not.toBeNull());
  return alerts;
}

const judged = { verdict: "unknown", finding_codes: ["turn_failed"] };
const violated = ["contract:order=violated"];
const reported = (kind: string): readonly string[] =>
  receiver.got
    .flatMap(({ body }) => {
      const { type, data } = JSON.parse(body) as { type: string; data: Record<string, string> };
      return type === `turnproof.alert.${kind}` ? `${data["rule"]} ${data["group"]}` : [];
    })
    .toSorted();
const of = (agent: string): readonly string[] => names.map((name) => `${name} ${agent}`);

for (const [name, place] of [
  ["filesystem", filePlace],
  ["PostgreSQL", postgresPlace],
] as const) {
  test(`${name}: an alarm outlasts a stop longer than its window`, async () => {
    const at = await place();
    const first = await open(at);
    clock.ms += 3_000;
    await putTurns(at.store, clock.ms - 1_000, [{ root: "a", agent: "a", failed: true }]);
    await soon(() => expect(reported("firing")).toEqual(["error a"]));
    await first.close();
    clock.ms += 40_000;
    const second = await open(at);
    closes.push(() => second.close());
    await soon(() => expect(second.document.looked_ms).toBe(clock.ms));
    // The judge follows the first look.
    await judgeTurns(at.store, ["a"], judged, violated);
    await soon(() => expect(reported("firing")).toEqual(of("a")));
    await soon(() => expect(reported("resolved")).toEqual(of("a")));
    clock.ms += 60_000;
    await soon(() => expect(second.document.looked_ms).toBe(clock.ms));
    expect(receiver.got).toHaveLength(8);
  });
}

test("a turn that the judge settles after its window is alarmed, once", async () => {
  const at = await filePlace();
  const alerts = await open(at);
  closes.push(() => alerts.close());
  await putTurns(at.store, start - 1_000, [{ root: "a", agent: "a", failed: true }]);
  for (let step = 0; step < 6; step += 1) {
    clock.ms += 10_000;
    await soon(() => expect(alerts.document.looked_ms).toBe(clock.ms));
  }
  expect(reported("firing")).toEqual(["error a"]);
  await judgeTurns(at.store, ["a"], judged, violated);
  await soon(() => expect(reported("resolved")).toEqual(of("a")));
  expect(reported("firing")).toEqual(of("a"));
  // A verdict that changes later still: its windows are looked at again.
  const ids = new Set(receiver.got.map(({ id }) => id));
  alerts.wake(start - 1_000);
  clock.ms += 1_000;
  await soon(() => expect(alerts.document.looked_ms).toBe(clock.ms));
  expect(new Set(receiver.got.map(({ id }) => id))).toEqual(ids);
});

test("a verdict that changes after its window is alarmed", async () => {
  const at = await filePlace();
  const alerts = await open(at);
  closes.push(() => alerts.close());
  await putTurns(at.store, start - 1_000, [{ root: "a", agent: "a", verdict: "success" }]);
  clock.ms += 60_000;
  await soon(() => expect(alerts.document.looked_ms).toBe(clock.ms));
  await judgeTurns(at.store, ["a"], judged);
  alerts.wake(start - 1_000);
  await soon(() => expect(reported("firing")).toEqual(["finding a", "verdict a"]));
});

test("a document of before late windows continues from its last look", async () => {
  const at = await filePlace();
  const first = await open(at);
  await first.close();
  const { passed_ms: _passed, ...before } = first.document;
  await at.keep().save(before);
  await putTurns(at.store, start + 10_000, [{ root: "a", agent: "a", failed: true }]);
  clock.ms += 100_000;
  const second = await open(at);
  closes.push(() => second.close());
  await soon(() => expect(reported("firing")).toEqual(["error a"]));
});

test("episodes side by side are alarmed each, with the ids of any process", async () => {
  const at = await filePlace();
  const first = await open(at);
  await first.close();
  const kept = await at.keep().load();
  for (const [index, after] of [10_000, 14_000, 61_000, 200_000].entries()) {
    const root = `a${index}`;
    await putTurns(at.store, start + after, [{ root, agent: "a", ...judged, failed: true }]);
  }
  const runs: string[][] = [];
  for (const later of [301_000, 308_500]) {
    await at.keep().save(kept);
    receiver.got.length = 0;
    clock.ms = start + later;
    const alerts = await open(at);
    const errors = (kind: string): readonly string[] =>
      reported(kind).filter((one) => one === "error a");
    await soon(() => expect(errors("resolved")).toHaveLength(3));
    expect(errors("firing")).toHaveLength(3);
    await alerts.close();
    runs.push(receiver.got.map(({ id, body }) => `${id} ${body}`).toSorted());
  }
  expect(runs[1]).toEqual(runs[0]);
});

test("a turn that another collector judges late is alarmed by the one that evaluates", async () => {
  const at = await postgresPlace();
  const leader = await open(at);
  closes.push(() => leader.close());
  const other = await openAlerts(at.store, clock, { rules, targets: [], keep: at.keep() });
  closes.push(() => other.close());
  await putTurns(at.store, start - 1_000, [{ root: "a", agent: "a", verdict: "success" }]);
  clock.ms += 60_000;
  await soon(() => expect(leader.document.looked_ms).toBe(clock.ms));
  await judgeTurns(at.store, ["a"], judged);
  other.wake(start - 1_000);
  await soon(() => expect(reported("firing")).toEqual(["finding a", "verdict a"]));
});

test("an alert that a late window shows ends with its windows, not with a look of now", async () => {
  const at = await filePlace();
  const alerts = await open(at);
  closes.push(() => alerts.close());
  await putTurns(at.store, start - 1_000, [{ root: "a", agent: "a" }]);
  await putTurns(at.store, start + 15_000, [{ root: "b", agent: "b" }]);
  clock.ms = start + 120_000;
  await judgeTurns(at.store, ["a"], judged);
  alerts.wake(start - 1_000);
  await soon(() => expect(reported("firing")).toEqual(["finding a", "verdict a"]));
  // The judge is not past the windows in which it ends.
  clock.ms += 10_000;
  await soon(() => expect(alerts.document.looked_ms).toBe(clock.ms));
  expect(reported("resolved")).toEqual([]);
  await judgeTurns(at.store, ["b"], { verdict: "success", finding_codes: [] });
  alerts.wake(start + 15_000);
  await soon(() => expect(reported("resolved")).toEqual(["finding a", "verdict a"]));
  const spans = alerts.document.closed.map(({ rule, since, ended }) => [
    rule,
    Date.parse(since) - start,
    Date.parse(ended) - start,
  ]);
  expect(spans).toHaveLength(2);
  expect(spans).toContainEqual(["finding", 10_000, 20_000]);
  expect(spans).toContainEqual(["verdict", 10_000, 30_000]);
});

for (const [name, place] of [
  ["filesystem", filePlace],
  ["PostgreSQL", postgresPlace],
] as const) {
  test(`${name}: a rule that is new, or another one now, has no windows from before`, async () => {
    const at = await place();
    const alerts = await open(at);
    closes.push(() => alerts.close());
    const [error] = alerts.rules.filter((rule) => rule.name === "error");
    if (error === undefined) throw new Error("no rule");
    const looked = async (): Promise<void> => {
      clock.ms += 1_000;
      await soon(() => expect(alerts.document.looked_ms).toBe(clock.ms));
    };
    clock.ms += 5 * 60_000;
    alerts.replaceRules([
      { ...error, above: 0.1 },
      { ...error, name: "later" },
    ]);
    await looked();
    await putTurns(at.store, start + 60_000, [{ root: "a", agent: "a", failed: true }]);
    for (let index = 0; index < 2; index += 1) {
      alerts.wake(start + 60_000);
      await looked();
      await looked();
    }
    expect(reported("firing")).toEqual([]);
    // A stop is no beginning: the windows in it are looked at.
    expect((await at.keep().load()).begun).toEqual(alerts.document.begun);
    expect(alerts.document.begun?.["later"]?.at_ms).toBeGreaterThan(start + 60_000);
  });
}
