/**
 * @module The range of time as an operator uses it: chosen in the header of any page over many
 * turns, kept from page to page, brushed on a chart by keys, and all of it without scripts.
 */
import { expect, test } from "vitest";

import { turnEvents } from "../collector/desk.ts";
import { expectSoundInEveryLook } from "./every-look.ts";
import { openedSite, wide } from "./opened-site.ts";

const hourMs = 3_600_000;
const now = Date.now();

// One turn in each of the last ten hours.
const { visit } = openedSite({
  put: Array.from({ length: 10 }, (_, n) => {
    const at = new Date(now - n * hourMs - 60_000).toISOString();
    return turnEvents({ root: `root-${n}`, at, user: "ann", agent: "desk", thread: "thr" });
  }).flat(),
});

const parametersOf = (url: string): Record<string, string> =>
  Object.fromEntries(new URL(url).searchParams);

test("without scripts a range is chosen, goes along, and an own one is a form", async () => {
  const page = await visit("/traces?agent_id=desk", { ...wide, script: false });
  await page.locator("[data-range] summary").click();
  await page.locator("[data-range] a", { hasText: "Last 6 hours" }).click();
  expect(parametersOf(page.url())).toEqual({ agent_id: "desk", start_time: "-6h" });
  await expect.poll(() => page.locator("tbody tr[data-key]").count()).toBe(6);
  await page.locator(".rail a", { hasText: "Threads" }).click();
  expect(parametersOf(page.url())).toEqual({ start_time: "-6h" });
  // The body of a page follows its head.
  await expect.poll(() => page.locator("main").innerText()).toContain("6");
  await page.locator(".rail a", { hasText: "Health" }).click();
  expect(parametersOf(page.url())).toEqual({ start_time: "-6h" });
  expect(await page.locator(".tiles").first().innerText()).toMatch(/turns\s+6\s/);
  await page.goBack();
  await page.locator("a[data-row]").first().click();
  expect(new URL(page.url()).pathname).toBe("/threads/thr");
  expect(await page.locator(".range-words").innerText()).toBe("Last 6 hours");
  await page.locator("[data-range] summary").click();
  await page.locator("[data-range-form] [name=start_time]").fill("2026-11-20T08:30:00");
  await page.locator("[data-range-form] button[type=submit]").click();
  expect(parametersOf(page.url())).toEqual({ start_time: "2026-11-20T08:30:00", end_time: "" });
  expect(await page.locator(".range-words").innerText()).toBe("11-20 08:30:00 – now");
});

test("a page without a range passes the last one on", async () => {
  const page = await visit("/traces?start_time=-6h");
  await page.locator("[data-switches]:not([hidden])").waitFor();
  await page.goto(new URL("/memory", page.url()).href);
  expect(await page.locator("[data-range]").count()).toBe(0);
  const link = page.locator(".rail a", { hasText: "Compare" });
  await expect.poll(() => link.getAttribute("href")).toContain("start_time");
  await link.click();
  await page.waitForURL(/\/traces\/compare/);
  expect(parametersOf(page.url())).toEqual({ start_time: "-6h" });
});

test("without scripts, turns to compare are of the range, which stays with the two chosen", async () => {
  const page = await visit("/traces?start_time=-6h", { ...wide, script: false });
  await page.locator(".rail a", { hasText: "Compare" }).click();
  expect(new URL(page.url()).pathname).toBe("/traces/compare");
  expect(await page.locator(".range-words").innerText()).toBe("Last 6 hours");
  const choices = page.getByRole("table", { name: "Turns to choose from" }).locator("tbody tr");
  await expect.poll(() => choices.count()).toBe(6);
  await page.locator("[data-range] summary").click();
  await page.locator("[data-range] a", { hasText: "Last hour" }).click();
  await expect.poll(() => choices.count()).toBe(1);
  await page.locator("[data-range] summary").click();
  await page.locator("[data-range] a", { hasText: "Last 6 hours" }).click();
  await page.getByRole("button", { name: "Compare" }).first().click();
  expect(parametersOf(page.url())).toMatchObject({ agent_id: "desk", start_time: "-6h" });
  expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Compare turns of desk");
  // Two chosen turns have no use of a range: no picker that changes nothing.
  expect(await page.locator("[data-range]").count()).toBe(0);
  await page.getByRole("link", { name: "Pick others" }).click();
  expect(parametersOf(page.url())).toEqual({ agent_id: "desk", start_time: "-6h" });
  await page.locator(".rail a", { hasText: "Threads" }).click();
  expect(parametersOf(page.url())).toEqual({ start_time: "-6h" });
});

