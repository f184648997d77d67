/**
 * @module The forms of Alerts by the keyboard alone: a rule is tried on past data, an alert and a
 * rule are silenced and the silence ends, and what is refused is explained at its form.
 */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { beforeAll, expect, test, vi } from "vitest";
import type { Page } from "playwright-core";

import { expectSoundInEveryLook } from "./every-look.ts";
import { brokenTrace } from "./broken-trace.ts";
import { setWindow } from "./browser.ts";
import { openedSite, wide } from "./opened-site.ts";

const file = join(mkdtempSync(join(tmpdir(), "turnproof-alert-forms-")), "rules.yaml");
const rules = (...names: readonly string[]): void =>
  writeFileSync(
    file,
    `version: 1\nrules:\n${names.map((name) => `  - { name: ${name}, measure: error_share, by: agent, window: 1d, above: 0 }\n`).join("")}`,
  );
rules("errors", "spare");

const { site, visit } = openedSite({ env: { TURNPROOF_ALERT_RULES: file } });
const now = Date.now();
/** The trace an hour ago, with an error, so that its rule fires. */
const recent = brokenTrace.map((event) => {
  const shift = now - 3_600_000 - Date.UTC(2026, 10, 21, 13);
  const at = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : new Date(Date.parse(text) + shift).toISOString();
  const moved = { ...event, timestamp: at(event.timestamp) ?? "" };
  const begun = at(event.started_at);
  return begun === undefined ? moved : { ...moved, started_at: begun, status: "error" as const };
});
beforeAll(async () => {
  await site.put(recent);
  await vi.waitFor(async () => {
    const { firing } = (await (await fetch(`${site.url}/alerts.json`)).json()) as {
      firing: readonly unknown[];
    };
    expect(firing).toHaveLength(2);
  }, 30_000);
});

/** Moves the focus with Tab until it is on the element. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let tab = 0; tab < 120; tab += 1) {
    await page.keyboard.press("Tab");
    if (await page.evaluate((css) => document.activeElement?.matches(css) === true, selector)) {
      return;
    }
  }
  throw new Error(`Tab does not reach ${selector}`);
}

/** Presses Enter and waits for the page that follows. */
async function enter(page: Page): Promise<void> {
  await page.evaluate(() => void Object.assign(window, { isOld: true }));
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => !("isOld" in window) && document.readyState === "complete");
}

const typed = async (page: Page, text: string): Promise<void> => {
  await page.keyboard.press("Control+A");
  await page.keyboard.type(text);
};
const isSeen = (page: Page, selector: string): Promise<boolean> =>
  page.evaluate((css) => {
    const box = document.querySelector(css)?.getBoundingClientRect();
    return box !== undefined && box.height > 0 && box.top >= 0 && box.bottom <= innerHeight;
  }, selector);
const refusal = (page: Page, form: string): Promise<string> =>
  page.locator(`${form} [data-problem]:visible`).innerText();

test("a rule that is typed shows its past; one with faults names each at the form", async () => {
  const page = await visit("/alerts");
  await tabTo(page, "#draft");
  await typed(page, "name: typed\nmeasure: error_share\nwindow: 1h\nabove: 0.5");
  await tabTo(page, ".try-rule button");
  await enter(page);
  // The answer is in the window, not below it.
  expect(await isSeen(page, "#preview > header")).toBe(true);
  expect(await page.locator("#preview").innerText()).toMatch(
    /typed: Share of turns.*would have fired/s,
  );
  expect(await page.locator("#draft").inputValue()).toContain("name: typed");
  await expectSoundInEveryLook(page, [1440, 900, 390]);

  for (const [text, problem] of [
    ["name: typed\nmeasure: error_share\nwindow: 1h\nabove: 2", /above: a share is never above 1/],
    ["name: typed\nmeasure: nope\nwindow: 1h\nabove: 2", /measure: /],
    ["name: [", /not valid YAML/],
    ["name: Big\nmeasure: silence\nby: tool\nwindow: 1s", /name: .*window: /s],
  ] as const) {
    await tabTo(page, "#draft");
    await typed(page, text);
    await tabTo(page, ".try-rule button");
    await enter(page);
    expect(await page.locator("#draft-problems").innerText()).toMatch(problem);
    expect(await isSeen(page, "#draft-problems")).toBe(true);
    // The field has the focus, its text and its problem.
    const field = page.locator("#draft:focus");
    expect(await field.getAttribute("aria-describedby")).toBe("draft-problems");
    expect(await field.inputValue()).toBe(text);
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  }
  await expectSoundInEveryLook(page, [1440, 900, 390]);
});

