/**
 * @module Big traces: 10,000 spans and chains 1,500 deep keep at most a hundred rows in the
 * document, cost a frame no more than a small trace does, and can be read at any depth.
 */
import { beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { bigSpan as span, scrollCost, threadMs } from "./big-trace.ts";
import { sidewaysOverflow } from "./browser.ts";
import { openedSite } from "./opened-site.ts";
import { codeBytes, travelBytes } from "./page-weight.ts";
import { sendRandomTurn } from "./random-turn.ts";

const wideRoot = "a".repeat(32);
const deepRoot = "b".repeat(32);
const smallRoot = "d".repeat(32);
const rowsMax = 100;
const frames = 60;
const smallSize = 200;
const frameRatioMax = 4;
const openRatioMax = 10;
const turnBytesMax = 250_000;
const codeBytesMax = 60_000;

const { site, visit } = openedSite();

beforeAll(async () => {
  const wide = Array.from({ length: 10_000 }, (_, index) =>
    span(wideRoot, index, index === 0 ? undefined : Math.floor((index - 1) / 6)),
  );
  const deep = Array.from({ length: 1_500 }, (_, index) =>
    span(deepRoot, index, index === 0 ? undefined : index - 1),
  );
  const small = Array.from({ length: smallSize }, (_, index) =>
    span(smallRoot, index, index === 0 ? undefined : Math.floor((index - 1) / 6)),
  );
  await site.put(small);
  await site.put(wide);
  await site.put(deep);
});

/** Opens a trace, and measures what its opening and its scrolling cost the thread of the page. */
async function costs(
  page: Page,
  root: string,
): Promise<Record<"openMs" | "frameMs" | "most", number>> {
  const busyMs = await threadMs(page);
  await page.goto(`${site.url}/traces/${root}`, { waitUntil: "commit" });
  await page.locator("body[data-ready]").waitFor({ timeout: 60_000 });
  // All that the thread did for the page, its parsing and first painting included.
  const openMs = await busyMs();
  const list = { scroller: "[data-wf-scroll]", row: ".wf-row", frames };
  return { openMs, ...(await scrollCost(page, busyMs, list)) };
}

test.each([
  { name: "10,000 spans", root: wideRoot, size: 10_000 },
  { name: "a chain of 1,500", root: deepRoot, size: 1_500 },
])("$name: a frame costs what it costs in a small trace", async ({ root, size }) => {
  // A ratio, so that a slow machine does not decide: test/bench/pages has the milliseconds.
  const small = await costs(await visit("/settings"), smallRoot);
  const page = await visit("/settings");
  const large = await costs(page, root);
  console.log(
    `${size} rows: ${JSON.stringify(large)}, ${smallSize} rows: ${JSON.stringify(small)}`,
  );
  expect(await page.locator("[role=treegrid]").getAttribute("aria-rowcount")).toBe(`${size + 1}`);
  expect(large.most).toBeLessThanOrEqual(rowsMax);
  expect(large.frameMs).toBeLessThan(small.frameMs * frameRatioMax);
  expect(large.openMs).toBeLessThan(small.openMs * openRatioMax);
  await page.locator("#row-0, .wf-row").first().focus();
  await page.keyboard.press("End");
  expect(await page.evaluate(() => document.activeElement?.id)).toBe(`row-${size - 1}`);
  expect(await page.locator(".wf-row").count()).toBeLessThanOrEqual(rowsMax);
});

/** What a row's name has room for, and where its bar begins, of every row that is drawn. */
function rowBoxes(page: Page): Promise<readonly { name: number; bar: number }[]> {
  return page.locator(".wf-row").evaluateAll((rows) =>
    rows.map((row) => {
      const box = (selector: string): DOMRect =>
        (row.querySelector(selector) ?? row).getBoundingClientRect();
      return { name: box(".what").width, bar: Math.round(box(".wf-time").left * 10) };
    }),
  );
}

test.each([1440, 900, 390, 320])("a chain of 1,500 is readable at %i pixels", async (width) => {
  const page = await visit(`/traces/${deepRoot}`, { width, theme: "light" });
  await page.locator("body[data-ready]").waitFor({ timeout: 20_000 });
  await page.locator("#row-0").focus();
  await page.keyboard.press("End");
  await page.locator("#row-1499").waitFor();
  expect(await page.locator("#row-1499 .depth").innerText()).toBe("1500");
  const boxes = await rowBoxes(page);
  expect(Math.min(...boxes.map(({ name }) => name))).toBeGreaterThanOrEqual(40);
  expect(new Set(boxes.map(({ bar }) => bar)).size).toBe(1);
  expect(await sidewaysOverflow(page)).toBe(0);
  expect(
    await page.locator("[data-wf-scroll]").evaluate((it) => it.scrollWidth - it.clientWidth),
  ).toBe(0);
  const path = page.locator("[data-wf-path]");
  expect(await path.innerText()).toContain("1,500");
  expect(await path.innerText()).toContain("1,495 more");
  await path.locator("button").last().click();
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("row-1498");
  await path.locator("button").first().click();
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("row-0");
  expect(await path.innerText()).toContain("Top of the tree");
});

test("levels are opened and closed one by one, and all at once", async () => {
  const page = await visit(`/traces/${wideRoot}`);
  await page.locator("body[data-ready]").waitFor({ timeout: 20_000 });
  const shown = async (key: string): Promise<string> => {
    await page.keyboard.press(key);
    return page.locator("[data-announce]").innerText();
  };
  // Each span of the tree has six children: 1, 7, 43, 259 rows by level.
  await page.keyboard.press("j");
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("row-0");
  expect(await shown("(")).toBe("1 row");
  expect(await shown(">")).toBe("7 rows");
  expect(await shown(">")).toBe("43 rows");
  expect(await shown(">")).toBe("259 rows");
  expect(await shown("<")).toBe("43 rows");
  expect(await shown(")")).toBe("10,000 rows");
  await page.keyboard.press("End");
  await page.getByRole("button", { name: "Collapse all" }).click();
  expect(await page.locator(".wf-row").count()).toBe(1);
  expect(await page.locator("#row-0").getAttribute("tabindex")).toBe("0");
});

test("10,000 spans with random ids travel in 250 kB, and the code of the page in 60", async () => {
  const root = await sendRandomTurn(site.url, 10_000);
  const path = `/traces/${root}`;
  await expect
    .poll(
      async () => {
        const answer = await fetch(`${site.url}${path}.json`);
        return ((await answer.json()) as { events?: readonly unknown[] }).events?.length;
      },
      { timeout: 60_000, interval: 500 },
    )
    .toBe(10_000);
  const page = await travelBytes(`${site.url}${path}`);
  const rows = await travelBytes(`${site.url}${path}.json?form=columns`);
  console.log(`page ${page} bytes, rows ${rows}`);
  expect(page + rows).toBeLessThanOrEqual(turnBytesMax);
  const opened = await visit(path);
  await opened.locator("body[data-ready]").waitFor({ timeout: 60_000 });
  expect(await opened.locator("[role=treegrid]").getAttribute("aria-rowcount")).toBe("10001");
  for (const each of [opened, await visit("/traces"), await visit("/agents/big")]) {
    await each.waitForLoadState("networkidle");
    const bytes = await codeBytes(each);
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThanOrEqual(codeBytesMax);
  }
});
