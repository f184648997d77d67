/** On a phone five links are in the bar; the others open over the page, without script too. */
import { expect, test } from "vitest";

import { turnEvents } from "../collector/desk.ts";
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

test("in a wide window all links stand in the rail, without the button", async () => {
  const page = await visit("/traces", wide);
  const rail = page.getByRole("navigation", { name: "Pages" });
  expect(await rail.getByRole("link").count()).toBe(13);
  expect(await rail.getByRole("button").count()).toBe(0);
});
