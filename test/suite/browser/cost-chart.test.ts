/**
 * @module Cost over time in the browser: the known cost and, beside it, the calls without a price;
 * in words under the pointer and by keys, and a brush that narrows the page. Tools have the same.
 */
import { expect, test } from "vitest";

import { turnEvents } from "../collector/desk.ts";
import { expectSoundInEveryLook } from "./every-look.ts";
import { openedSite, wide } from "./opened-site.ts";

const turns = 24;

// Of the models of 24 hours, one turn an hour, every third has no listed price.
const { visit } = openedSite({
  put: Array.from({ length: turns }, (_, n) => {
    const at = new Date(Date.UTC(2026, 10, 20, n)).toISOString();
    const own = turnEvents({ root: `root-${n}`, at, agent: "desk" });
    const model = n % 3 === 0 ? "house-model-1" : "gpt-4o";
    const tokens = { input_tokens: 1_000, output_tokens: 100, cached_tokens: 0 };
    return own.map((event) =>
      event.event_kind === "model_call"
        ? { ...event, attributes: { ...tokens, model, provider: "openai" } }
        : event,
    );
  }).flat(),
});

test("an interval shows its cost, and calls without a price beside it, never as 0", async () => {
  const page = await visit("/cost");
  const chart = page.locator("[data-histogram] > svg");
  expect(await chart.locator("text").allTextContents()).toEqual([
    "Cost, up to $0.0035",
    "Calls without a price, up to 1",
  ]);
  const readout = page.locator("[data-readout]");
  const whole = "Cost of 24 turns over time, 8 calls without a price";
  expect(await readout.innerText()).toBe(whole);
  const words = await chart
    .locator("g")
    .evaluateAll((all) => all.map((slice) => (slice as SVGElement).dataset["words"]));
  expect(words.filter((text) => text === "1 turn, 1 call: cost unknown")).toHaveLength(8);
  expect(words.filter((text) => text === "1 turn, 1 call: $0.0035")).toHaveLength(16);
  const box = await chart.boundingBox();
  if (box === null) throw new Error("no chart");
  await page.mouse.move(box.x + 2, box.y + 20);
  expect(await readout.innerText()).toBe("11-20 00:00:00 · 1 turn, 1 call: cost unknown");
  await page.mouse.move(5, 5);
  expect(await readout.innerText()).toBe(whole);
  await expectSoundInEveryLook(page);
});

test.each(["/cost", "/tools"])("%s: keys read the intervals and narrow the page", async (path) => {
  const page = await visit(path);
  const chart = page.getByRole("slider");
  await chart.focus();
  await page.keyboard.press("ArrowRight");
  expect(await chart.getAttribute("aria-valuetext")).toMatch(/^11-20 00:00:00 · 1 (turn|call)/);
  await page.keyboard.press("Shift+ArrowRight");
  await Promise.all([page.waitForURL(/start_time=/), page.keyboard.press("Enter")]);
  const query = new URL(page.url()).searchParams;
  const span = Date.parse(query.get("end_time") ?? "") - Date.parse(query.get("start_time") ?? "");
  expect(span % 1_800_000).toBe(0);
  expect(await page.locator("tbody tr").count()).toBeGreaterThan(0);
});

test("an amount is whole in its tile on a phone, also a range", async () => {
  const page = await visit("/cost", { width: 390, theme: "light" });
  const amount = page.locator(".tile .amount > span").first();
  const right = await amount.evaluate((span) => {
    span.textContent = "$107.12 – $107.78";
    const tile = span.closest(".tile") ?? span;
    return [span.getBoundingClientRect().right, tile.getBoundingClientRect().right] as const;
  });
  expect(right[0]).toBeLessThanOrEqual(right[1]);
});

test("without script the chart is there with its words", async () => {
  const page = await visit("/cost", { ...wide, script: false });
  expect(await page.locator("[data-histogram] > svg").getAttribute("aria-label")).toBe(
    "Cost of 24 turns over time, 8 calls without a price",
  );
});
