/**
 * @module The page of a turn: the key of the lanes with and without script, the key that finds in
 * the turn, and a note whose session has ended.
 */
import { expect, test } from "vitest";

import { axeViolations } from "./browser.ts";
import { brokenRoot, brokenTrace } from "./broken-trace.ts";
import { pageReady } from "./keys.ts";
import { openedSite, signIn, wide } from "./opened-site.ts";
import { accounts, tokens } from "./scene.ts";

const { site, visit } = openedSite({
  env: { TURNPROOF_UI_ACCOUNTS: JSON.stringify(accounts) },
  put: brokenTrace,
});
const path = `/traces/${brokenRoot}`;

test("without script the lanes are a key without buttons; with it each chooses its lane", async () => {
  const plain = await visit("/login", { ...wide, script: false });
  await signIn(plain, tokens.operator);
  await plain.goto(`${site.url}${path}`);
  const lanes = plain.getByRole("group", { name: "Lanes" });
  expect(await lanes.locator("[data-lane]").count()).toBeGreaterThan(1);
  expect(await lanes.getByRole("button").count()).toBe(0);
  const page = await visit("/login");
  await signIn(page, tokens.operator);
  await page.goto(`${site.url}${path}`);
  const lane = page.getByRole("group", { name: "Lanes" }).getByRole("button").first();
  await lane.click();
  expect(await lane.getAttribute("aria-pressed")).toBe("true");
});

test("/ finds in the turn", async () => {
  const page = await visit("/login");
  await signIn(page, tokens.operator);
  await page.goto(`${site.url}${path}`);
  await page.locator("[data-wf-find]:not([hidden])").waitFor();
  await pageReady(page);
  await page.keyboard.press("/");
  expect(
    await page.evaluate(() => document.activeElement?.closest("[data-wf-find]") !== null),
  ).toBe(true);
  expect(page.url()).toBe(`${site.url}${path}`);
});

test("a note after the sign-out stays, and the sign-in opens beside it", async () => {
  const page = await visit("/login", wide, { excused: /status of 401/ });
  await signIn(page, tokens.operator);
  await page.goto(`${site.url}${path}`);
  await pageReady(page);
  const text = page.locator("#notes textarea").last();
  await text.fill("seen by the desk");
  const other = await page.context().newPage();
  await other.goto(`${site.url}/settings`);
  await Promise.all([other.waitForURL(/\/login/), other.getByText("Sign out").click()]);
  await other.close();
  await page.locator("#notes").getByRole("button", { name: "Add note" }).click();
  await page.getByText("Your session has ended.").waitFor();
  expect(await text.inputValue()).toBe("seen by the desk");
  expect(await axeViolations(page)).toEqual([]);
  const [tab] = await Promise.all([
    page.context().waitForEvent("page"),
    page.getByRole("link", { name: "Sign in again" }).click(),
  ]);
  await tab.waitForURL(/\/login\?next=%2Ftraces%2F/);
  await tab.close();
});
