/**
 * @module On a phone the names of compared operations and what changed in them are whole, in as
 * many lines as they need, and no row lies over another: at first, after a turn of the phone,
 * under the spacing of a reader, and without script.
 */
import { expect, test } from "vitest";
import type { TurnEvent } from "@turnproof/evidence";
import type { Page } from "playwright-core";

import { bigSpan } from "./big-trace.ts";
import { axeViolations, relook, sidewaysOverflow } from "./browser.ts";
import { setTextSpacing } from "./layout-audit.ts";
import { openedSite } from "./opened-site.ts";

const roots = ["a".repeat(32), "c".repeat(32)] as const;
const [baseline, candidate] = roots;
const address = `/traces/compare?agent_id=big&baseline_root=${baseline}&candidate_root=${candidate}`;
const long = "compare_delivery_policies_of_all_warehouses_in_the_north_1127";

function trace(root: string, model: string): readonly TurnEvent[] {
  return Array.from({ length: 9 }, (_, index): TurnEvent => {
    const span = bigSpan(root, index, index === 0 ? undefined : Math.max(0, index - 2));
    if (span.event_kind === "model_call") return { ...span, attributes: { model } };
    if (index === 0) return span;
    return { ...span, operation: long.slice(0, index === 3 ? 36 : 61), duration_ms: 0 };
  });
}

const { visit } = openedSite({
  put: [...trace(baseline, "gpt-4o-mini"), ...trace(candidate, "gpt-4.1-mini-of-a-long-name")],
});

/** Texts of a row that are beyond their box or beyond the row, and rows that lie over each other. */
function cut(page: Page): Promise<readonly string[]> {
  return page.locator(".op").evaluateAll((rows) =>
    rows.flatMap((row, place) => {
      const box = row.getBoundingClientRect();
      const next = rows[place + 1]?.getBoundingClientRect().top ?? Infinity;
      const over = box.bottom > next + 0.5 ? [`${place} lies over the next`] : [];
      const parts = [
        ...row.querySelectorAll(".what, .what .muted, .flag, .change, code, .op-ms > *"),
      ];
      return parts.reduce((found, part) => {
        if (!part.checkVisibility()) return found;
        const { right, bottom } = part.getBoundingClientRect();
        const isOut = right > box.right + 0.5 || bottom > box.bottom + 0.5;
        const isCut = part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0;
        return isOut || isCut ? [...found, `${place}: ${part.textContent ?? ""}`] : found;
      }, over);
    }),
  );
}

test.each([390, 320])("at %i pixels names and changes are whole", async (width) => {
  const page = await visit(`${address}#rows=all`, { width, theme: "light" });
  await page.locator("body[data-ready]").waitFor();
  expect(await page.locator(".op .what").allInnerTexts()).toContain(`tool call\n${long}`);
  expect(await page.locator(".op .change").count()).toBeGreaterThan(0);
  expect(await cut(page)).toEqual([]);
  await relook(page, { width: width === 320 ? 480 : 320, theme: "dark" });
  expect(await cut(page)).toEqual([]);
  expect(await sidewaysOverflow(page)).toBe(0);
  expect(await axeViolations(page)).toEqual([]);
  await setTextSpacing(page);
  await relook(page, { width, theme: "dark" });
  expect(await cut(page)).toEqual([]);
});

test("without script they are whole, too", async () => {
  const page = await visit(address, { width: 320, theme: "light", script: false });
  expect(await page.locator(".op").count()).toBeGreaterThan(1);
  expect(await cut(page)).toEqual([]);
});
