/** The link of an alert to the turns behind it. */
import { expect, test } from "vitest";

import { turnsQuery } from "../../../collector/src/alerts/alert-message.ts";
import { parseAlertRules } from "../../../collector/src/config/alert-rules.ts";

const endMs = Date.parse("2026-11-21T12:00:00Z");

function termsOf(rule: string, group: string | null = null): string | null {
  const [parsed] = parseAlertRules(`version: 1\nrules:\n  - { name: r, window: 10m, ${rule} }\n`);
  if (parsed === undefined) throw new Error("no rule");
  return new URLSearchParams(turnsQuery(parsed, group, endMs)).get("q");
}

test("the turns behind lost events are those of the window", () => {
  const window = /^received:>=2026-11-21T11:50:00\S* received:<2026-11-21T12:00:00\S*$/;
  expect(termsOf("measure: lost_events, above: 0", null)).toMatch(window);
});

test("the turns with an insight are listed by its term", () => {
  const rule = "measure: insights, insight: repeated_fallback, above: 5";
  expect(termsOf(rule)).toMatch(/^insight:repeated_fallback received:/);
});

test("a group that the rule's filter names is one term", () => {
  const rule = 'measure: error_share, above: 0, by: agent, where: "agent:bad"';
  expect(termsOf(rule, "bad")).toMatch(/^agent:bad has:error received:/);
  expect(termsOf(rule, "other")).toMatch(/^agent:bad agent:other has:error received:/);
});
