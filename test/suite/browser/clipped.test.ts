/**
 * @module Lists have room for usual names and ids at every width; a longer one is whole in a tip.
 */
import { expect, test } from "vitest";
import type { Locator } from "playwright-core";

import { turnEvents } from "../collector/desk.ts";
import { openedSite } from "./opened-site.ts";

const agent = "deep-researcher";
const root = "of-1";
const tools = ["search_policies", "search_policies", "compare_delivery_policies"];
const environment = "delivery_unconfirmed";

const { visit } = openedSite({
  put: ["thr_1127_de_mara", "thr_1127_de_otto", "thr_1127_de_ines"].flatMap((thread, n) =>
    turnEvents({ root: `of-${n}`, agent: n === 0 ? agent : "desk", thread }).map((event) => ({
      ...event,
      // The sign of an error takes room of the name.
      ...(n === 0 && event.event_kind === "turn" ? { status: "error" as const } : {}),
      ...(event.event_kind === "tool_call"
        ? { attributes: { ...event.attributes, tool_name: tools[n] ?? "" } }
        : {}),
      ...(n === 2 && event.event_kind === "turn"
        ? { attributes: { ...event.attributes, deployment_environment: environment } }
        : {}),
    })),
  ),
});

/** Texts of the visible nodes that do not fit into their boxes. */
function cutOf(nodes: Locator): Promise<readonly string[]> {
  return nodes.evaluateAll((all) =>
    all
      .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth)
      .map((one) => one.textContent),
  );
}

test.each([1920, 1440, 1360, 1024, 900, 768])(
  "at %i px agents and threads are whole",
  async (width) => {
    const page = await visit("/traces", { width, theme: "light" });
    const judged = async (): Promise<number> => {
      await page.reload();
      return page.locator(".turn-table .c-findings .badge").count();
    };
    await expect.poll(judged, { timeout: 20_000, interval: 500 }).toBeGreaterThan(0);
    expect(await cutOf(page.locator("td.c-agent"))).toEqual([]);
    expect(await cutOf(page.locator("td.c-thread .id > span"))).toEqual([]);
    expect(await page.locator("td.c-thread").first().isVisible()).toBe(
      [1920, 1440].includes(width),
    );
  },
);

test.each([390, 320])("at %i px names of the waterfall are whole, or in a tip", async (width) => {
  const page = await visit(`/traces/${root}`, { width, theme: "dark" });
  const names = page.locator(".wf-row .what", { hasText: "search_policies" });
  expect(await names.count()).toBe(1);
  expect(await cutOf(names)).toEqual([]);
  expect(await names.getAttribute("title")).toBe("search_policies");
});

test.each([1440, 1280, 1024])("at %i px the names of a waterfall are whole", async (width) => {
  const page = await visit("/traces/of-2", { width, theme: "light" });
  const names = page.locator(".wf-row .what");
  expect(await names.allInnerTexts()).toContain(tools[2]);
  expect(await cutOf(names)).toEqual([]);
});

test.each([1920, 1440, 1024, 390])("at %i px the values of facets are whole", async (width) => {
  const page = await visit("/traces", { width, theme: "light" });
  if (width < 1360) await page.locator(".facets > summary").click();
  const values = page.locator(".facet .value");
  await values.filter({ hasText: environment }).waitFor();
  expect(await cutOf(values)).toEqual([]);
  // Whole also where it is on two lines.
  const isLow = (node: Element): boolean => node.scrollHeight > node.clientHeight;
  expect(await values.filter({ hasText: environment }).evaluate(isLow)).toBe(false);
});
