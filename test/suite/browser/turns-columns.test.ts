/**
 * @module The list of turns at widths of desktops: names of agents are whole, and a page of turns
 * that went wrong keeps the bound of its elements, whatever is drawn above it.
 */
import { expect, test } from "vitest";

import { turnEvents } from "../collector/desk.ts";
import { openedSite } from "./opened-site.ts";

const turns = 72;
const elementsMax = 1_500;

// As many intervals as a chart has, each with an error, and as many values as facets show.
const { visit } = openedSite({
  put: Array.from({ length: turns }, (_, n) => {
    const at = new Date(Date.UTC(2026, 10, 20, n)).toISOString();
    const agent = ["deep-researcher", "reader", "writer", "desk", "intake", "checker"][n % 6] ?? "";
    const thread = `thread-of-a-day-${n}`;
    const application = `application-${n % 7}`;
    const own = turnEvents({
      root: `root-${n}`,
      at,
      user: `user-${n % 7}`,
      agent,
      thread,
      application,
    });
    return own.map((event) => ({
      ...event,
      status: event.event_kind === "model_call" ? ("success" as const) : ("error" as const),
      attributes: {
        ...event.attributes,
        ...(event.event_kind === "turn" ? { service_version: `1.${n % 7}.0` } : {}),
        ...(event.event_kind === "model_call" ? { model: `model-${n % 7}` } : {}),
        ...(event.event_kind === "tool_call" ? { tool_name: `tool-${n % 7}` } : {}),
      },
    }));
  }).flat(),
});

test.each(["/traces?status=error", "/traces?status=error&chart=trend"])(
  "%s has few elements",
  async (path) => {
    const page = await visit(path);
    await page.locator("[data-readout]", { hasText: /72 turns.* in all/ }).waitFor();
    await page.locator("[data-facet-extent]", { hasText: /72 turns/ }).waitFor();
    expect(await page.locator("[data-rows] tr").count()).toBe(20);
    expect(await page.locator("[data-histogram] g").count()).toBeGreaterThan(60);
    expect(await page.locator("*").count()).toBeLessThanOrEqual(elementsMax);
  },
);

test.each([900, 1024, 1440, 1920])("at %i px an agent's name is whole", async (width) => {
  const page = await visit("/traces?status=error", { width, theme: "light" });
  // Findings take their room once the turns are judged.
  await page.locator(".c-findings .badge").nth(10).waitFor();
  const cut = await page
    .locator("td.c-agent")
    .evaluateAll((cells) =>
      cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent),
    );
  expect(cut).toEqual([]);
});
