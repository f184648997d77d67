/**
 * @module Two journeys by keyboard alone: what changed since the release, and whether telemetry is
 * being lost. Each within a minute, from the home.
 */
import { beforeAll, expect, test } from "vitest";
import type { TurnEvent } from "@turnproof/evidence";

import { sendStory } from "../../apps/briefing/story.ts";
import { judgedRoots } from "./judged-turns.ts";
import { press } from "./keys.ts";
import { openedSite } from "./opened-site.ts";

/** A producer's report of its own counters; what one service lost blocks its own turns alone. */
function report(producer: string, service: string, lost: number): TurnEvent {
  return {
    schema_version: 3,
    event_id: `${producer}-report`,
    event_kind: "data_quality",
    operation: "data_quality",
    phase: "event",
    status: "success",
    timestamp: new Date().toISOString(),
    application_id: service,
    root_trace_id: `report-${producer}`,
    producer_id: producer,
    producer_seq: 1,
    attributes: { loss_created: 500, loss_dropped: lost, sampled_out: 0, write_failures: 0 },
  };
}

const { site, visit } = openedSite({
  put: [report("pod-a-1", "newsroom", 0), report("pod-b-7", "pressroom", 37)],
});

beforeAll(async () => {
  await sendStory(site.url, { endMs: Date.now(), turns: 30, hours: 2 });
  await judgedRoots(site, "verdict=success", 1);
});

test("what changed since the release: mark two turns, compare, read what is open", async () => {
  const page = await visit("/traces?agent_id=briefing-writer");
  const began = performance.now();
  await page.locator("[data-rows] tr").nth(5).waitFor();
  await page.waitForFunction(() => document.querySelector("[data-filter] [role=combobox]"));
  await press(page, "j", "m", "j", "j", "j", "m");
  await page.locator("[data-marks]").waitFor();
  await Promise.all([page.waitForURL(/\/traces\/compare\?/), press(page, "c")]);
  const heads = page.locator(".head");
  expect(await heads.count()).toBe(2);
  const ended = await heads
    .locator("time")
    .evaluateAll((times) => times.map((time) => time.getAttribute("datetime") ?? ""));
  expect(ended[0]?.localeCompare(ended.at(-1) ?? "")).toBe(-1);
  await page.locator("body[data-ready]").waitFor();
  await press(page, "n");
  const open = page.locator("#not-established");
  expect(await open.evaluate((node) => node === document.activeElement)).toBe(true);
  const points = await open.locator("li .what").allInnerTexts();
  // A cached answer beside a full turn: operations differ, and tokens are on one side alone.
  if (points.length === 0) expect(await open.innerText()).toMatch(/Nothing is left open/);
  else for (const point of points) expect(point).not.toBe("");
  const rows = page.locator(".op");
  const all = await rows.count();
  const checked = await page.locator("[data-only-changes]").isChecked();
  await press(page, "x");
  expect(await page.locator("[data-only-changes]").isChecked()).toBe(!checked);
  if (!checked) expect(await rows.locator("visible=true").count()).toBeLessThanOrEqual(all);
  await press(page, "?");
  expect(await page.locator("dialog[data-help]").innerText()).toMatch(/To what is not established/);
  await press(page, "Escape");
  await Promise.all([page.waitForURL(/baseline_root/), press(page, "s")]);
  expect(performance.now() - began).toBeLessThan(60_000);
});

test("are we losing telemetry: health, producer, number", async () => {
  const page = await visit("/traces");
  await page.waitForFunction(() => document.querySelector("[data-filter] [role=combobox]"));
  await Promise.all([page.waitForURL(/\/traces\/health/), press(page, "g", "h")]);
  const losses = page.locator("#losses");
  const answer = await losses.locator(".answer").innerText();
  expect(answer).toMatch(/Yes: at least 37 events are known to be lost/);
  // A sender without a name cannot be accounted for.
  expect(answer).toMatch(/unknown/);
  const row = losses.locator("tbody tr").first();
  expect(await row.innerText()).toMatch(/pod-b-7[\s\S]*known 37/);
  expect(await losses.locator("tr", { hasText: "pod-a-1" }).innerText()).toMatch(/known 0/);
  const silent = losses.locator("tr", { hasText: "does not number its events" });
  expect(await silent.innerText()).toMatch(/newsroom[\s\S]*unknown/);
  const twin = (await (await fetch(`${site.url}/traces/health.json`)).json()) as {
    readonly collector: { readonly ingest: { readonly conservation: Record<string, number> } };
  };
  const { received = 0, recovered = 0 } = twin.collector.ingest.conservation;
  const totals = await page.locator(".equation .total .num").allInnerTexts();
  const whole = (received + recovered).toLocaleString("en-US");
  expect(totals).toEqual([whole, whole]);
});

test("watching draws lines without a word from the content policy", async () => {
  const page = await visit("/traces/health");
  await page.locator("[data-watch]:not([hidden])").waitFor();
  await press(page, "w");
  await page.locator("[data-watch-plots] svg").nth(2).waitFor();
  await page.waitForFunction(
    () => document.querySelectorAll("[data-latest]")[2]?.textContent !== "…",
  );
  await press(page, "w");
  expect(await page.locator("[data-watch-plots] svg").count()).toBe(0);
});
