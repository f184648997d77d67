/**
 * @module What is special about some turns, as an operator reads it: counts of both sides, what is
 * unsaid, how far was counted, and a value that narrows the filter.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";

import { turnEvents } from "../collector/desk.ts";
import {
  axeViolations,
  openBrowser,
  openSite,
  relook,
  sidewaysOverflow,
  visit,
} from "./browser.ts";
import type { Site } from "./browser.ts";

const look = { width: 1440, theme: "light" } as const;

let browser: Browser;
let site: Site;

beforeAll(async () => {
  [browser, site] = await Promise.all([openBrowser(), openSite()]);
  // Of twenty turns each fifth is of the agent whose tool fails.
  const events = Array.from({ length: 20 }, (_, n) => {
    const at = new Date(Date.UTC(2026, 10, 20, 0, n)).toISOString();
    const agent = n % 5 === 0 ? "slow" : "quick";
    const own = turnEvents({ root: `root-${n}`, at, user: "ann", agent, thread: `thr-${n}` });
    return own.map((event) =>
      agent === "slow" && event.event_kind === "tool_call"
        ? { ...event, status: "error" as const }
        : event,
    );
  });
  await site.put(events.flat());
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
});

const cells = (page: Page): Promise<readonly (readonly string[])[]> =>
  page
    .locator("[data-differences] tbody tr")
    .evaluateAll((rows) =>
      rows.map((row) =>
        [...row.querySelectorAll("td")].slice(0, 4).map((td) => td.innerText.trim()),
      ),
    );

test("w counts both sides; what is asked for is no news; a value narrows the filter", async () => {
  const { page, offences, close } = await visit(
    browser,
    site,
    "/traces?status=error&limit=5",
    look,
  );
  await page.locator("[data-differences]").waitFor({ state: "visible" });
  await page.keyboard.press("w");
  const extent = page.locator("[data-differences-extent]");
  await extent.waitFor();
  expect(await extent.innerText()).toMatch(
    /^These: all 4 turns of the filter\. The others: all 16 of the same time/,
  );
  const lines = await cells(page);
  expect(lines).toContainEqual(["Agent", "slow", "4 of 4 · 100 %", "0 of 16 · 0 %"]);
  expect(lines.find(([, value]) => value === "ann")).toBeUndefined();
  expect(lines.find(([what]) => what === "Status")).toBeUndefined();
  expect(await page.locator("[data-differences]").innerText()).toMatch(/Finding 4 and 16/);
  for (const theme of ["light", "dark"] as const) {
    for (const width of [1440, 320]) {
      await relook(page, { width, theme, forcedColors: width === 320 });
      expect(await axeViolations(page), `${width} ${theme}`).toEqual([]);
      expect(await sidewaysOverflow(page), `${width} ${theme}`).toBe(0);
    }
  }
  await page.locator("[data-differences] a", { hasText: "slow" }).focus();
  await Promise.all([page.waitForURL(/agent_id=slow/), page.keyboard.press("Enter")]);
  expect(new URL(page.url()).searchParams.get("status")).toBe("error");
  expect(offences).toEqual([]);
  await close();
});

test("all turns of a time, and none, leave nothing to compare; a page without a filter offers none", async () => {
  const { page, close } = await visit(browser, site, "/traces?user_id=ann", look);
  await page.locator("[data-differences] summary").click();
  await page.locator("[data-differences]", { hasText: "Every turn of this time passes" }).waitFor();
  await page.goto(`${site.url}/traces?agent_id=nobody`);
  await page.locator("[data-differences] summary").click();
  await page.locator("[data-differences]", { hasText: "No turn passes the filter" }).waitFor();
  await page.goto(`${site.url}/traces?start_time=2026-11-20T00%3A00%3A00Z`);
  expect(await page.locator("[data-differences]").count()).toBe(0);
  await close();
});
