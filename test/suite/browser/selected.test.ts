/**
 * @module What is selected stands in the address: a row of the list and an event of a turn, so that
 * a link, a reload and Back select it again. The filter bar completes and explains.
 */
import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, test } from "vitest";
import type { Page } from "playwright-core";

import { turnEvents } from "../collector/desk.ts";
import { expectSoundInEveryLook } from "./every-look.ts";
import { openedSite } from "./opened-site.ts";

const { site, visit } = openedSite({
  put: Array.from({ length: 12 }, (_, n) =>
    turnEvents({
      root: `root-${n}`,
      at: new Date(Date.UTC(2026, 10, 20, 0, n)).toISOString(),
      user: "ann",
      agent: n % 2 === 0 ? "order-desk" : "reader",
    }).map((event) =>
      event.event_kind === "tool_call"
        ? { ...event, duration_ms: 100 + n, attributes: { tool_name: "search" } }
        : {
            ...event,
            attributes: {
              ...event.attributes,
              ...(n < 3 ? { deployment_environment: "staging" } : {}),
            },
          },
    ),
  ).flat(),
});

const focusedRoot = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => document.activeElement?.closest<HTMLElement>("tr")?.dataset["root"]);

test("Back returns the focus to its row; a link to a row selects it", async () => {
  const page = await visit("/traces");
  await page.locator("body[data-page=turns] [data-live]").waitFor({ state: "visible" });
  for (let n = 0; n < 4; n += 1) await page.keyboard.press("j");
  const root = await focusedRoot(page);
  expect(root).toMatch(/^root-/);
  const address = page.url();
  expect(address).toContain("#row=");
  await Promise.all([page.waitForURL(/\/traces\/root-/), page.keyboard.press("Enter")]);
  await page.goBack();
  await expect.poll(() => focusedRoot(page)).toBe(root);
  const other = await visit(address.slice(site.url.length));
  await expect.poll(() => focusedRoot(other)).toBe(root);
});

