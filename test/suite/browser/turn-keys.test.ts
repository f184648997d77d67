/**
 * @module The page of a turn: the key of the lanes with and without script, the key that finds in
 * the turn, and a note whose session has ended.
 */
import { expect, test } from "vitest";

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
