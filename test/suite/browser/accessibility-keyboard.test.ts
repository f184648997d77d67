/**
 * @module Every page by keyboard: whatever can be clicked can be reached and has a focus that is
 * seen, never under a bar that stays in place (WCAG 2.2, 2.4.7 and 2.4.11), also at 400 % zoom; the
 * skip link leads past the rail; what opens takes the focus, and Escape gives it back.
 */
import { describe, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { relook } from "./browser.ts";
import { openedScene } from "./opened-scene.ts";
import { wide } from "./opened-site.ts";
import { states } from "./page-states.ts";

/** 1,280 × 800 at 400 %, which is as small as a window gets (WCAG 2.2, 1.4.10). */
const zoomed = { width: 320, height: 256, theme: "light" } as const;

const { scene, visit, visitState } = openedScene();

/** What is wrong with the focus on the page as it stands, one line each. */
function focusProblems(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const problems: string[] = [];
    const nameOf = (node: Element): string =>
      `${node.tagName.toLowerCase()}.${[...node.classList].join(".")} "${(node.textContent ?? "").trim().slice(0, 30)}"`;
    const stops = [
      ...document.querySelectorAll<HTMLElement>(
        "a[href], button, input, select, textarea, summary, [tabindex]",
      ),
    ].filter(
      (node) =>
        node.tabIndex >= 0 &&
        !node.matches(":disabled, [type=hidden]") &&
        node.checkVisibility({ visibilityProperty: true }) &&
        node.closest("[inert]") === null,
    );
    if (stops.length < 2) problems.push(`only ${stops.length} stops`);
    const look = (node: Element): string => {
      const { outlineStyle, outlineWidth, boxShadow, borderColor } = getComputedStyle(node);
      return [outlineStyle, outlineWidth, boxShadow, borderColor].join(" ");
    };
    for (const node of stops) {
      (document.activeElement as HTMLElement | null)?.blur();
      const before = look(node);
      node.focus();
      if (document.activeElement !== node) {
        problems.push(`takes no focus: ${nameOf(node)}`);
        continue;
      }
      if (look(node) === before) problems.push(`its focus is not seen: ${nameOf(node)}`);
      const box = node.getBoundingClientRect();
      const [left, right] = [Math.max(box.left, 0), Math.min(box.right, innerWidth)];
      const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)];
      const places = [0.05, 0.5, 0.95].flatMap((x) =>
        [0.1, 0.5, 0.9].map((y) => [left + (right - left) * x, top + (bottom - top) * y] as const),
      );
      const shown = places.some(([x, y]) => {
        const at = document.elementFromPoint(x, y);
        return (
          at !== null && (node.contains(at) || at.contains(node) || at.closest("label") !== null)
        );
      });
      if (!shown) problems.push(`its focus is covered: ${nameOf(node)}`);
    }
    return [...new Set(problems)].slice(0, 12);
  });
}

/** What a pointer can use and a keyboard cannot. */
function pointerOnly(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const found = [...document.querySelectorAll("body *")].filter(
      (node) =>
        getComputedStyle(node).cursor === "pointer" &&
        node.closest(
          "a[href], button, input, select, textarea, summary, label, [role=option], [role=row]",
        ) === null &&
        node.checkVisibility(),
    );
    return [...new Set(found.map((node) => `${node.tagName.toLowerCase()}.${node.className}`))];
  });
}

const walked = states.filter(
  ({ as, view, name }) => as === undefined && view !== "problem" && name !== "as the home",
);

describe.each(walked)("$view, $name", (state) => {
  test("whatever can be clicked is reached, seen and not covered", async () => {
    const page = await visitState(state);
    await page.locator("[data-switches]:not([hidden]), .bare-main").first().waitFor();
    if (!/help|completion/.test(state.name)) await state.open?.(page);
    // A key, so that the browser shows the focus of what is focused from here on.
    await page.keyboard.press("Tab");
    const found = [...(await focusProblems(page)), ...(await pointerOnly(page))];
    await relook(page, zoomed);
    found.push(...(await focusProblems(page)).map((each) => `zoomed, ${each}`));
    expect(found).toEqual([]);
  });
});

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
  const told = await page.locator("[role=tooltip]").innerText();
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
  for (const title of titles) expect(told).toContain(title);
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
