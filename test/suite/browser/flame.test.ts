/**
 * @module Flame of a turn: a name stays inside of its box, shortened where it does not fit and
 * absent where there is no room for a name; the whole is in the tip, by pointer and by focus.
 */
import { expect, test } from "vitest";
import type { TurnEvent } from "@turnproof/evidence";

import { turnEvents } from "../collector/desk.ts";
import { openedSite } from "./opened-site.ts";

const root = "f".repeat(32);
const startMs = Date.parse("2026-11-21T09:00:00.000Z");

/** Begin and length of each call in milliseconds of a turn of 10 s, and the end of its name. */
const calls = [
  [1_000, 4_000, "long"],
  [5_000, 700, "short"],
  [5_800, 110, "tiny"],
] as const;

function tool(of: TurnEvent, [fromMs, lengthMs, end]: (typeof calls)[number]): TurnEvent {
  return {
    ...of,
    event_id: `${end}:result`,
    span_id: end,
    started_at: new Date(startMs + fromMs).toISOString(),
    timestamp: new Date(startMs + fromMs + lengthMs).toISOString(),
    duration_ms: lengthMs,
    attributes: { ...of.attributes, tool_name: `search_catalogue_of_suppliers_${end}` },
  };
}

const [turn, , call] = turnEvents({ root });
const { visit } = openedSite({
  put:
    turn === undefined || call === undefined
      ? []
      : [
          {
            ...turn,
            started_at: new Date(startMs).toISOString(),
            timestamp: new Date(startMs + 10_000).toISOString(),
            duration_ms: 10_000,
          },
          ...calls.map((each) => tool(call, each)),
        ],
});

test.each([1440, 390])(
  "at %i px no name leaves its box, and the tip has it whole",
  async (width) => {
    const page = await visit(`/traces/${root}`, { width, theme: "light" });
    await page.locator("[data-flame] summary").click();
    const boxes = page.locator(".flame-boxes [data-meaning]");
    const label = (end: string) => boxes.filter({ hasText: end }).locator(".flame-label span");
    await label("_long").waitFor();
    const over = await boxes.evaluateAll((all) =>
      all.flatMap((box) => {
        const rect = box.querySelector("rect")?.getBoundingClientRect();
        const name = box.querySelector(".flame-label span, text")?.getBoundingClientRect();
        return rect === undefined || name === undefined || name.right <= rect.right + 1
          ? []
          : [box.textContent];
      }),
    );
    expect(over).toEqual([]);
    const widths = await label("_short").evaluateAll((all) =>
      all.map((span) => span.scrollWidth > span.clientWidth || !span.checkVisibility()),
    );
    expect(widths).toEqual([true]);
    expect(await label("_tiny").isVisible()).toBe(false);
    await page.keyboard.press("Tab");
    await boxes.filter({ hasText: "_short" }).focus();
    expect(await page.locator("[role=tooltip]").innerText()).toMatch(
      /search_catalogue_of_suppliers_short.*700 ms/,
    );
  },
);
