/**
 * @module An address with a value that is not understood: the page marks it, and its rows, charts
 * and counts are those of the other filters, over all turns.
 */
import { expect, test } from "vitest";

import { turnEvents } from "../collector/desk.ts";
import { openedSite, wide } from "./opened-site.ts";

const turns = 30;

const { visit } = openedSite({
  put: Array.from({ length: turns }, (_, n) =>
    turnEvents({
      root: `of-${n}`,
      agent: "desk",
      at: new Date(Date.UTC(2026, 10, 21, 9, n)).toISOString(),
    }),
  ).flat(),
});

test.each([
  ["verdict=bogus", "verdict:bogus"],
  ["status=bogus", "status:bogus"],
  ["finding=bogus&chart=duration", "finding:bogus"],
  ["event_kind=bogus&chart=trend", "kind:bogus"],
  ["q=has:bogus", "has:bogus"],
  ["q=latency:soon%20agent:desk", "latency:soon"],
  ["start_time=bogus", "bogus"],
  ["start_time=-99999d", "-99999d"],
  ["scope=bogus", "scope=bogus"],
  ["colour=red", "colour=red"],
  ["cursor=bogus", "cursor=bogus"],
])("with %s the list, the chart and the facets are of all turns", async (query, word) => {
  const page = await visit(`/traces?${query}`, wide);
  expect(await page.locator("[data-not-applied] mark").allInnerTexts()).toEqual([word]);
  expect(await page.locator("tr[data-key]").count()).toBe(20);
  await expect
    .poll(() => page.locator("[data-histogram-place]").innerHTML())
    .toMatch(/30 turns[a-z ]* in all/u);
  await expect.poll(() => page.locator("[data-facet-extent]").innerText()).toBe("All 30 turns");
  expect(await page.locator("[data-live]").getAttribute("aria-pressed")).toBe("true");
});
