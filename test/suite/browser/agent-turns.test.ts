/**
 * @module Turns on the page of an agent: names of threads have the room that the agent's own name
 * would take, and a turn with an error has its sign.
 */
import { expect, test } from "vitest";

import { turnEvents } from "../collector/desk.ts";
import { openedSite } from "./opened-site.ts";

const threadOf = (n: number): string => `thr_refund_of_karimova_1127_${n}`;
const { visit } = openedSite({
  put: Array.from({ length: 4 }, (_, n) =>
    turnEvents({ root: `root-${n}`, agent: "order-desk", thread: threadOf(n) }).map((event) =>
      n === 0 ? { ...event, status: "error" as const } : event,
    ),
  ).flat(),
});

test.each([1440, 1920])("at %i px a thread's name is whole", async (width) => {
  const page = await visit("/agents/order-desk", { width, theme: "light" });
  // Findings take their room once the turns are judged.
  const judged = async (): Promise<number> => {
    await page.reload();
    return page.locator(".turn-table .c-findings .badge").count();
  };
  await expect.poll(judged, { timeout: 20_000, interval: 500 }).toBeGreaterThan(0);
  const ids = page.locator("td.c-thread .id > span");
  expect(await ids.count()).toBe(4);
  const cut = await ids.evaluateAll((spans) =>
    spans.filter((span) => span.scrollWidth > span.clientWidth).map((span) => span.textContent),
  );
  expect(cut).toEqual([]);
  expect(await page.locator("td.c-agent").first().isVisible()).toBe(false);
  expect(await page.locator("td.c-thread > .badge:visible").count()).toBe(1);
});
