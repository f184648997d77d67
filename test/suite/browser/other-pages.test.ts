/**
 * @module What the pages beside home and turn do: signing in, what a bound viewer is refused, the
 * playground's stream, an e-mail address in the box of the incidents.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser } from "playwright-core";

import { axeViolations, openBrowser, openSite, visit } from "./browser.ts";
import { accounts, mounted, tokens } from "./scene.ts";
import type { Site } from "./browser.ts";

let browser: Browser;
let site: Site;
let guarded: Site;

beforeAll(async () => {
  const signedIn = { TURNPROOF_UI_ACCOUNTS: JSON.stringify(accounts) };
  [browser, site, guarded] = await Promise.all([
    openBrowser(),
    openSite(),
    openSite(signedIn, { hooks: mounted }),
  ]);
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await Promise.all([site, guarded].map((each) => each?.close()));
});

async function signIn(token: string): ReturnType<typeof visit> {
  const visited = await visit(browser, guarded, "/login", { width: 1440, theme: "light" });
  await visited.page.locator("input[name=token]").fill(token);
  await Promise.all([visited.page.waitForURL(/\/traces$/), visited.page.keyboard.press("Enter")]);
  return visited;
}

test("a wrong token is told so, and nothing of it comes back", async () => {
  const { page, close } = await visit(browser, guarded, "/login", { width: 390, theme: "light" });
  await page.locator("input[name=token]").fill("a-token-that-is-nobodys");
  await page.keyboard.press("Enter");
  await page.getByText("This token is not known").waitFor();
  expect(await page.content()).not.toContain("a-token-that-is-nobodys");
  expect(await axeViolations(page)).toEqual([]);
  await close();
});

test("a bound viewer reads its own, is refused another's, and cannot run", async () => {
  const { page, close } = await signIn(tokens.viewer);
  await page.goto(`${guarded.url}/threads?user_id=usr_chen`);
  expect(await page.locator("main").innerText()).toMatch(/Outside what you may read/);
  expect(await axeViolations(page)).toEqual([]);
  await page.goto(`${guarded.url}/agents/echo`);
  expect(await page.locator("main").innerText()).toMatch(/Your role may not run agents/);
  await page.goto(`${guarded.url}/traces/health`);
  expect(await page.locator("main").innerText()).toMatch(
    /for operators who are bound to no tenant/,
  );
  await page.goto(`${guarded.url}/settings`);
  await Promise.all([page.waitForURL(/\/login/), page.getByText("Sign out").click()]);
  await close();
});

test("the playground streams text as text, and leads to the evidence", async () => {
  const { page, offences, close } = await signIn(tokens.operator);
  await page.goto(`${guarded.url}/agents/echo`);
  await page.locator("body[data-page=agent]").waitFor();
  await page.waitForTimeout(300);
  await page.locator("textarea[name=query]").fill("What do you know?");
  await page.getByRole("button", { name: "Run" }).click();
  const transcript = page.locator("[data-transcript]");
  await transcript.getByText("Hello <b>you</b> there").waitFor();
  expect(await transcript.locator("b").count()).toBe(0);
  expect(await transcript.locator("a").getAttribute("href")).toBe(`/traces/${"a".repeat(32)}`);
  expect(offences).toEqual([]);
  await close();
});

test("an e-mail address never becomes part of an address", async () => {
  const { page, close } = await visit(browser, site, "/traces/find", {
    width: 1440,
    theme: "light",
  });
  await page.waitForTimeout(200);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.locator("input[name=id]").fill("somebody@example.com");
  await page.keyboard.press("Enter");
  await page.getByText("No directory is configured here").first().waitFor();
  expect(asked.filter((url) => url.includes("somebody"))).toEqual([]);
  expect(page.url()).toBe(`${site.url}/traces/find`);
  await close();
});
