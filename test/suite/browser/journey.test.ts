/**
 * @module Journeys by keyboard alone, and what the browser's own part promises: marks, filters in
 * the address, the live tail, the empty home that turns into the first trace.
 */
import { beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { sendSpans, sendStory, storySpans } from "../../apps/briefing/story.ts";
import { brokenRoot, brokenTrace } from "./broken-trace.ts";
import { judgedRoots } from "./judged-turns.ts";
import { listReady, press } from "./keys.ts";
import { openedSite, ownSite, wide } from "./opened-site.ts";

const { site, visit } = openedSite({ put: brokenTrace });

beforeAll(async () => {
  await sendStory(site.url, { endMs: Date.now(), turns: 40, hours: 2 });
  await judgedRoots(site, "verdict=failed", 2);
});

const focusedText = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.textContent ?? "");

test("from home to why a turn failed, by keyboard alone", async () => {
  const page = await visit("/traces");
  await listReady(page);
  await press(page, "/");
  await page.keyboard.type("verdict:failed ");
  await Promise.all([page.waitForURL(/verdict=failed/), press(page, "Enter")]);
  await page.locator("[data-rows] tr").first().waitFor();
  await listReady(page);
  await press(page, "j");
  expect(await focusedText(page)).toContain("failed");
  await Promise.all([page.waitForURL(/\/traces\/[0-9a-f]{32}/), press(page, "Enter")]);
  await page.locator("body[data-ready]").waitFor();
  expect(await page.locator(".verdict .sentence").innerText()).toMatch(/failed/);
  await press(page, "]");
  const row = await page.evaluate(() => document.activeElement?.getAttribute("data-event") ?? "");
  expect(row).not.toBe("");
  expect(await page.locator("[data-panel-body]").innerText()).toContain(row);
  await press(page, "e");
  expect(await page.locator("[data-panel-body] pre").first().innerText()).toContain(row);
  await press(page, "g", "h");
  await page.waitForURL(/\/traces\/health/);
});

test("the tree grid goes by its keys and keeps one tab stop", async () => {
  const page = await visit("/traces?event_kind=artifact");
  await Promise.all([
    page.waitForURL(/\/traces\/[0-9a-f]{32}/),
    page.locator("a.open").first().click(),
  ]);
  await page.locator("body[data-ready]").waitFor();
  const grid = page.locator("[role=treegrid]");
  const rows = grid.locator("[role=row][aria-level]");
  const all = await rows.count();
  expect(await grid.locator("[role=row][tabindex='0']").count()).toBe(1);
  await page.locator("#row-0").focus();
  await press(page, "ArrowLeft");
  expect(await page.locator("#row-0").getAttribute("aria-expanded")).toBe("false");
  expect(await rows.count()).toBe(1);
  await press(page, "ArrowRight");
  expect(await rows.count()).toBe(all);
  await press(page, "ArrowRight");
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("row-1");
  expect(await page.locator("#row-1").getAttribute("aria-level")).toBe("2");
  expect(await page.locator("#row-1").getAttribute("aria-posinset")).toBe("1");
  await press(page, "ArrowLeft");
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("row-0");
  await press(page, "End");
  expect(await page.evaluate(() => document.activeElement?.id)).toBe(`row-${all - 1}`);
  expect(await grid.locator("[role=row][tabindex='0']").count()).toBe(1);
});

test("a broken trace shows each gap where it is, and u leads to the missing parent", async () => {
  const page = await visit(`/traces/${brokenRoot}`);
  await page.locator("body[data-ready]").waitFor();
  const text = await page.locator(".waterfall").innerText();
  for (const words of [
    "2 without parent",
    "1 without cause",
    "2 in a cycle",
    "1 without end",
    "missing cause",
    "cycle",
    "clock skew",
    "remote parent",
    "no end",
  ]) {
    expect(text).toContain(words);
  }
  const named = (): string | null =>
    new URLSearchParams(new URL(page.url()).hash.slice(1)).get("event");
  await press(page, "j");
  expect(named()).toBe(await page.locator(".wf-row:focus").getAttribute("data-event"));
  await press(page, "u");
  const hollow = page.locator(".wf-row:focus");
  expect(named(), "a missing span has no event").toBeNull();
  expect(await hollow.innerText()).toContain("missing parent");
  expect(await hollow.getAttribute("aria-expanded")).toBe("true");
  expect(await page.locator("[data-panel-body]").innerText()).toContain("feedfacecafebeef");
  await press(page, "ArrowRight");
  expect(await page.locator(".wf-row:focus").innerText()).toContain("first_orphan");
  expect(await page.locator(".wf-row:focus").getAttribute("aria-setsize")).toBe("2");
  expect(await page.locator('.wf-row[data-event="open:start"] .unknown-fill').count()).toBe(1);
  const idle = page.locator('[data-wf-tool="idle"]');
  expect(await idle.innerText()).toMatch(/Compress .* idle/);
  await press(page, "x");
  expect(await page.locator(".wf-row .tear").count()).toBeGreaterThan(0);
});

