/**
 * @module Page end: what ends a page is never under the navigation or a bar that stays in place,
 * and what has the focus is seen whole (WCAG 2.2, 2.4.11).
 */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";

import { turnEvents } from "../collector/desk.ts";
import { listReady } from "./keys.ts";
import { openedSite } from "./opened-site.ts";

const { visit } = openedSite({
  put: Array.from({ length: 60 }, (_, n) =>
    turnEvents({
      root: `root-${n}`,
      agent: `agent-${n}`,
      thread: `thread-${n}`,
      at: new Date(Date.UTC(2026, 10, 20, 10, n)).toISOString(),
    }),
  ).flat(),
});

const phone = { width: 390, height: 844, theme: "light" } as const;

/** Links and buttons of the page that something lies over when they have the focus. */
function covered(page: Page): Promise<readonly string[]> {
  return page.evaluate(async () => {
    const all = [...document.querySelectorAll<HTMLElement>("main a, main button, main summary")];
    const last = all.filter((one) => one.checkVisibility({ visibilityProperty: true })).slice(-12);
    const found: string[] = [];
    for (const one of last) {
      one.focus();
      // At the end of the page, where nothing scrolls further.
      scrollTo(0, document.documentElement.scrollHeight);
      one.scrollIntoView({ block: "nearest" });
      await new Promise(requestAnimationFrame);
      const { left, right, top, bottom } = one.getBoundingClientRect();
      const hit = (y: number): boolean => {
        const there = document.elementFromPoint((left + right) / 2, y);
        return there !== null && (one.contains(there) || there.contains(one));
      };
      if (!hit(top + 1) || !hit(bottom - 1)) found.push(one.textContent.trim());
    }
    return found;
  });
}

test.each(["/traces", "/agents", "/threads", "/tools", "/cost", "/traces/health", "/settings"])(
  "%s ends above the navigation of a phone",
  async (path) => {
    const page = await visit(path, phone);
    expect(await covered(page)).toEqual([]);
  },
);

test.each([phone, { width: 1440, height: 900, theme: "dark" } as const])(
  "at $width px the list ends above the bar of marked turns",
  async (look) => {
    const page = await visit("/traces", look);
    await listReady(page);
    await page.locator("tr[data-key] a.open").first().focus();
    await page.keyboard.press("m");
    await page.locator("[data-marks]").waitFor();
    expect(await covered(page)).toEqual([]);
  },
);
