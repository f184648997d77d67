/**
 * @module Chosen columns: the chooser of the list has a tick at each column that is visible and at
 * no other; one that is ticked is shown at every width, and the page itself never scrolls sideways.
 */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";

import { turnEvents } from "../collector/desk.ts";
import { openedSite } from "./opened-site.ts";

const { visit } = openedSite({
  put: Array.from({ length: 6 }, (_, n) =>
    turnEvents({ root: `root-${n}`, thread: `thread-${n}`, at: `2026-11-20T10:0${n}:00.000Z` }),
  ).flat(),
});

/** Columns of which a cell of the first row is visible. */
function visible(page: Page): Promise<readonly string[]> {
  return page
    .locator("tbody tr[data-key]")
    .first()
    .locator("td")
    .evaluateAll((cells) =>
      cells.flatMap((cell) =>
        cell.checkVisibility() && !cell.classList.contains("c-time")
          ? (/c-(\w+)/.exec(cell.className)?.[1] ?? "")
          : [],
      ),
    );
}

const words: Readonly<Record<string, string>> = { Stages: "whole" };

/** Columns that the chooser ticks, and all that it names. */
async function chooser(page: Page): Promise<Readonly<Record<"ticked" | "named", string[]>>> {
  const links = page.locator("[data-columns] [aria-label=Columns] a:visible");
  const read = await links.evaluateAll((all) =>
    all.map((link) => [link.textContent, link.classList.contains("on")] as const),
  );
  const names = (some: typeof read): string[] =>
    some.map(([word]) => words[word] ?? word.toLowerCase());
  return { ticked: names(read.filter(([, on]) => on)), named: names(read) };
}

/** How far the page itself scrolls sideways. */
const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => {
    scrollTo(1_000, scrollY);
    return scrollX;
  });

test.each([1440, 900, 390])("at %i px a ticked column is shown", async (width) => {
  const page = await visit("/traces", { width, theme: "light" });
  await page.locator("[data-columns] summary").click();
  const before = await chooser(page);
  expect(before.ticked).toEqual(await visible(page));
  expect(before.named).toHaveLength(11);
  expect(before.ticked).not.toContain("cache");
  expect(before.ticked).not.toContain("insights");
  const left = before.named.length - before.ticked.length;
  const count = page.locator("[data-columns] .columns-left");
  const counted = await count.evaluate((one) => {
    const marks = [...one.children].filter((mark) => mark.checkVisibility());
    return [marks.length, getComputedStyle(one, "::after").content];
  });
  expect(counted).toEqual([left, 'counter(hidden) " hidden"']);
  await page.locator("[data-columns] a:visible", { hasText: "Cache" }).click();
  await page.waitForURL(/show=cache/);
  await page.locator("tbody tr[data-key]").nth(5).waitFor();
  expect(await visible(page)).toEqual(
    before.named.filter((name) => name === "cache" || before.ticked.includes(name)),
  );
  expect(await count.isVisible()).toBe(left > 1);
  await page.locator("[data-columns] summary").click();
  expect((await chooser(page)).ticked).toContain("cache");
  await page.locator("[data-columns] a:visible", { hasText: "Show all columns" }).click();
  await page.waitForURL(/show=cache%2Cwhole/);
  await page.locator("tbody tr[data-key]").nth(5).waitFor();
  expect(await visible(page)).toEqual(before.named);
  // Each column has its head, in the same order; a phone has none.
  const heads = await page
    .locator("thead th")
    .evaluateAll((all) =>
      all.flatMap((head) =>
        head.checkVisibility() ? (/c-(\w+)/.exec(head.className)?.[1] ?? "") : [],
      ),
    );
  expect(heads).toEqual(width < 768 ? [] : ["time", ...before.named]);
  expect(await overflow(page)).toBe(0);
  // No cell runs into the next one.
  const narrow = await page
    .locator("tbody tr[data-key] td.c-agent")
    .evaluateAll((cells) => cells.filter((cell) => cell.clientWidth < 60).length);
  expect(narrow).toBe(0);
  // A column that was shown is hidden again, and the choice goes with "Columns that fit".
  await page.locator("[data-columns] summary").click();
  await page.locator("[data-columns] a:visible", { hasText: "Cache" }).click();
  await page.waitForURL(/hide=cache/);
  expect(new URL(page.url()).searchParams.get("show")).not.toContain("cache");
  await page.locator("[data-columns] summary").click();
  await page.locator("[data-columns] a:visible", { hasText: "Columns that fit" }).click();
  await page.waitForURL((url) => url.search === "");
  await page.locator("tbody tr[data-key]").nth(5).waitFor();
  expect(await visible(page)).toEqual(before.ticked);
});
