/** @module A page that was brought into some state, held against every look that it can have. */
import { expect } from "vitest";
import type { Page } from "playwright-core";

import { axeViolations, relook, setWindow, sidewaysOverflow } from "./browser.ts";
import type { AxeRules, Look } from "./browser.ts";

/**
 * Rules of axe for each look of a page: all in the first and in the last, between them those that
 * depend on what is new in the look, the colours of a theme or the width.
 */
function rulesOf(look: Look, place: number, looks: readonly Look[]): AxeRules {
  if (place === 0 || place === looks.length - 1) return "all";
  const before = looks.slice(0, place);
  const newColours = !before.some(
    ({ theme, forcedColors }) => theme === look.theme && forcedColors === look.forcedColors,
  );
  const newWidth = !before.some(({ width }) => width === look.width);
  return [...(newColours ? ["color-contrast"] : []), ...(newWidth ? ["target-size"] : [])];
}

/**
 * Neither axe nor the width of the window finds anything in light and in dark, at 320 px in forced
 * colours. The page stays in the last of these looks, in a window as tall as the page: fixed bars
 * then cover nothing that a reader would scroll to.
 */
export async function expectSoundInEveryLook(
  page: Page,
  widths: readonly number[] = [1440, 390, 320],
): Promise<void> {
  const looks = (["light", "dark"] as const).flatMap((theme) =>
    widths.map((width) => ({ width, theme, forcedColors: width === 320 })),
  );
  for (const [place, look] of looks.entries()) {
    const { width, theme } = look;
    await relook(page, look);
    await heighten(page, width);
    const rules = rulesOf(look, place, looks);
    expect(rules.length === 0 ? [] : await axeViolations(page, rules), `${width} ${theme}`).toEqual(
      [],
    );
    expect(await sidewaysOverflow(page), `${width} ${theme}`).toBe(0);
  }
}

async function heighten(page: Page, width: number): Promise<void> {
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await setWindow(page, { width, height: Math.max(height + 200, 900) });
}