test("without scripts the range goes along to Alerts and Learning, and counts there", async () => {
  const page = await visit("/traces?start_time=-6h", { ...wide, script: false });
  await page.locator(".rail a", { hasText: "Alerts" }).click();
  expect(await page.locator(".range-words").innerText()).toBe("Last 6 hours");
  await page
    .locator("[name=draft]")
    .fill("name: any\nmeasure: error_share\nwindow: 30m\nabove: -1");
  await page.getByRole("button", { name: "Try it" }).click();
  expect(parametersOf(page.url())).toMatchObject({ start_time: "-6h" });
  await page.locator(".rail a", { hasText: "Learning" }).click();
  expect(parametersOf(page.url())).toEqual({ start_time: "-6h" });
  // Each turn of the range has three events.
  expect(await page.locator("main").innerText()).toContain("0 in 18 events");
  await page.locator("[data-range] summary").click();
  await page.locator("[data-range] a", { hasText: "Last hour" }).click();
  expect(await page.locator("main").innerText()).toContain("0 in 3 events");
  expect(await page.locator("main").innerText()).toContain("No recommendation of this range");
});

test.each(["/traces/compare", "/alerts", "/learning"])("%s is sound with a range", async (path) => {
  const page = await visit(`${path}?start_time=-6h`);
  await expectSoundInEveryLook(page);
});

test("the picker is sound when it is open, and closes as a menu does", async () => {
  const page = await visit("/agents");
  await page.locator("[data-range] summary").click();
  await expectSoundInEveryLook(page);
  await page.keyboard.press("Escape");
  expect(await page.locator("[data-range]").getAttribute("open")).toBeNull();
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("SUMMARY");
});

test("a range that ends before it begins is swapped on its page, which counts all turns", async () => {
  const page = await visit("/traces?agent_id=desk&start_time=-1h&end_time=-4h");
  await page.locator("[data-facet-extent]", { hasText: "All 10 turns" }).waitFor();
  await page.locator("[data-readout]", { hasText: "10 turns in all" }).waitFor();
  await expectSoundInEveryLook(page);
  // In forced colours a mark has colours of its own by default.
  const [line, mark] = await page
    .locator(".unclear, .unclear mark")
    .evaluateAll((nodes) => nodes.map((node) => getComputedStyle(node).color));
  expect(mark).toBe(line);
  await page.getByRole("link", { name: "Swap the two times" }).click();
  await page.locator(".range-words", { hasText: "4 hours ago" }).waitFor();
  expect(await page.locator("tbody tr[data-key]").count()).toBe(3);
  expect(parametersOf(page.url())).toEqual({
    agent_id: "desk",
    start_time: "-4h",
    end_time: "-1h",
  });
});

test("keys brush the chart; the range survives a page without one", async () => {
  const page = await visit("/traces?start_time=-12h");
  await page.locator("[data-readout]", { hasText: "10 turns in all" }).waitFor();
  const chart = page.getByRole("slider");
  await chart.focus();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  expect(await chart.getAttribute("aria-valuetext")).toMatch(/ · \d+ turns?/);
  const before = Number(await chart.getAttribute("aria-valuenow"));
  await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.press("Shift+ArrowLeft");
  expect(Number(await chart.getAttribute("aria-valuenow"))).toBe(before - 2);
  const [step, last] = await page.locator("[data-histogram]").evaluate((figure) => {
    const bars = [...figure.querySelectorAll<SVGGElement>("g")];
    const from = (bar?: SVGGElement): number => Number(bar?.dataset["from"]);
    return [from(bars[1]) - from(bars[0]), from(bars.at(-1))] as const;
  });
  await Promise.all([page.waitForURL(/end_time=/), page.keyboard.press("Enter")]);
  const chosen = parametersOf(page.url());
  expect([Date.parse(chosen["start_time"] ?? ""), Date.parse(chosen["end_time"] ?? "")]).toEqual([
    last - 3 * step,
    last,
  ]);
  await page.goto(new URL("/settings", page.url()).href);
  await page.keyboard.press("g");
  await Promise.all([page.waitForURL(/\/cost/), page.keyboard.press("p")]);
  expect(parametersOf(page.url())).toEqual(chosen);
});