test("the server's first rows say what the browser's say", async () => {
  const rows = async (script: boolean): Promise<readonly string[]> => {
    const page = await visit(`/traces/${brokenRoot}`, { ...wide, script });
    if (script) await page.locator("body[data-ready]").waitFor();
    const texts = await page.locator(".wf-row").evaluateAll((nodes) =>
      nodes
        .map((node) => {
          const { index } = (node as HTMLElement).dataset;
          const bars = [...node.querySelectorAll("rect, path, use")].map((shape) =>
            ["x", "width", "d", "href"].map((name) => shape.getAttribute(name)).join(","),
          );
          return `${index} ${node.getAttribute("aria-level")} ${node.textContent} ${bars.join(";")}`;
        })
        .toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10)),
    );
    return texts;
  };
  expect(await rows(true)).toEqual(await rows(false));
});

test("no shortcut fires while somebody types, and the help shows the table", async () => {
  const page = await visit("/traces");
  await listReady(page);
  await press(page, "/");
  await page.keyboard.type("gh?tmj");
  expect(page.url()).toMatch(/\/traces$/);
  expect(await page.locator("[role=combobox]").inputValue()).toBe("gh?tmj");
  expect(await page.locator("dialog").count()).toBe(0);
  await press(page, "Escape", "Escape", "?");
  const help = await page.locator("dialog[data-help]").innerText();
  for (const words of ["This help", "Next row", "Mark the turn", "Health"]) {
    expect(help).toContain(words);
  }
  await press(page, "Escape");
  // A dialog sends its close event a moment after it is closed.
  await page.locator("dialog").waitFor({ state: "detached" });
});

test("two marked turns are compared without anybody pasting an id", async () => {
  const page = await visit("/traces?agent_id=briefing-writer");
  await listReady(page);
  await press(page, "j", "m", "j", "j", "m");
  expect(await page.locator("tr[data-marked]").count()).toBe(2);
  await Promise.all([page.waitForURL(/\/traces\/compare\?/), press(page, "c")]);
  const query = new URL(page.url()).searchParams;
  expect(query.get("agent_id")).toBe("briefing-writer");
  expect(query.get("baseline_root")).toMatch(/^[0-9a-f]{32}$/);
  expect(query.get("candidate_root")).not.toBe(query.get("baseline_root"));
});

test("the filter bar is the address: terms of the store become parameters, the rest is q", async () => {
  const page = await visit("/traces", { ...wide, script: false });
  await page
    .locator("[data-filter] input")
    .fill("agent:briefing-writer cache:miss -user:usr_bo latency:soon");
  await Promise.all([page.waitForURL(/agent_id=/), page.keyboard.press("Enter")]);
  const query = new URL(page.url()).searchParams;
  expect(query.get("agent_id")).toBe("briefing-writer");
  expect(query.get("q")).toBe("cache:miss -user:usr_bo latency:soon");
  expect(await page.locator("main").innerText()).toMatch(
    /Not understood and not applied:\s+latency:soon/,
  );
  const agents = await page.locator("td.c-agent").allInnerTexts();
  expect(agents.length).toBeGreaterThan(0);
  for (const agent of agents) expect(agent).toMatch(/briefing-writer$/);
});

