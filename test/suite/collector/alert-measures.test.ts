/** What a rule counts: losses by receipt, costs as a range, and findings of enough turns. */
import type { TurnEvent } from "@turnproof/evidence";
import { ephemeral, recordStored } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { breaks, valueText } from "../../../collector/src/alerts/breach.ts";
import { measureRule } from "../../../collector/src/alerts/measure.ts";
import type { MeasureParts } from "../../../collector/src/alerts/rule-query.ts";
import { previewRule } from "../../../collector/src/alerts/preview.ts";
import { parseAlertRules } from "../../../collector/src/config/alert-rules.ts";
import type { AlertRule } from "../../../collector/src/config/alert-rules.ts";
import { measureParts, openAlerts, putTurns } from "./alert-desk.ts";
import { openReceiver } from "./alert-receiver.ts";
import type { Receiver } from "./alert-receiver.ts";
import { judgeTurns, openDesk, turnEvents } from "./desk.ts";

const start = Date.parse("2026-11-21T12:00:00Z");
const minute = 60_000;
const iso = (ms: number): string => new Date(ms).toISOString();
let receiver: Receiver;
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(() => receiver.close());

function ruleOf(of: string): AlertRule {
  const [rule] = parseAlertRules(`version: 1\nrules:\n  - {name: one, window: 10m, ${of}}`);
  if (rule === undefined) throw new Error("no rule");
  return rule;
}

let reports = 0;
async function putReport(
  store: EvidenceStore,
  { dropped, atMs, receivedMs }: { dropped: number; atMs: number; receivedMs: number },
): Promise<void> {
  const id = `report-${(reports += 1)}`;
  const report: TurnEvent = {
    schema_version: 3,
    event_id: id,
    event_kind: "data_quality",
    phase: "event",
    status: "success",
    timestamp: iso(atMs),
    application_id: "till",
    root_trace_id: id,
    producer_id: "pod-1",
    attributes: { loss_created: 100, loss_exported: 100 - dropped, loss_dropped: dropped },
  };
  const receivedAt = iso(receivedMs).replace("Z", "000Z");
  await store.append({ batchId: id, receivedAt, events: [report] });
}

test.each(["ephemeral", "filesystem", "clickhouse"])(
  "a loss counts by the receipt of its report, once (%s)",
  async (backend) => {
    const desk = await openDesk({ TURNPROOF_BACKEND: backend }, { judge: false });
    const clock = { ms: start };
    const parts = await measureParts(desk.store, clock);
    const lost = async (): Promise<unknown> =>
      (await measureRule(parts, ruleOf("measure: lost_events, above: 0"), clock.ms))[0]?.value;
    try {
      // It comes an hour late.
      await putReport(desk.store, { dropped: 10, atMs: start - 60 * minute, receivedMs: start });
      expect(await lost()).toBe(10);
      clock.ms += 11 * minute;
      expect(await lost()).toBe(0);
      // Later and earlier reports of the same total add nothing.
      await putReport(desk.store, { dropped: 10, atMs: clock.ms, receivedMs: clock.ms });
      await putReport(desk.store, {
        dropped: 10,
        atMs: start - 90 * minute,
        receivedMs: clock.ms,
      });
      expect(await lost()).toBe(0);
      await putReport(desk.store, { dropped: 13, atMs: clock.ms + 1, receivedMs: clock.ms });
      expect(await lost()).toBe(3);
      // The store was away meanwhile: this one waited in the journal since its receipt.
      await putReport(desk.store, { dropped: 17, atMs: clock.ms + 2, receivedMs: clock.ms });
      clock.ms += 30 * minute;
      expect(await lost()).toBe(4);
      clock.ms += 11 * minute;
      expect(await lost()).toBe(0);
    } finally {
      await desk.collector.close();
    }
  },
);

/** A turn of one model call with a million tokens of input, $1.25 to $2.50 of gpt-4o. */
async function putCall(
  store: EvidenceStore,
  of: { root: string; model?: string; provider?: string; cached?: number },
): Promise<void> {
  const { root, model = "gpt-4o", provider = "openai", cached } = of;
  const cached_tokens = cached === undefined ? {} : { cached_tokens: cached };
  const attributes = {
    model,
    provider,
    input_tokens: 1_000_000,
    output_tokens: 0,
    ...cached_tokens,
  };
  const events = turnEvents({ root, at: iso(start - minute) }).map((event) =>
    event.event_kind === "model_call" ? { ...event, attributes } : event,
  );
  const receivedAt = iso(start - minute).replace("Z", "000Z");
  await store.append({ batchId: `call-${root}`, receivedAt, events });
  await recordStored(store, allTenants, [root]);
}

async function costs(parts: MeasureParts, of: string): Promise<unknown> {
  const rule = ruleOf(`measure: cost_usd, ${of}`);
  return (await measureRule(parts, rule, start)).map(({ group, value, cost }) => [
    group,
    breaks(rule, value, null),
    valueText(rule, value, cost),
  ]);
}

