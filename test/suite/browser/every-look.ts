/** @module A page that was brought into some state, held against every look that it can have. */
import { expect } from "vitest";
import type { Page } from "playwright-core";

import { axeViolations, relook, sidewaysOverflow } from "./browser.ts";

/**
 * Neither axe nor the width of the window finds anything in light and in dark, at 320 px in forced
 * colours. The page stays in the last of these looks, in a window as tall as the page: fixed bars
 * then cover nothing that a reader would scroll to.
 */
export async function expectSoundInEveryLook(
  page: Page,
  widths: readonly number[] = [1440, 390, 320],
): Promise<void> {
  for (const theme of ["light", "dark"] as const) {
    for (const width of widths) {
      await relook(page, { width, theme, forcedColors: width === 320 });
      await heighten(page, width);
      expect(await axeViolations(page), `${width} ${theme}`).toEqual([]);
      expect(await sidewaysOverflow(page), `${width} ${theme}`).toBe(0);
    }
  }
}

async function heighten(page: Page, width: number): Promise<void> {
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width, height: Math.max(height + 200, 900) });
}
