/**
 * @module What keys do on every page: the skip link leads past the rail; what opens takes the
 * focus, and Escape gives it back. That each stop is reached and seen is in
 * `accessibility-states.test.ts`.
 */
import { expect, test } from "vitest";

import { openedScene } from "./opened-scene.ts";
import { wide } from "./opened-site.ts";

/** 1,280 × 800 at 400 %, which is as small as a window gets (WCAG 2.2, 1.4.10). */
const zoomed = { width: 320, height: 256, theme: "light" } as const;

const { scene, visit } = openedScene();

test("the first stop leads past the rail, into the content", async () => {
  for (const look of [wide, zoomed]) {
    const page = await visit("/traces/health", look);
    await page.keyboard.press("Tab");
    const skip = page.getByRole("link", { name: "Skip to content" });
    expect(await skip.evaluate((node) => node === document.activeElement)).toBe(true);
    const box = await skip.boundingBox();
    expect(box?.y).toBeGreaterThanOrEqual(0);
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("content");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.closest("main") !== null)).toBe(true);
  }
});

test("the help keeps the focus in it, and Escape gives it back to where it was", async () => {
  const page = await visit("/traces");
  await page.locator("[data-live]").waitFor({ state: "visible" });
  const opener = page.locator("[data-switch=help]");
  await opener.focus();
  await page.keyboard.press("Enter");
  await page.locator("dialog[open]").waitFor();
  for (let press = 0; press < 4; press += 1) {
    await page.keyboard.press("Tab");
    // Past its last stop the focus is the browser's own, never the page's below.
    const where = await page.evaluate(() => {
      const at = document.activeElement;
      return at === document.body || at?.closest("dialog") !== null;
    });
    expect(where).toBe(true);
  }
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  expect(await opener.evaluate((node) => node === document.activeElement)).toBe(true);
});

test("the explanation of a control stands beside it with the focus, until Escape", async () => {
  const page = await visit("/traces");
  await page.locator("[data-live]").waitFor({ state: "visible" });
  const tip = page.locator("[role=tooltip]");
  const density = page.locator("[data-switch=density]");
  await page.keyboard.press("Tab");
  await density.focus();
  expect(await tip.innerText()).toBe(await density.getAttribute("title"));
  const [own, over] = [await density.boundingBox(), await tip.boundingBox()];
  // It lies beside what it explains, inside the window, and a pointer may go onto it.
  expect(over?.y).toBeGreaterThanOrEqual((own?.y ?? 0) + (own?.height ?? 0));
  expect((over?.x ?? 0) + (over?.width ?? 0)).toBeLessThanOrEqual(wide.width);
  await tip.hover();
  expect(await tip.isVisible()).toBe(true);
  await page.keyboard.press("Escape");
  expect(await tip.count()).toBe(0);
  expect(await density.evaluate((node) => node === document.activeElement)).toBe(true);
});

test("i tells a keyboard what hovering over a row tells a pointer", async () => {
  const page = await visit("/traces");
  await page.locator("[data-live]").waitFor({ state: "visible" });
  for (const key of ["j", "i"]) await page.keyboard.press(key);
  const reported = await page.locator("[role=tooltip]").innerText();
  const titles = await page
    .locator("[data-rows] tr")
    .first()
    .locator("[title]")
    .evaluateAll((nodes) =>
      nodes
        .filter((node) => node.checkVisibility())
        .map((node) => [node.getAttribute("title") ?? "", (node.textContent ?? "").trim()])
        .filter(([title, text]) => title !== text)
        .map(([title]) => title ?? ""),
    );
  expect(titles.length).toBeGreaterThan(4);
  for (const title of titles) expect(reported).toContain(title);
  await page.keyboard.press("Escape");
  expect(await page.locator("[role=tooltip]").count()).toBe(0);
});

test("with motion reduced nothing moves", async () => {
  const page = await visit(`/traces/${scene.roots[0]}`);
  await page.locator("body[data-ready]").waitFor();
  const moving = await page.evaluate(() =>
    [...document.querySelectorAll("*")]
      .filter((node) => {
        const { animationName, animationDuration, transitionDuration } = getComputedStyle(node);
        const long = (text: string): boolean =>
          text.split(",").some((each) => parseFloat(each) > 0);
        return (animationName !== "none" && long(animationDuration)) || long(transitionDuration);
      })
      .map((node) => node.className.toString()),
  );
  expect(moving).toEqual([]);
});
