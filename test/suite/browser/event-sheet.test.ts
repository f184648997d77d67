/**
 * @module The sheet of a turn's selected event on a phone: it slides up over the rows, which are
 * inert meanwhile, closes by its button, by Escape, by Back and by a press beside it, and the focus
 * returns to the row. Without script it is in the page.
 */
import { expect, test } from "vitest";
import type { Page } from "playwright-core";

import { turnEvents } from "../collector/desk.ts";
import { axeViolations } from "./browser.ts";
import { openedSite } from "./opened-site.ts";

const phone = { width: 390, theme: "light" } as const;
const { visit } = openedSite({ put: turnEvents({ root: "root-1" }) });

const sheetTop = (page: Page): Promise<number> =>
  page.locator("[data-panel]").evaluate((panel) => {
    const { top, bottom } = panel.getBoundingClientRect();
    return getComputedStyle(panel).visibility === "visible" && Math.round(bottom) === innerHeight
      ? Math.round(top)
      : Infinity;
  });
const focusedRow = (page: Page): Promise<string | undefined> =>
  page.evaluate(
    () => document.activeElement?.closest<HTMLElement>("[data-index]")?.dataset["index"],
  );

const allInert = (elements: readonly Element[]): boolean =>
  elements.length > 0 && elements.every((each) => each.closest("[inert]") !== null);

async function openedSheet(page: Page): Promise<void> {
  await page.locator("body[data-ready]").waitFor();
  await page.locator(".waterfall [data-index='1']").click();
  await expect.poll(() => sheetTop(page)).toBeLessThan(800);
}

test("it opens by a click, and button, Escape, Back and a press beside it close it", async () => {
  const page = await visit("/traces/root-1", phone);
  await page.locator("body[data-ready]").waitFor();
  expect(await sheetTop(page)).toBe(Infinity);
  const ways = [
    () => page.getByRole("button", { name: "Close the event" }).click(),
    () => page.keyboard.press("Escape"),
    () => page.goBack(),
    () => page.mouse.click(195, 80),
  ];
  for (const close of ways) {
    await openedSheet(page);
    expect(await page.evaluate(() => document.activeElement?.hasAttribute("data-panel"))).toBe(
      true,
    );
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.getByRole("dialog", { name: "Selected event" }).count()).toBe(1);
    expect(await page.locator(".waterfall, .topbar, .rail").evaluateAll(allInert)).toBe(true);
    await close();
    await expect.poll(() => sheetTop(page)).toBe(Infinity);
    await expect.poll(() => focusedRow(page)).toBe("1");
    expect(await page.locator("[inert]").count()).toBe(0);
    expect(new URL(page.url()).pathname).toBe("/traces/root-1");
  }
  // Enter on the row opens it too.
  await page.keyboard.press("Enter");
  await expect.poll(() => sheetTop(page)).toBeLessThan(800);
});

test("with reduced motion it does not slide", async () => {
  const page = await visit("/traces/root-1", phone);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await openedSheet(page);
  const motion = await page
    .locator("[data-panel]")
    .evaluate((panel) => getComputedStyle(panel).transitionDuration);
  expect(motion).toMatch(/^0s/);
});

test("without scripts there is no panel, and in a wide window it stays in the page", async () => {
  const plain = await visit("/traces/root-1", { ...phone, script: false });
  expect(await plain.locator(".waterfall").isVisible()).toBe(true);
  expect(await plain.locator("[data-panel]").isVisible()).toBe(false);
  const page = await visit("/traces/root-1");
  await page.locator("body[data-ready]").waitFor();
  await page.locator(".waterfall [data-index='1']").click();
  expect(await focusedRow(page)).toBe("1");
  expect(await page.getByRole("button", { name: "Close the event" }).count()).toBe(0);
});
