/** The link of an alert to what is behind it: its turns, or the losses of producers. */
import { ephemeral } from "@turnproof/store";
import { expect, test } from "vitest";

import { messageBody, turnsQuery } from "../../../collector/src/alerts/alert-message.ts";
import type { AlertRule } from "../../../collector/src/config/alert-rules.ts";
import { parseAlertRules } from "../../../collector/src/config/alert-rules.ts";
import { collectorScope } from "../../../collector/src/access/grants.ts";
import { turnQueryOf } from "../../../collector/src/turns/turn-conditions.ts";
import { putTurns } from "./alert-desk.ts";

const endMs = Date.parse("2026-11-21T12:00:00Z");

function ruleOf(of: string): AlertRule {
  const [parsed] = parseAlertRules(`version: 1\nrules:\n  - { name: r, window: 10m, ${of} }\n`);
  if (parsed === undefined) throw new Error("no rule");
  return parsed;
}

function termsOf(rule: string, group?: string | null): string | null {
  return new URLSearchParams(turnsQuery(ruleOf(rule), group, endMs)).get("q");
}

test("a group that the rule's filter names is one term", () => {
  const rule = 'measure: error_share, above: 0, by: agent, where: "agent:bad"';
  expect(termsOf(rule, "bad")).toMatch(/^agent:bad has:error received:/);
  expect(termsOf(rule, "other")).toMatch(/^agent:bad agent:other has:error received:/);
});

test("a group that is one of a list of the filter is listed alone", async () => {
  const store = ephemeral();
  const turns = ["a", "b", "c"].map((agent) => ({ root: agent, agent, failed: true }));
  await putTurns(store, endMs - 60_000, turns);
  const rule = 'measure: error_share, above: 0, by: agent, where: "agent:a,b -tool:x"';
  expect(termsOf(rule, "b")).toMatch(/^-tool:x agent:b has:error received:/);
  expect(termsOf(rule)).toMatch(/^agent:a,b -tool:x has:error received:/);
  const listed = async (group?: string): Promise<number> => {
    const q = termsOf(rule, group) ?? "";
    return store.ledger.countTurns(turnQueryOf({ scope: collectorScope(), query: {} }, { q }));
  };
  expect(await Promise.all([listed("a"), listed("b"), listed()])).toEqual([1, 1, 2]);
});

test("the turns with an insight are listed by its term", () => {
  const rule = "measure: insights, insight: repeated_fallback, above: 5";
  expect(termsOf(rule)).toMatch(/^insight:repeated_fallback received:/);
});

test("the group without a value is its turns, and not those of all groups", async () => {
  const store = ephemeral();
  await putTurns(store, endMs - 60_000, [
    { root: "a", agent: "a", failed: true },
    { root: "b", agent: "b", failed: true },
  ]);
  const listed = async (by: string, group?: string | null): Promise<number> => {
    const q = termsOf(`measure: error_share, above: 0, by: ${by}`, group) ?? "";
    return store.ledger.countTurns(turnQueryOf({ scope: collectorScope(), query: {} }, { q }));
  };
  expect(termsOf("measure: p95_ms, above: 1, by: model", null)).toMatch(/^-has:model latency:/);
  // Every turn has an agent and none has a release.
  expect(await listed("agent", null)).toBe(0);
  expect(await listed("release", null)).toBe(2);
  expect(await listed("agent", "a")).toBe(1);
  expect(await listed("agent")).toBe(2);
});

const alert = {
  id: "alert_1",
  rule: "r",
  group: null,
  since: "2026-11-21T11:59:00.000Z",
  value: 3,
  roots: [],
  broken_ms: endMs,
  notified: true,
  resolved: false,
};

/** Body of a message to a kind of target. */
function bodyOf(kind: "webhook" | "slack" | "alertmanager", rule: AlertRule): string {
  const event = {
    kind: "firing",
    rule,
    alert,
    value: 3,
    atMs: endMs,
    base: "https://t.test",
  } as const;
  return messageBody({ name: kind, kind, url: "https://r.test" }, event);
}

test("the losses of producers are on Health, not in a list of turns", () => {
  const rule = ruleOf("measure: lost_events, above: 0");
  for (const kind of ["webhook", "slack", "alertmanager"] as const) {
    expect(bodyOf(kind, rule)).toContain("https://t.test/traces/health#losses");
    expect(bodyOf(kind, rule)).not.toContain("/traces?");
  }
});

test("Alertmanager gets the link to the turns", () => {
  const rule = ruleOf("measure: error_share, above: 0.1, by: model");
  const [sent] = JSON.parse(bodyOf("alertmanager", rule)) as [
    { generatorURL: string; annotations: { turns: string } },
  ];
  expect(sent.generatorURL).toBe(`https://t.test/traces${turnsQuery(rule, null, endMs)}`);
  expect(sent.annotations.turns).toBe(sent.generatorURL);
});