test("the longest draft is tried, and an empty one is not sent", async () => {
  const page = await visit("/alerts");
  const rule = "name: typed\nmeasure: error_share\nwindow: 1h\nabove: 0.5\n";
  await page.locator("#draft").fill(rule + "# x\n".repeat(600).slice(0, 2_000 - rule.length));
  await page.locator(".try-rule button").focus();
  await enter(page);
  expect(await page.locator("#preview").innerText()).toContain("would have fired");
  const before = page.url();
  await page.locator("#draft").fill("");
  await page.locator(".try-rule button").focus();
  await page.keyboard.press("Enter");
  expect(await page.locator("#draft:focus").count()).toBe(1);
  expect(page.url()).toBe(before);
});

test("an alert is silenced by its button, and its silence ends", async () => {
  const page = await visit("/alerts");
  await tabTo(page, ".alerts li button[value='8']");
  await enter(page);
  expect(await page.locator(".alerts .badge", { hasText: "silenced" }).count()).toBe(1);
  const row = page.locator("table[aria-label=Silences] tbody tr");
  expect(await row.innerText()).toMatch(/briefing-writer/);
  await tabTo(page, "table[aria-label=Silences] button");
  await enter(page);
  expect(await row.count()).toBe(0);
});

test("a rule is silenced before it fires; each refused input is explained", async () => {
  const page = await visit("/alerts", wide, { excused: /status of (404|422)/ });
  await tabTo(page, "#silence-rule");
  await page.keyboard.type("spare");
  await tabTo(page, "#silence-group");
  await page.keyboard.type("night-job");
  await tabTo(page, "#silence-hours");
  // The browser holds it back, with the reason at the field.
  await typed(page, "9999");
  await page.keyboard.press("Enter");
  const hours = page.locator("#silence-hours");
  expect(await hours.evaluate((field: HTMLInputElement) => field.validationMessage)).not.toBe("");
  // The collector refuses it as well.
  await hours.evaluate((field) => field.removeAttribute("max"));
  await page.keyboard.press("Enter");
  await vi.waitFor(async () => {
    expect(await refusal(page, ".silence")).toBe("Hours: this value is not accepted.");
  });
  expect(await page.locator("#silence-hours:focus[aria-invalid]").inputValue()).toBe("9999");
  await expectSoundInEveryLook(page, [1440, 900, 390]);
  await typed(page, "2");
  await enter(page);
  const row = page.locator("table[aria-label=Silences] tbody tr");
  expect(await row.innerText()).toMatch(/spare\s+night-job/);
  await expectSoundInEveryLook(page, [1440, 900, 390]);
  await setWindow(page, { width: 390, height: 900 });
  const fields = await page.locator(".silence .field").all();
  for (const field of fields) expect((await field.boundingBox())?.width).toBeGreaterThan(250);
  // A rule that was removed meanwhile.
  rules("errors");
  await vi.waitFor(async () => {
    const model = (await (await fetch(`${site.url}/alerts.json`)).json()) as {
      rules: readonly unknown[];
    };
    expect(model.rules).toHaveLength(1);
  }, 20_000);
  await tabTo(page, "#silence-rule");
  await page.keyboard.type("spare");
  await tabTo(page, ".silence button");
  await page.keyboard.press("Enter");
  await vi.waitFor(async () => {
    expect(await refusal(page, ".silence")).toContain("no longer there");
  });
});

test("without scripts a rule is silenced, and a refused form leads back to Alerts", async () => {
  const excused = /status of 422/;
  const page = await visit("/alerts", { ...wide, script: false }, { excused });
  await page.locator("#silence-hours").evaluate((field) => field.removeAttribute("max"));
  await page.locator("#silence-hours").fill("9999");
  await page.locator(".silence button").click();
  await page.getByRole("main").getByRole("link", { name: "Alerts" }).click();
  await page.locator("#silence-group").fill("x");
  await page.locator("#silence-hours").fill("1");
  await page.locator(".silence button").click();
  expect(await page.locator("table[aria-label=Silences]").innerText()).toMatch(/errors\s+x/);
});
