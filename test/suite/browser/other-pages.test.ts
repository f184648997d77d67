/**
 * @module What the pages beside home and turn do: signing in, what a bound viewer is refused, the
 * playground's stream, an e-mail address in the box of the incidents.
 */
import { expect, test } from "vitest";
import type { Page } from "playwright-core";

import { axeViolations } from "./browser.ts";
import { pageReady } from "./keys.ts";
import { openedSite, ownSite, signIn, wide } from "./opened-site.ts";
import { accounts, mounted, tokens } from "./scene.ts";

const { site: guarded, visit } = openedSite({
  env: { TURNPROOF_UI_ACCOUNTS: JSON.stringify(accounts) },
  hooks: mounted,
});

async function signedIn(token: string, excused?: RegExp): Promise<Page> {
  const page = await visit("/login", wide, { excused });
  await signIn(page, token);
  return page;
}

test("a wrong token is told so, and nothing of it comes back", async () => {
  const phone = { width: 390, theme: "light" } as const;
  const page = await visit("/login", phone, { excused: /status of 401/ });
  await page.locator("input[name=token]").fill("a-token-that-is-nobodys");
  await page.keyboard.press("Enter");
  await page.getByText("This token is not known").waitFor();
  expect(await page.content()).not.toContain("a-token-that-is-nobodys");
  expect(await axeViolations(page)).toEqual([]);
});

test("a bound viewer reads its own, is refused another's, and cannot run", async () => {
  const page = await signedIn(tokens.viewer, /status of 403/);
  await page.goto(`${guarded.url}/threads?user_id=usr_chen`);
  expect(await page.locator("main").innerText()).toMatch(/Outside what you may read/);
  expect(await axeViolations(page)).toEqual([]);
  // What is refused is the parameter: the page itself is the way on.
  await page.getByRole("link", { name: "This page without parameters" }).click();
  expect(page.url()).toBe(`${guarded.url}/threads`);
  expect(await page.locator("main").innerText()).not.toMatch(/Outside what you may read/);
  await page.goto(`${guarded.url}/agents/echo`);
  expect(await page.locator("main").innerText()).toMatch(/Your role may not run agents/);
  await page.goto(`${guarded.url}/traces/health`);
  expect(await page.locator("main").innerText()).toMatch(
    /for operators who are bound to no tenant/,
  );
  await page.goto(`${guarded.url}/settings`);
  await Promise.all([page.waitForURL(/\/login/), page.getByText("Sign out").click()]);
});

test("a live tail that ends with its session says so, and leads to the sign-in", async () => {
  const page = await signedIn(tokens.operator, /status of 401/);
  await page.goto(`${guarded.url}/traces`);
  await page.getByText("Listening: the first turn appears here").waitFor();
  const live = page.locator("[data-live]");
  const other = await page.context().newPage();
  await other.goto(`${guarded.url}/settings`);
  await other.getByText("Sign out").click();
  await other.waitForURL(/\/login/);
  await other.close();
  const notice = page.locator("[data-tail-end]");
  await notice.getByText("Your session has ended. New turns do not appear here.").waitFor();
  expect(await page.getByText("Listening:").isVisible()).toBe(false);
  expect(await live.getAttribute("aria-pressed")).toBe("false");
  expect(await axeViolations(page)).toEqual([]);
  // Turned on again it connects, and is refused.
  await live.click();
  await notice.getByText("The live tail has ended.").waitFor();
  expect(await live.getAttribute("aria-pressed")).toBe("false");
  await notice.getByRole("link").click();
  await page.waitForURL(/\/login\?next=%2Ftraces/);
});

test("empty fields of a form's address are no filter of the live tail either", async () => {
  const page = await signedIn(tokens.operator);
  // The page of the sign-in has a tail of its own.
  await page.goto(`${guarded.url}/settings`);
  const answered = page.waitForResponse(/\/traces\/live/);
  await page.goto(`${guarded.url}/traces?agent_id=&user_id=`);
  expect((await answered).status()).toBe(200);
});

test("the playground streams text as text, and leads to the evidence", async () => {
  const page = await signedIn(tokens.operator);
  await page.goto(`${guarded.url}/agents/echo`);
  await page.locator("body[data-page=agent]").waitFor();
  await page.locator("[data-playground]").waitFor();
  await pageReady(page);
  await page.locator("textarea[name=query]").fill("What do you know?");
  await page.getByRole("button", { name: "Run" }).click();
  const transcript = page.locator("[data-transcript]");
  await transcript.getByText("Hello <b>you</b> there").waitFor();
  expect(await transcript.locator("b").count()).toBe(0);
  expect(await transcript.locator("a").getAttribute("href")).toBe(`/traces/${"a".repeat(32)}`);
});

test("an e-mail address never becomes part of an address", async () => {
  const site = await ownSite();
  const page = await visit("/traces/find", wide, { on: site, excused: /status of 501/ });
  await pageReady(page);
  const requested: string[] = [];
  page.on("request", (request) => requested.push(request.url()));
  await page.locator("input[name=id]").fill("somebody@example.com");
  await page.keyboard.press("Enter");
  await page.getByText("No directory is configured here").first().waitFor();
  expect(requested.filter((url) => url.includes("somebody"))).toEqual([]);
  expect(page.url()).toBe(`${site.url}/traces/find`);
});