test("Back returns the focus to its row in a list without keys of its own", async () => {
  for (const path of ["/agents", "/threads", "/graph", "/tools"]) {
    const page = await visit(path);
    await page.locator("[data-switch=theme]").waitFor();
    await page.keyboard.press("j");
    const focused = (): Promise<string | null | undefined> =>
      page.evaluate(() => document.activeElement?.getAttribute("href"));
    const href = await focused();
    expect(href, path).toMatch(/^\//);
    await Promise.all([
      page.waitForURL((url) => url.pathname !== path),
      page.keyboard.press("Enter"),
    ]);
    await page.goBack();
    await expect.poll(focused).toBe(href);
  }
});

test("Back returns the focus to a link of a row that is not the row's own", async () => {
  for (const path of ["/tools", "/traces/health"]) {
    const page = await visit(path);
    await page.locator("[data-switch=theme]").waitFor();
    const focused = (): Promise<number> =>
      page.evaluate(() =>
        [...document.querySelectorAll("main a[href]")].indexOf(
          document.activeElement as HTMLAnchorElement,
        ),
      );
    // Links with one address differ by their place.
    await page.locator("main tr a[href^='/traces']:not([data-row])").last().focus();
    const at = await focused();
    expect(at, path).toBeGreaterThan(0);
    await Promise.all([
      page.waitForURL((url) => url.pathname !== path),
      page.keyboard.press("Enter"),
    ]);
    await page.goBack();
    await expect.poll(focused, { message: path }).toBe(at);
    // Also where the browser has not kept the page itself.
    await page.reload();
    await expect.poll(focused, { message: path }).toBe(at);
    // A row that has the focus afterwards is the one that is left.
    if (path !== "/tools") continue;
    await page.keyboard.press("j");
    const row = await focused();
    expect(row).not.toBe(at);
    await Promise.all([
      page.waitForURL((url) => url.pathname !== path),
      page.keyboard.press("Enter"),
    ]);
    await page.goBack();
    await expect.poll(focused).toBe(row);
  }
});

test("evidence selects its event in the waterfall, and a reload selects it again", async () => {
  const page = await visit("/traces/root-11");
  await page.locator("body[data-ready]").waitFor();
  await page.locator("#tools [data-evidence]").first().click();
  const selected = page.locator("[data-wf] [aria-selected=true]");
  expect(await selected.getAttribute("data-event")).toMatch(/^root-11-.*:result$/);
  const event = await selected.getAttribute("data-event");
  expect(await selected.getAttribute("aria-label")).toContain("usually 10");
  // Beside the bar, in words.
  const usual = selected.locator(".wf-usual text");
  expect(await usual.innerHTML()).toMatch(/^usually 1\d\d ms$/);
  expect(await usual.isVisible()).toBe(true);
  expect(new URLSearchParams(new URL(page.url()).hash.slice(1)).get("event")).toBe(event);
  await page.reload();
  await page.locator("body[data-ready]").waitFor();
  expect(await selected.getAttribute("data-event")).toBe(event);
});

test("each row that keys select has its event in the address", async () => {
  const page = await visit("/traces/root-11");
  await page.locator("body[data-ready]").waitFor();
  const selected = page.locator("[data-wf] [aria-selected=true]");
  const named = (): string | null =>
    new URLSearchParams(new URL(page.url()).hash.slice(1)).get("event");
  await page.keyboard.press("j");
  for (const key of ["j", "k", "ArrowDown", "ArrowUp", "End", "Home"]) {
    await page.keyboard.press(key);
    expect(named(), key).not.toBeNull();
    expect(named(), key).toBe(await selected.getAttribute("data-event"));
  }
});

test("two marked turns of different agents lead nowhere, and the bar has the reason", async () => {
  const page = await visit("/traces");
  await page.locator("body[data-page=turns] [data-live]").waitFor({ state: "visible" });
  for (const key of ["j", "m", "j", "m"]) await page.keyboard.press(key);
  const bar = page.locator("[data-marks]");
  expect(await bar.innerText()).toMatch(/2 turns marked: only turns of one agent can be compared/);
  expect(await bar.locator("a").isVisible()).toBe(false);
  for (const key of ["k", "m", "j", "j", "j", "m"]) await page.keyboard.press(key);
  expect(await bar.locator("a").isVisible()).toBe(true);
  await Promise.all([page.waitForURL(/candidate_root=/), page.keyboard.press("c")]);
  await page.locator("h1", { hasText: "Compare turns of" }).waitFor();
  expect(await bar.count()).toBe(0);
});

test("Enter takes the only suggestion, and then searches", async () => {
  const page = await visit("/traces");
  await page.locator("[role=combobox]").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("verd");
  await page.keyboard.press("Enter");
  await page.keyboard.type("unj");
  await page.keyboard.press("Enter");
  expect(await page.locator("[data-filter] input").inputValue()).toBe("verdict:unjudged ");
  await page.keyboard.type("order");
  await Promise.all([page.waitForURL(/verdict=unjudged/), page.keyboard.press("Enter")]);
  expect(new URL(page.url()).searchParams.get("q")).toBe("order");
});

test("an environment is completed from the counted values, and its facet leads to its turns", async () => {
  const page = await visit("/traces");
  const facet = page.locator("[data-facet=env] a");
  await facet.waitFor();
  expect(await page.locator("[data-facet=env]").innerText()).toMatch(/Environment\s+staging\s+3/);
  await page.keyboard.press("/");
  await page.keyboard.type("env");
  expect(await page.locator("[role=option]").innerText()).toMatch(
    /^env:\s*deployment environment$/,
  );
  await page.keyboard.press("Enter");
  await page.keyboard.type("sta");
  await page.keyboard.press("Enter");
  expect(await page.locator("[data-filter] input").inputValue()).toBe("env:staging ");
  await Promise.all([page.waitForURL(/q=env%3Astaging/), page.keyboard.press("Enter")]);
  expect(await page.locator("tbody tr[data-key]").count()).toBe(3);
  const other = await visit("/traces");
  const link = other.locator("[data-facet=env] a");
  await Promise.all([other.waitForURL(/q=env%3Astaging/), link.click()]);
  expect(await other.locator("tbody tr[data-key]").count()).toBe(3);
});

test("columns and export are menus that hold in every look", async () => {
  const page = await visit("/traces?q=order%20latency:soon");
  await page.locator("[data-columns] summary").click();
  await page.locator("[data-columns] a:visible", { hasText: "Thread" }).click();
  expect(new URL(page.url()).searchParams.get("hide")).toBe("thread");
  // The document has its address before it has its rows.
  await page.locator("tbody tr[data-key]").nth(5).waitFor();
  expect(await page.locator("th.c-thread").isVisible()).toBe(false);
  expect(await page.locator("tbody tr[data-key]").count()).toBe(6);
  await page.locator("[data-menu] summary", { hasText: "Export" }).click();
  await expectSoundInEveryLook(page);
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Turns, CSV", exact: true }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^turns-\d{8}T\d{6}Z\.csv$/);
});

test("what a turn offers for checking is checked by its command", async () => {
  const page = await visit("/traces/root-3");
  await page.locator("body[data-ready]").waitFor();
  const folder = mkdtempSync(join(tmpdir(), "turnproof-proof-"));
  for (const name of ["Signed statement", "Evidence", "Public keys"]) {
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.locator("#proof a", { hasText: name }).click(),
    ]);
    await file.saveAs(join(folder, file.suggestedFilename()));
  }
  const command = (await page.locator(".proof-command").innerText()).split(" ");
  const program = join(import.meta.dirname, "../../../collector/dist/program/main.js");
  const { stdout } = await promisify(execFile)(
    process.execPath,
    // Offline: no collector listens there.
    [program, ...command.slice(1), "--url", "http://127.0.0.1:9"],
    { cwd: folder },
  );
  expect(stdout).toContain("matches");
});

test("a list of values is completed behind its comma, finds either, and OR is marked", async () => {
  const page = await visit("/traces");
  await page.locator("[data-facet=agent] a", { hasText: "reader" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("agent:order-desk,re");
  await page.keyboard.press("Enter");
  const field = page.locator("[data-filter] input[name=q]");
  expect(await field.inputValue()).toBe("agent:order-desk,reader ");
  await Promise.all([page.waitForURL(/q=agent/), page.keyboard.press("Enter")]);
  expect(await page.locator("tbody tr[data-key]").count()).toBe(12);
  expect(await page.locator("a.chip.term").innerText()).toMatch(/^agent:order-desk,reader/);
  const other = await visit("/traces?q=agent:reader%20OR%20agent:order-desk");
  expect(await other.locator("[data-not-applied] mark").allInnerTexts()).toEqual(["OR"]);
  expect(await other.locator("tbody tr[data-key]").count()).toBe(12);
});