test.each(["/tools?kind=model", "/traces/incidents"])(
  "%s has a chart with a brush",
  async (path) => {
    const page = await visit(path);
    const chart = page.getByRole("slider");
    await chart.focus();
    await page.keyboard.press("End");
    await page.keyboard.press("Shift+ArrowLeft");
    expect(await chart.getAttribute("aria-valuetext")).toMatch(/ · \d+ (call|turn)s?/);
    await expectSoundInEveryLook(page);
    await Promise.all([page.waitForURL(/start_time=.*end_time=/), page.keyboard.press("Enter")]);
    // Another parameter of the page stays.
    expect(parametersOf(page.url())).toMatchObject(parametersOf(new URL(path, page.url()).href));
  },
);

test.each(["pointer", "keys"])("each chart of Health has its own brush, by %s", async (by) => {
  const page = await visit("/traces/health?start_time=-12h");
  const places = page.locator("[data-histogram-place]");
  await page.getByRole("slider").nth(1).waitFor();
  expect(await places.count()).toBe(2);
  const [received, events] = [places.nth(0), places.nth(1)];
  const readouts = (): Promise<readonly string[]> => page.locator("[data-readout]").allInnerTexts();
  const [untouched] = await readouts();
  const [step, last] = await events.locator("[data-histogram]").evaluate((figure) => {
    const bars = [...figure.querySelectorAll<SVGGElement>("g")];
    const from = (bar?: SVGGElement): number => Number(bar?.dataset["from"]);
    return [from(bars[1]) - from(bars[0]), from(bars.at(-1))] as const;
  });
  const chart = events.getByRole("slider");
  if (by === "keys") {
    await chart.focus();
    for (const key of ["End", "Shift+ArrowLeft", "Shift+ArrowRight"])
      await page.keyboard.press(key);
    expect(await chart.getAttribute("aria-valuetext")).toMatch(/ · \d+ events?/);
    await Promise.all([page.waitForURL(/end_time=/), page.keyboard.press("Enter")]);
  } else {
    const svg = events.locator("[data-histogram] > svg");
    await svg.scrollIntoViewIfNeeded();
    const box = await svg.boundingBox();
    if (box === null) throw new Error("no chart");
    const [right, middle] = [box.x + box.width - 1, box.y + box.height / 2];
    await page.mouse.move(right, middle);
    expect((await readouts())[1]).toMatch(/ · \d+ events?/);
    expect((await readouts())[0]).toBe(untouched);
    await page.mouse.down();
    await page.mouse.up();
    await page.waitForURL(/end_time=/);
  }
  const chosen = parametersOf(page.url());
  expect([Date.parse(chosen["start_time"] ?? ""), Date.parse(chosen["end_time"] ?? "")]).toEqual([
    last,
    last + step,
  ]);
  expect(await received.count()).toBe(1);
});

test("an own range is typed in the clock of the page and kept in UTC", async () => {
  const page = await visit("/tools");
  await page.evaluate(() => localStorage.setItem("turnproof.clock", "local"));
  await page.reload();
  await page.locator("[data-range] summary").click();
  const field = page.locator("[data-range-form] [name=start_time]");
  await field.fill("2026-11-20T08:30:00");
  const utc = await page.evaluate(() => new Date("2026-11-20T08:30:00").toISOString());
  await Promise.all([
    page.waitForURL(/start_time=/),
    page.locator("[data-range-form] button[type=submit]").click(),
  ]);
  expect(parametersOf(page.url())).toEqual({ start_time: utc });
  expect(await field.inputValue()).toMatch(/^2026-11-20T08:30/);
});
