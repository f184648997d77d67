/**
 * @module Two big turns side by side: the comparison keeps at most a hundred rows in the document,
 * costs a frame no more than small turns do, is walked by keys, and shows changes alone or
 * everything.
 */
import { beforeAll, expect, test } from "vitest";
import type { TurnEvent } from "@turnproof/evidence";
import type { Page } from "playwright-core";

import { bigSpan, scrollCost, threadMs } from "./big-trace.ts";
import { axeViolations, sidewaysOverflow } from "./browser.ts";
import { openedSite, wide } from "./opened-site.ts";

const roots = ["a".repeat(32), "c".repeat(32)] as const;
const size = 10_000;
const smallRoots = ["d".repeat(32), "e".repeat(32)] as const;
const smallSize = 200;
const comparing = ([baseline, candidate]: readonly [string, string]): string =>
  `/traces/compare?agent_id=big&baseline_root=${baseline}&candidate_root=${candidate}`;
const address = comparing(roots);
const smallAddress = comparing(smallRoots);
/** Spans of B that differ from A, in the order of the tree's rows. */
const changed = [1, 2, 3] as const;

function trace(
  root: string,
  more: (index: number) => Partial<TurnEvent>,
  length = size,
): readonly TurnEvent[] {
  return Array.from({ length }, (_, index): TurnEvent => {
    const span = bigSpan(root, index, index === 0 ? undefined : Math.floor((index - 1) / 6));
    return { ...span, ...more(index) };
  });
}

const { site, visit } = openedSite();

beforeAll(async () => {
  const files = (index: number): Partial<TurnEvent> =>
    index % 500 === 499
      ? {
          input_refs: [
            { resource_type: "document", ref: `ref_${index}`, ownership_verified: true },
          ],
        }
      : {};
  const altered = (index: number): Partial<TurnEvent> =>
    changed.some((one) => one === index) ? { status: "partial" } : files(index);
  await site.put(trace(smallRoots[0], files, smallSize));
  await site.put(trace(smallRoots[1], altered, smallSize));
  await site.put(trace(roots[0], files));
  await site.put(trace(roots[1], altered));
});

const rows = (page: Page): Promise<number> => page.locator(".op").count();
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.id ?? "");
const change = (page: Page): Promise<string> => page.locator(".op:focus .verb").innerText();

async function open(width: number): Promise<Page> {
  const page = await visit(address, { width, theme: "light" });
  await page.locator("body[data-ready]").waitFor({ timeout: 30_000 });
  return page;
}

/** Opens a comparison, shows everything, and measures what that and scrolling cost the thread. */
async function costs(
  page: Page,
  path: string,
): Promise<Record<"openMs" | "frameMs" | "most", number>> {
  const busyMs = await threadMs(page);
  await page.goto(`${site.url}${path}`, { waitUntil: "commit" });
  await page.locator("body[data-ready]").waitFor({ timeout: 60_000 });
  const openMs = await busyMs();
  await page.keyboard.press("x");
  const list = { scroller: "[data-op-scroll]", row: ".op", frames: 40 };
  return { openMs, ...(await scrollCost(page, busyMs, list)) };
}

test("a hundred rows at most, and a frame costs what it costs between small turns", async () => {
  // A ratio, so that a slow machine does not decide: test/bench/pages has the milliseconds.
  const few = await costs(await visit("/settings"), smallAddress);
  const page = await visit("/settings");
  const many = await costs(page, address);
  console.log(`${size} rows: ${JSON.stringify(many)}, ${smallSize} rows: ${JSON.stringify(few)}`);
  expect(many.most).toBeGreaterThan(20);
  expect(many.most).toBeLessThanOrEqual(100);
  expect(many.frameMs).toBeLessThan(few.frameMs * 4);
  expect(many.openMs).toBeLessThan(few.openMs * 10);
  expect(await page.locator("[role=treegrid]").getAttribute("aria-rowcount")).toBe(`${size + 1}`);
});

test("changes alone at first; brackets step through them, x shows everything", async () => {
  const page = await open(1440);
  const only = page.locator("[data-only-changes]");
  expect(await only.isChecked()).toBe(true);
  // Three changed calls and the turn above them.
  expect(await rows(page)).toBe(1 + changed.length);
  const walked: string[] = [];
  for (const key of ["]", "]", "]", "]", "["]) {
    await page.keyboard.press(key);
    expect(await change(page)).toContain("changed");
    walked.push(await focused(page));
  }
  expect(new Set(walked).size).toBe(changed.length);
  expect(walked[3]).toBe(walked[0]);
  expect(walked[4]).toBe(walked[2]);
  expect(await page.locator("[data-op-detail]").innerText()).toContain("success → partial");
  await page.keyboard.press("x");
  expect(await only.isChecked()).toBe(false);
  expect(await rows(page)).toBeGreaterThan(20);
  await page.locator(".op").first().focus();
  await page.keyboard.press("End");
  expect(await focused(page)).toBe(`row-${size - 1}`);
  expect(await rows(page)).toBeLessThanOrEqual(100);
  await page.keyboard.press("Home");
  await page.keyboard.press("j");
  expect(await focused(page)).toBe("row-1");
  // What is shown is in the address, so that a link keeps it.
  await page.reload();
  await page.locator("body[data-ready]").waitFor({ timeout: 30_000 });
  expect(await only.isChecked()).toBe(false);
  await only.focus();
  await page.keyboard.press("Space");
  expect(await rows(page)).toBe(1 + changed.length);
  // A control that is pressed leaves the letters to the page.
  await page.keyboard.press("]");
  expect(await change(page)).toContain("changed");
  await Promise.all([page.waitForURL(/\/traces\/c+#e-/), page.keyboard.press("Enter")]);
});

test.each([1440, 390, 320])(
  "at %i pixels nothing scrolls sideways, and axe is content",
  async (width) => {
    const page = await open(width);
    await page.keyboard.press("x");
    await page.keyboard.press("j");
    expect(await sidewaysOverflow(page)).toBe(0);
    const names = await page
      .locator(".op .what")
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
    expect(Math.min(...names)).toBeGreaterThanOrEqual(40);
    const places = await page.locator(".op").evaluateAll((all) =>
      all.slice(0, 9).map((one) => {
        const { top, bottom } = one.getBoundingClientRect();
        const changes = one.querySelector(".op-changes") as HTMLElement;
        const isCut =
          changes.textContent !== "" &&
          (changes.scrollWidth > changes.clientWidth ||
            changes.getBoundingClientRect().bottom > bottom);
        return { top: Math.round(top), bottom: Math.round(bottom), isCut };
      }),
    );
    // Rows have the heights of what changed in them, in full, and none lies over another.
    expect(places.slice(1).map(({ top }) => top)).toEqual(
      places.slice(0, -1).map(({ bottom }) => bottom),
    );
    expect(new Set(places.map(({ top, bottom }) => bottom - top)).size).toBeGreaterThan(1);
    expect(places.some(({ isCut }) => isCut)).toBe(false);
    expect(await axeViolations(page)).toEqual([]);
  },
);

test("a long list of another panel is bounded, with its count, and opens", async () => {
  const page = await open(1440);
  const sources = page.locator("#sources");
  expect(await sources.locator(".line:visible").count()).toBe(12);
  await sources.getByText("Show 8 more").click();
  expect(await sources.locator(".line:visible").count()).toBe(20);
});

test("without script the first changes stand there, and how many there are", async () => {
  const page = await visit(address, { ...wide, script: false });
  expect(await rows(page)).toBe(1 + changed.length);
  expect(await page.locator("#operations .more-line").innerText()).toContain("10,000 rows in all");
});
