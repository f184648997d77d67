/** On a phone five links are in the bar; the others open over the page, without script too. */
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";

import { turnEvents } from "../collector/desk.ts";
import { axeViolations, dress, drawn, relook } from "./browser.ts";
import { openedSite, wide } from "./opened-site.ts";

const { visit } = openedSite({ put: turnEvents({ root: "root-1", agent: "desk" }) });

test.each([true, false])("the other pages open from the bar, script: %s", async (script) => {
  const page = await visit("/traces", { width: 390, height: 800, theme: "light", script });
  const rail = page.getByRole("navigation", { name: "Pages" });
  const more = rail.getByRole("button", { name: "More pages" });
  const incidents = rail.getByRole("link", { name: "Incidents" });
  expect(await rail.getByRole("link").count()).toBe(5);
  expect((await rail.boundingBox())?.height).toBeLessThan(60);
  expect(await incidents.count()).toBe(0);

  await more.click();
  expect(await incidents.isVisible()).toBe(true);
  expect(await rail.getByRole("link").count()).toBe(12);
  await page.keyboard.press("Escape");
  await expect.poll(() => incidents.count()).toBe(0);

  await more.focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.getAttribute("title"))).toBe(
    "Incidents",
  );
  await Promise.all([page.waitForURL(/\/traces\/incidents$/), page.keyboard.press("Enter")]);
  // The page that is open is one of the others.
  expect(await more.getAttribute("aria-current")).toBe("true");
});

test("in the lowest window each of the other pages can be scrolled to", async () => {
  const page = await visit("/traces", { width: 320, height: 180, theme: "dark" });
  await page.getByRole("button", { name: "More pages" }).click();
  const incidents = page.getByRole("link", { name: "Incidents" });
  await incidents.scrollIntoViewIfNeeded();
  expect((await incidents.boundingBox())?.y).toBeGreaterThanOrEqual(0);
});

test("a phone that is turned shows the rail, and the link with the focus keeps it", async () => {
  const page = await visit("/traces", { width: 390, height: 844, theme: "light" });
  const rail = page.getByRole("navigation", { name: "Pages" });
  await rail.getByRole("button", { name: "More pages" }).click();
  await page.keyboard.press("Tab");
  await relook(page, { width: 844, height: 390, theme: "light" });
  await expect.poll(() => page.locator(".rest:popover-open").count()).toBe(0);
  const boxes = await Promise.all(
    (await rail.getByRole("link").all()).map((link) => link.boundingBox()),
  );
  expect(boxes).toHaveLength(13);
  // One below the other, in the rail.
  expect(boxes.every((box) => box !== null && box.x + box.width <= 64)).toBe(true);
  const tops = boxes.map((box) => box?.y ?? 0);
  expect(tops).toEqual(tops.toSorted((a, b) => a - b));
  expect(await page.evaluate(() => document.activeElement?.getAttribute("title"))).toBe(
    "Incidents",
  );
});

test("without script the box of a turned phone is as wide as the window until it closes", async () => {
  const look = { width: 390, height: 844, theme: "dark", script: false } as const;
  const page = await visit("/traces", look);
  await page.getByRole("button", { name: "More pages" }).click();
  await dress(page, { ...look, width: 844, height: 390 });
  const rest = page.locator(".rest");
  await expect.poll(async () => (await rest.boundingBox())?.x).toBe(0);
  const box = await rest.boundingBox();
  // All of the window, but for a scroll bar.
  expect(box?.width).toBeGreaterThan(800);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBe(390);
  expect(await rest.evaluate((node) => getComputedStyle(node).borderLeftWidth)).toBe("0px");
  await page.keyboard.press("Escape");
  await expect.poll(() => page.locator(".rest:popover-open").count()).toBe(0);
});

test("in forced colours the button has a border, and a chosen one the chosen colours", async () => {
  const look = { width: 390, height: 844, theme: "light", forcedColors: true } as const;
  const page = await visit("/traces", look);
  const more = page.getByRole("button", { name: "More pages" });
  const styles = (of: Locator): Promise<readonly string[]> =>
    of.evaluate((node) => {
      const { borderColor, borderWidth, backgroundColor, color } = getComputedStyle(node);
      return [borderColor, borderWidth, backgroundColor, color];
    });
  const system = await page.evaluate(() => {
    const probe = document.createElement("p");
    probe.style.cssText = "border-color: ButtonBorder; background: Highlight; color: HighlightText";
    document.body.append(probe);
    const { borderTopColor, backgroundColor, color } = getComputedStyle(probe);
    probe.remove();
    return { border: borderTopColor, chosen: [backgroundColor, color] };
  });
  expect((await styles(more)).slice(0, 2)).toEqual([system.border, "1px"]);
  // The link of the open page, and the button while it is pressed.
  expect((await styles(page.locator("a.go[aria-current]"))).slice(2)).toEqual(system.chosen);
  await more.click();
  await drawn(page);
  expect((await styles(more)).slice(2)).toEqual(system.chosen);
  expect(await axeViolations(page)).toEqual([]);
});

test("in a wide window all links stand in the rail, without the button", async () => {
  const page = await visit("/traces", wide);
  const rail = page.getByRole("navigation", { name: "Pages" });
  expect(await rail.getByRole("link").count()).toBe(13);
  expect(await rail.getByRole("button").count()).toBe(0);
});