test("a cost of unknown cached tokens is a range, and its upper bound raises the alarm", async () => {
  const store = ephemeral();
  const parts = await measureParts(store, { ms: start });
  await putCall(store, { root: "a" });
  const range = "$1.25 to $2.50";
  expect(await costs(parts, "above: 2")).toEqual([[null, true, range]]);
  expect(await costs(parts, "above: 2.5")).toEqual([[null, false, range]]);
  expect(await costs(parts, "below: 2")).toEqual([[null, true, range]]);
  expect(await costs(parts, "below: 1.25")).toEqual([[null, false, range]]);
  await putCall(store, { root: "b", model: "house-model-1" });
  expect(await costs(parts, "above: 2")).toEqual([
    [null, true, `${range}, and 1 call without a price`],
  ]);
  expect(await costs(parts, "above: 2, by: model")).toEqual([
    ["gpt-4o", true, range],
    ["house-model-1", null, "not established, and 1 call without a price"],
  ]);
  const targets = [{ name: "ops", kind: "webhook" as const, url: receiver.url }];
  const rules = "  - {name: dear, measure: cost_usd, window: 10m, above: 2}";
  const alerts = await openAlerts(store, { ms: start }, { rules, targets });
  await vi.waitFor(() => expect(receiver.got).toHaveLength(1), { timeout: 20_000 });
  await alerts.close();
  const { data } = JSON.parse(receiver.got[0]?.body ?? "") as { data: Record<string, unknown> };
  expect(data["sentence"]).toContain(": $1.25 to $2.50, and 1 call without a price, above $2.00");
  expect(data).toMatchObject({ value: 2.5, cost: { low_usd: 1.25, unpriced_calls: 1 } });
});

test("the same model of two providers is one group", async () => {
  const store = ephemeral();
  const parts = await measureParts(store, { ms: start });
  await putCall(store, { root: "a", cached: 0 });
  await putCall(store, { root: "b", cached: 0, provider: "azure" });
  expect(await costs(parts, "above: 4, by: model")).toEqual([["gpt-4o", true, "$5.00"]]);
});

test("insights are counted as findings are, and not as findings of the same code", async () => {
  const store = ephemeral();
  const parts = await measureParts(store, { ms: start });
  await putTurns(
    store,
    start - minute,
    ["a", "b", "c", "d", "e"].map((root) => ({ root })),
  );
  const judged = { verdict: "success", finding_codes: [] };
  await judgeTurns(store, ["a", "b"], { ...judged, insight_codes: ["repeated_fallback"] });
  await judgeTurns(store, ["c"], { ...judged, insight_codes: ["ownership_unverified"] });
  await judgeTurns(store, ["d", "e"], {
    verdict: "failed",
    finding_codes: ["ownership_unverified"],
  });
  const values = async (insight: string, more = ""): Promise<unknown> => {
    const rule = ruleOf(`measure: insights, insight: ${insight}, above: 1${more}`);
    const past = await previewRule(parts, rule, { nowMs: start + 20 * minute, days: 1 });
    const now = await measureRule(parts, rule, start);
    return [now.map(({ value }) => value), "alerts" in past ? past.alerts : past];
  };
  expect(await values("repeated_fallback")).toEqual([[2], 1]);
  expect(await values("ownership_unverified")).toEqual([[1], 0]);
  expect(await values("answer_cut")).toEqual([[0], 0]);
  expect(await values("repeated_fallback", ", min_count: 6")).toEqual([[null], 0]);
});

test("findings are of at least min_count turns, in the preview as well", async () => {
  const store = ephemeral();
  const parts = await measureParts(store, { ms: start });
  const found = { verdict: "partial", codes: ["artifact_missing"] };
  await putTurns(store, start - minute, [
    { root: "a", ...found },
    { root: "b", verdict: "success" },
    { root: "c", verdict: "success", agent: "other" },
  ]);
  const findings = "measure: findings, finding: artifact_missing, above: 0";
  const values = async (more: string): Promise<unknown> =>
    (await measureRule(parts, ruleOf(findings + more), start)).map((one) => [one.group, one.value]);
  const alerts = async (more: string): Promise<unknown> => {
    const span = { nowMs: start + 20 * minute, days: 1 };
    const past = await previewRule(parts, ruleOf(findings + more), span);
    return "alerts" in past ? past.alerts : past;
  };
  expect([await values(""), await alerts("")]).toEqual([[[null, 1]], 1]);
  expect([await values(", min_count: 3"), await alerts(", min_count: 3")]).toEqual([
    [[null, 1]],
    1,
  ]);
  expect([await values(", min_count: 4"), await alerts(", min_count: 4")]).toEqual([
    [[null, null]],
    0,
  ]);
  const two = ", by: agent, min_count: 2";
  expect([await values(two), await alerts(two)]).toEqual([
    [
      ["helper", 1],
      ["other", null],
    ],
    1,
  ]);
});
