/**
 * @module The two fields of the own range: a bound that is not changed keeps its exact value, a
 * relative one too, in either clock and in an hour that a clock repeats.
 */
import { expect, test } from "vitest";
import type { Page } from "playwright-core";

import { turnEvents } from "../collector/desk.ts";
import { inZone, openedSite, wide } from "./opened-site.ts";

const { visit } = openedSite({
  put: turnEvents({ root: "root", at: "2026-10-25T01:30:00.000Z", user: "ann", agent: "desk" }),
});

const parametersOf = (url: string): Record<string, string> =>
  Object.fromEntries(new URL(url).searchParams);

/** The page with its picker open, in a zone whose clock it shows. */
async function opened(query: Record<string, string>, zone?: string, on = "/tools"): Promise<Page> {
  const path = `${on}?${new URLSearchParams(query).toString()}`;
  const page = await visit(path);
  if (zone !== undefined) {
    await inZone(page, zone);
    await page.evaluate(() => localStorage.setItem("turnproof.clock", "local"));
    await page.reload();
  }
  await page.locator("[data-switches]:not([hidden])").waitFor();
  await page.locator("[data-range] summary").click();
  return page;
}

async function applied(page: Page): Promise<Record<string, string>> {
  const before = page.url();
  await Promise.all([
    page.waitForNavigation(),
    page.locator("[data-range-form] button[type=submit]").click(),
  ]);
  return { ...parametersOf(page.url()), ...(before === page.url() ? { same: "address" } : {}) };
}

const same = { same: "address" };

test("a relative start stays where only the end is set, and is named", async () => {
  const page = await opened({ start_time: "-24h" });
  await page.getByText("24 hours ago").waitFor();
  await page.locator("[data-range-form] [name=end_time]").fill("2099-11-20T08:30:00");
  expect(await applied(page)).toEqual({ start_time: "-24h", end_time: "2099-11-20T08:30:00.000Z" });
  await page.locator("[data-range] summary").click();
  await page.locator("[data-range-form] [name=start_time]").fill("2026-11-20T08:30:00");
  expect(await page.locator("[data-range-hint]").first().innerText()).toBe("");
  expect(await applied(page)).toMatchObject({ start_time: "2026-11-20T08:30:00.000Z" });
});

test("a relative start stays without scripts", async () => {
  const page = await visit("/tools?start_time=-24h", { ...wide, script: false });
  await page.locator("[data-range] summary").click();
  await page.locator("[data-range-form] [name=end_time]").fill("2099-11-20T08:30:00");
  await page.locator("[data-range-form] button[type=submit]").click();
  expect(parametersOf(page.url())).toEqual({ start_time: "-24h", end_time: "2099-11-20T08:30" });
});

test.each([
  [undefined, { end_time: "2026-11-20T10:00:00.999Z" }],
  [undefined, { start_time: "2026-11-20", end_time: "2026-11-20T10:00:00.123456Z" }],
  ["Europe/Berlin", { start_time: "2026-10-25T01:30:00Z" }],
  ["Europe/Berlin", { start_time: "2026-10-25T00:30:00Z" }],
  ["America/New_York", { start_time: "2026-11-01T06:30:00.5Z" }],
])("in %s, %j is the same when it is applied again", async (zone, query) => {
  expect(await applied(await opened(query, zone))).toEqual({ ...query, ...same });
});

test("a bound in a repeated hour survives both clocks, and its offset is shown", async () => {
  const page = await opened({ start_time: "2026-10-25T01:30:00Z" }, "Europe/Berlin");
  const field = page.locator("[data-range-form] [name=start_time]");
  expect(await field.inputValue()).toBe("2026-10-25T02:30");
  expect(await page.locator(".range-words").innerText()).toBe("10-25 02:30:00 +01:00 – now");
  await page.locator("[data-other-clock]").click();
  expect(await field.inputValue()).toBe("2026-10-25T01:30");
  await page.locator("[data-other-clock]").click();
  expect(await field.inputValue()).toBe("2026-10-25T02:30");
  expect(await applied(page)).toEqual({ start_time: "2026-10-25T01:30:00Z", ...same });
});

test("a time that was typed in one clock is the same instant in the other", async () => {
  const page = await opened({}, "Europe/Berlin");
  await page.locator("[data-other-clock]").click();
  const field = page.locator("[data-range-form] [name=start_time]");
  await field.fill("2026-10-25T01:30:00");
  await page.locator("[data-other-clock]").click();
  expect(await field.inputValue()).toBe("2026-10-25T02:30");
  expect(await applied(page)).toEqual({ start_time: "2026-10-25T01:30:00.000Z" });
});

test("the days of a chart begin at the midnight of the clock", async () => {
  const range = { start_time: "2026-10-20T12:00:00Z", end_time: "2026-10-27T12:00:00Z" };
  const page = await opened(range, "America/New_York", "/traces");
  const ticks = page.locator(".time-axis text");
  await ticks.first().waitFor({ state: "attached" });
  const words = (): Promise<readonly string[]> =>
    ticks.evaluateAll((all) => all.map((one) => one.textContent ?? ""));
  const places = (): Promise<readonly (string | null)[]> =>
    ticks.evaluateAll((all) => all.map((one) => one.getAttribute("x")));
  for (const word of await words()) expect(word).toMatch(/^10-\d\d$/);
  const local = await places();
  await page.locator("[data-other-clock]").click();
  for (const word of await words()) expect(word).toMatch(/^10-\d\d$/);
  expect(await places()).not.toEqual(local);
});
