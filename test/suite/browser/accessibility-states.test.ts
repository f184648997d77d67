/**
 * @module Every page in every state, each opened once: no violation of axe in light, dark and
 * forced colours, nothing wider than a window of 320 px (400 % zoom), nothing cut off or lying over
 * something else, also under the reader's own text spacing; nothing without a name or announced
 * twice; whatever can be clicked is reached by keys and has a focus that is seen, never under a bar
 * that stays in place (WCAG 2.2, 2.4.7 and 2.4.11); nothing in the console, no report of the
 * content policy, no request to anywhere else.
 */
import { describe, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { axeViolations, dress, relook } from "./browser.ts";
import type { AxeRules, Look } from "./browser.ts";
import { focusProblems, pointerOnly } from "./focus-audit.ts";
import { layoutProblems, setTextSpacing } from "./layout-audit.ts";
import { openedScene } from "./opened-scene.ts";
import { wide } from "./opened-site.ts";
import { states } from "./page-states.ts";
import { clumsy, spoken } from "./spoken.ts";

const { visitState } = openedScene();

/** What the page owes in one look, each defect in a line that names the look. */
async function defects(page: Page, look: Look, axe?: AxeRules): Promise<readonly string[]> {
  await relook(page, look);
  const where = `${look.width} px ${look.forcedColors === true ? "forced" : look.theme}`;
  const found = [
    ...(axe === undefined ? [] : await axeViolations(page, axe)),
    ...(await layoutProblems(page)),
  ];
  return found.map((each) => `${where}: ${each}`);
}

/** What is wrong in the tree that assistive technology is given. */
async function spokenProblems(page: Page): Promise<readonly string[]> {
  const all = await spoken(page);
  const count = (role: string, level?: number): number =>
    all.filter((one) => one.role === role && (level ?? one.states["level"]) === one.states["level"])
      .length;
  const problems = [...clumsy(all)];
  // A dialog takes the page below it away.
  if (count("dialog") > 0) return problems;
  if (count("main") !== 1) problems.push(`${count("main")} mains`);
  if (count("heading", 1) !== 1) problems.push(`${count("heading", 1)} headings of level 1`);
  return problems;
}

/** 1,280 × 800 at 400 %, which is as small as a window gets (WCAG 2.2, 1.4.10). */
const zoomed = { width: 320, height: 256, theme: "light" } as const;

/** Stops of the page that a keyboard does not reach, or whose focus is not seen. */
async function keyboardProblems(page: Page): Promise<readonly string[]> {
  // A key, so that the browser shows the focus of what is focused from here on.
  await page.keyboard.press("Tab");
  const found = [...(await focusProblems(page)), ...(await pointerOnly(page))];
  await relook(page, zoomed);
  return [...found, ...(await focusProblems(page)).map((each) => `zoomed, ${each}`)];
}

/**
 * The page in a window so high that no bar which stays in place lies over a target, and not much
 * higher: each pixel of a window is drawn again in every look.
 */
async function wholly(page: Page, look: Look): Promise<Look> {
  await dress(page, look);
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  return { ...look, height: Math.max(height + 200, 900) };
}

const smallest = { width: 320, theme: "light", forcedColors: true } as const;
const narrowRules = ["color-contrast", "target-size"];

describe.each(states)("$view, $name", (state) => {
  test("by axe, layout, speech and keyboard, in every look", async () => {
    const { as, view, name } = state;
    const page = await visitState(state, { ...wide, axe: true });
    await page.locator("[data-switches]:not([hidden]), .bare-main").first().waitFor();
    if (view !== "run") expect(await page.locator("main").innerText()).toMatch(state.text);
    await state.open?.(page);
    const found = [...(await defects(page, wide, "all"))];
    if (as === undefined && name !== "long words") found.push(...(await spokenProblems(page)));
    // The page below the help or the completion is that of another state.
    if (as === undefined && view !== "problem" && !/help|completion/.test(name)) {
      found.push(...(await keyboardProblems(page)));
      await page.evaluate(() => {
        (document.activeElement as HTMLElement | null)?.blur();
        scrollTo(0, 0);
      });
    }
    found.push(
      // Its colours are those of the narrow window in dark.
      ...(await defects(page, { width: 900, theme: "dark" })),
      ...(await defects(page, await wholly(page, { width: 390, theme: "dark" }), "all")),
      ...(await defects(page, await wholly(page, smallest), narrowRules)),
    );
    await setTextSpacing(page);
    found.push(
      ...(await defects(page, { width: 320, theme: "light" })).map((each) => `spaced, ${each}`),
    );
    expect(found).toEqual([]);
  });
});
