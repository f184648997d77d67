/**
 * @module What sets some turns apart, as an operator reads it: counts of both sides, what is
 * unknown, how far was counted, and a value that narrows the filter.
 */
import { beforeAll, expect, test } from "vitest";
import type { TurnEvent } from "@turnproof/evidence";
import type { Page } from "playwright-core";

import { turnEvents } from "../collector/desk.ts";
import { expectSoundInEveryLook } from "./every-look.ts";
import { openedSite } from "./opened-site.ts";

const { site, visit } = openedSite();

/** Tools that only turns of the slow agent call. */
const tools = Array.from({ length: 9 }, (_, n) => `tool-${n}`);

/** A failed call of each of them in place of the turn's own. */
const failed =
  (event: TurnEvent) =>
  (tool: string): TurnEvent => ({
    ...event,
    event_id: `${event.event_id}-${tool}`,
    span_id: `${event.span_id}-${tool}`,
    status: "error",
    attributes: { ...event.attributes, tool_name: tool },
  });

beforeAll(async () => {
  // Of twenty turns each fifth is of the agent whose tool fails.
  const events = Array.from({ length: 20 }, (_, n) => {
    const at = new Date(Date.UTC(2026, 10, 20, 0, n)).toISOString();
    const agent = n % 5 === 0 ? "slow" : "quick";
    const own = turnEvents({ root: `root-${n}`, at, user: "ann", agent, thread: `thr-${n}` });
    return own.flatMap((event) =>
      agent === "slow" && event.event_kind === "tool_call" ? tools.map(failed(event)) : [event],
    );
  });
  await site.put(events.flat());
});

const cells = (page: Page): Promise<readonly (readonly string[])[]> =>
  page
    .locator("[data-differences] tbody tr:has(td)")
    .evaluateAll((rows) =>
      rows.map((row) =>
        [...row.querySelectorAll("td")].slice(0, 4).map((td) => td.innerText.trim()),
      ),
    );

test("w counts both sides; what is asked for is no news; a value narrows the filter", async () => {
  const page = await visit("/traces?q=has:error&limit=5");
  await page.locator("[data-differences]").waitFor({ state: "visible" });
  await page.keyboard.press("w");
  const extent = page.locator("[data-differences-extent]");
  await extent.waitFor();
  expect(await extent.innerText()).toMatch(
    /^These: all 4 turns of the filter\. The others: all 12 turns of the same time/,
  );
  const lines = await cells(page);
  expect(lines).toContainEqual(["Agent", "slow", "4 of 4 · 100 %", "0 of 12 · 0 %"]);
  // One of 1,820 ways to choose four of sixteen turns, times the compared values.
  const line = page.locator("[data-differences] tbody tr", { hasText: "slow" });
  expect(await line.getAttribute("data-chance")).toBeNull();
  expect(await line.locator("td").nth(5).innerText()).toMatch(/^\+100 \[\+\d+, \+100\]$/);
  expect(Number(await line.locator("td").nth(6).innerText())).toBeLessThan(0.05);
  expect(lines.find(([, value]) => value === "ann")).toBeUndefined();
  expect(lines.find(([what]) => what === "Status")).toBeUndefined();
  expect(await page.locator("[data-differences]").innerText()).toMatch(/Finding 4 and 12/);
  await expectSoundInEveryLook(page, [1440, 320]);
  await page.locator("[data-differences] a", { hasText: "slow" }).focus();
  await Promise.all([page.waitForURL(/agent_id=slow/), page.keyboard.press("Enter")]);
  expect(new URL(page.url()).searchParams.get("q")).toBe("has:error");
});

test("five origins are drawn before the results; the others at a button, which leads on to them", async () => {
  const page = await visit("/traces?q=has:error&limit=5");
  await page.locator("[data-differences] summary").click();
  const lines = page.locator("[data-differences] tbody tr:has(td)");
  const origins = page.locator("[data-differences] [data-kind=origin] tr:has(td)");
  await lines.first().waitFor();
  expect(await origins.count()).toBe(5);
  const heads = await page.locator("[data-differences] tbody th").allInnerTexts();
  expect(heads[0]).toBe("What these turns are");
  const drawn = await lines.count();
  const more = page.locator("[data-more-values]");
  const others = Number.parseInt(await more.innerText(), 10);
  expect(others).toBeGreaterThan(0);
  await more.focus();
  await page.keyboard.press("Enter");
  expect(await lines.count()).toBe(drawn + others);
  expect(await more.count()).toBe(0);
  const focused = await page.evaluate(() => document.activeElement?.textContent);
  expect(focused).toBe(await origins.nth(5).locator("a").innerText());
});

test("all turns of a time leave nothing to compare; a page without rows or a filter offers none", async () => {
  const page = await visit("/traces?user_id=ann");
  await page.locator("[data-differences] summary").click();
  await page
    .locator("[data-differences]", { hasText: "Every turn of their time passes" })
    .waitFor();
  await page.goto(`${site.url}/traces?agent_id=nobody`);
  expect(await page.locator("[data-differences]").count()).toBe(0);
  await page.goto(`${site.url}/traces?start_time=2026-11-20T00%3A00%3A00Z`);
  expect(await page.locator("[data-differences]").count()).toBe(0);
});
