/**
 * @module A control that is used by keyboard has the focus on the page to which it leads: a column
 * head, a facet value or its chip, the links between pages, the range, a view. A click leaves the
 * focus alone, and so does Back, which has a focus of its own.
 */
import { expect, test } from "vitest";
import type { Locator, Page } from "playwright-core";

import { turnEvents } from "../collector/desk.ts";
import { openedSite } from "./opened-site.ts";

const { visit } = openedSite({
  put: Array.from({ length: 45 }, (_, n) =>
    turnEvents({
      root: `root-${n}`,
      at: new Date(Date.UTC(2026, 10, 20, 0, n)).toISOString(),
      user: "ann",
      agent: n % 2 === 0 ? "order-desk" : "reader",
    }),
  ).flat(),
});

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => (document.activeElement as HTMLElement).dataset["control"] ?? "none");

async function opened(path: string, width = 1440): Promise<Page> {
  const page = await visit(path, { width, theme: "light" });
  await page.locator("[data-switch=theme]").waitFor();
  return page;
}

/** Presses Enter on a control and waits for the page to which it leads. */
async function enter(page: Page, control: Locator): Promise<void> {
  const before = page.url().replace(/#.*/, "");
  await control.focus();
  await Promise.all([
    page.waitForURL((url) => url.href.replace(/#.*/, "") !== before),
    page.keyboard.press("Enter"),
  ]);
}

const named = (page: Page, name: string): Locator => page.locator(`[data-control="${name}"]`);

test("the head of a column, thrice, and Back", async () => {
  const page = await opened("/traces");
  for (const sorted of ["sort=duration", "order=ascending", ""]) {
    await enter(page, page.locator("th a.sort", { hasText: "Duration" }));
    await expect.poll(() => focused(page)).toBe("sort duration_ms");
    expect(page.url()).toContain(sorted);
  }
  expect(await page.evaluate(() => document.activeElement?.closest("th") !== null)).toBe(true);
  await page.goBack();
  await expect.poll(() => focused(page)).toBe("sort duration_ms");
});

test("the value of a facet, and its chip where facets are closed", async () => {
  const wide = await opened("/traces");
  const term = "term agent:reader";
  await enter(wide, wide.locator(".facet a", { hasText: "reader" }));
  await expect.poll(() => focused(wide)).toBe(term);
  expect(await wide.evaluate(() => document.activeElement?.closest(".facet") !== null)).toBe(true);
  // The chip is gone: its facet's value is left of the term.
  await enter(wide, wide.locator("a.chip.term", { hasText: "agent:reader" }));
  await expect.poll(() => focused(wide)).toBe(term);
  const narrow = await opened("/traces", 390);
  await narrow.locator(".facets > summary").click();
  await enter(narrow, narrow.locator(".facet a", { hasText: "reader" }));
  await expect.poll(() => focused(narrow)).toBe(term);
  expect(await narrow.evaluate(() => document.activeElement?.matches(".chip"))).toBe(true);
});

test("older and newer turns; at the end the link that is left", async () => {
  const page = await opened("/traces?limit=20");
  const at: string[] = [];
  for (const next of ["page older", "page older", "page newer"]) {
    await enter(page, named(page, next));
    await expect.poll(() => focused(page)).toMatch(/^page /);
    at.push(await focused(page));
  }
  expect(at).toEqual(["page older", "page newer", "page newer"]);
  expect(
    await page.evaluate(() => {
      const { top, bottom } = (document.activeElement as HTMLElement).getBoundingClientRect();
      return top >= 0 && bottom <= window.innerHeight;
    }),
  ).toBe(true);
});

test("the range picker, a view, a chart and the columns", async () => {
  const page = await opened("/traces");
  await page.locator("[data-range] summary").click();
  await enter(page, named(page, "range Last 30 days"));
  await expect.poll(() => focused(page)).toBe("range");
  await page.locator("[data-range] summary").click();
  await page.locator("[data-range-form] [name=start_time]").fill("2026-11-01T00:00:00");
  await enter(page, page.locator("[data-range-form] button[type=submit]"));
  await expect.poll(() => focused(page)).toBe("range");
  await enter(page, page.locator('[data-control^="view "]').nth(2));
  await expect.poll(() => focused(page)).toMatch(/^view /);
  await enter(page, named(page, "chart duration"));
  await expect.poll(() => focused(page)).toBe("chart duration");
  const list = await opened("/traces");
  await list.locator("[data-columns] summary").click();
  await enter(list, named(list, "columns Dense rows"));
  await expect.poll(() => focused(list)).toBe("columns");
});

test("a head of another list", async () => {
  const page = await opened("/tools");
  await enter(page, page.locator("th a.sort").nth(1));
  await expect.poll(() => focused(page)).toMatch(/^sort /);
});

test("a click leaves the focus to the page", async () => {
  const page = await opened("/traces");
  await Promise.all([
    page.waitForURL(/sort=/),
    page.locator("th a.sort", { hasText: "Duration" }).click(),
  ]);
  await page.locator("body[data-page=turns] [data-live]").waitFor({ state: "visible" });
  expect(await focused(page)).toBe("none");
});