test("a brush over the histogram narrows the time", async () => {
  const page = await visit("/traces");
  await listReady(page);
  // The bars of all turns take the place of the page's own.
  await page.locator("[data-readout]", { hasText: "in all" }).waitFor();
  const box = await page.locator("[data-histogram] > svg").boundingBox();
  if (box === null) throw new Error("no histogram");
  const busy = await page
    .locator("[data-histogram] g")
    .evaluateAll((bars) => bars.map((bar) => Number((bar as SVGGElement).dataset["turns"])));
  // Wherever the turns of this hour of the day lie: over the fullest bar and its neighbours.
  const fullest = busy.indexOf(Math.max(...busy));
  const at = (bar: number): number => box.x + (box.width * bar) / busy.length;
  await page.mouse.move(Math.max(at(fullest - 1), box.x + 1), box.y + 20);
  await page.mouse.down();
  const right = Math.min(at(fullest + 2), box.x + box.width - 1);
  await page.mouse.move(right, box.y + 20, { steps: 4 });
  await Promise.all([page.waitForURL(/start_time=/), page.mouse.up()]);
  const query = new URL(page.url()).searchParams;
  const [start, end] = [query.get("start_time") ?? "", query.get("end_time") ?? ""];
  expect(Date.parse(end) - Date.parse(start)).toBeGreaterThan(0);
  const times = await page
    .locator("td.c-time time")
    .evaluateAll((nodes) => nodes.map((node) => (node as HTMLTimeElement).dateTime));
  expect(times.length).toBeGreaterThan(0);
});

test("the empty home turns into the first trace when it arrives", async () => {
  const fresh = await ownSite();
  const page = await visit("/traces", wide, { on: fresh });
  await page.locator("[data-waiting]").waitFor({ state: "visible" });
  expect(await page.locator("pre").first().innerText()).toContain(fresh.url);
  const [turn] = await storySpans({ endMs: Date.now(), turns: 1, hours: 0.1 });
  await sendSpans(fresh.url, turn ?? []);
  await page.locator("[data-rows] tr").first().waitFor({ state: "visible", timeout: 10_000 });
  expect(await page.locator("[data-first-steps]").count()).toBe(0);
  // The counts beside it never contradict the list, and soon include it.
  const extent = page.locator("[data-facet-extent]");
  expect(await extent.innerText()).not.toBe("All 0 turns");
  await page.locator("[data-facet=agent] a").focus();
  await extent.filter({ hasText: "All 1 turn" }).waitFor({ timeout: 12_000 });
  expect(await page.locator("[data-facet=agent] a:focus").count()).toBe(1);
  await page.locator("[data-readout]", { hasText: "1 turn in all" }).waitFor();
});

test("the live tail waits while somebody reads further down, and says how much is new", async () => {
  const page = await visit("/traces?limit=250", { ...wide, height: 500 });
  await listReady(page);
  await page.mouse.wheel(0, 600);
  await page.waitForFunction(() => window.scrollY > 100);
  const before = await page.locator("[data-rows] tr").count();
  const [turn] = await storySpans({ endMs: Date.now(), turns: 1, hours: 0.01 });
  await sendSpans(site.url, turn ?? []);
  const pill = page.locator("[data-arrived]");
  await pill.waitFor({ timeout: 10_000 });
  expect(await pill.innerText()).toMatch(/1 new turn/);
  expect(await page.locator("[data-rows] tr").count()).toBe(before);
  await pill.locator("button").click();
  await expect.poll(() => page.locator("[data-rows] tr").count()).toBe(before + 1);
});

test("a list that is drawn again leaves the focus on its row", async () => {
  const page = await visit("/traces?limit=250");
  await page.locator("[data-live]").waitFor({ state: "visible" });
  await press(page, "j", "j", "j");
  const focused = (): Promise<string | null> =>
    page.evaluate(() => document.activeElement?.getAttribute("href") ?? null);
  const row = await focused();
  expect(row).toMatch(/^\/traces\//);
  const before = await page.locator("[data-rows] tr").count();
  const [turn] = await storySpans({ endMs: Date.now(), turns: 1, hours: 0.01 });
  await sendSpans(site.url, turn ?? []);
  await page.locator("[data-arrived]").waitFor({ timeout: 20_000 });
  expect(await focused()).toBe(row);
  await press(page, ".");
  await expect.poll(() => page.locator("[data-rows] tr").count()).toBe(before + 1);
  expect(await focused()).toBe(row);
  expect(await page.locator("[data-row][tabindex='0']").count()).toBe(1);
});

test("theme, clock and density stay chosen", async () => {
  const page = await visit("/traces");
  await page.locator("[data-switch=clock]").waitFor({ state: "visible" });
  await page.locator("[data-switch=theme]").click();
  await page.locator("[data-switch=theme]").click();
  await page.locator("[data-switch=clock]").click();
  await page.locator("[data-switch=density]").click();
  await page.reload();
  const chosen = await page.evaluate(() =>
    Object.fromEntries(Object.entries(document.documentElement.dataset)),
  );
  expect(chosen).toMatchObject({ theme: "dark", clock: "local", density: "dense" });
});
