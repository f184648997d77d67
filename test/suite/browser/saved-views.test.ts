/**
 * @module Views of the turns by the keyboard alone: a filter, its times and its row height are kept
 * under a name, opened, renamed, deleted and brought back, in this browser and nowhere else until
 * it is shared. Shared views and notes are of the server, and work without scripts.
 */
import { expect, test } from "vitest";
import type { Page } from "playwright-core";

import { brokenRoot, brokenTrace } from "./broken-trace.ts";
import { expectSoundInEveryLook } from "./every-look.ts";
import { openedSite, ownSite, wide } from "./opened-site.ts";

const { site, visit } = openedSite({ put: brokenTrace });

async function open(path: string): Promise<Page> {
  const page = await visit(path);
  await ready(page);
  return page;
}

const ready = (page: Page): Promise<void> =>
  page.locator("[data-view=save]").waitFor({ state: "visible" });
const saved = (page: Page): Promise<readonly string[]> =>
  page.locator("[data-saved] a").allInnerTexts();
const focusText = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.textContent?.trim() ?? "");

test("the box that names a view is as wide as its column", async () => {
  const page = await open("/traces");
  await page.keyboard.press("V");
  const edges = await page.evaluate(() =>
    [".views", ".view-name", ".view-name .field"].map(
      (name) => document.querySelector(name)?.getBoundingClientRect().right ?? Number.NaN,
    ),
  );
  const column = await page.locator("[data-views]").boundingBox();
  for (const edge of edges)
    expect(edge).toBeLessThanOrEqual((column?.x ?? 0) + (column?.width ?? 0));
});

test.each([
  ["the form of a key", `sk-proj-${"Ab3dE9".repeat(6)}`],
  ["a bearer token", `Bearer ${"x7Kq2Lm9".repeat(4)}`],
  ["a JSON web token", `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${"q8Zr"}`.slice(0, 60)],
])("a private view takes no name of %s, new or renamed", async (_, name) => {
  // The answer to the shared view is in the console.
  const page = await visit("/traces?status=error", wide, { excused: /\b400\b/ });
  await ready(page);
  const problem = page.locator("[data-views] [data-problem]:visible");
  await page.keyboard.press("V");
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
  const sentence = "The value looks like a credential. (attribute_credential)";
  await expect.poll(() => problem.allInnerTexts()).toEqual([sentence]);
  const field = page.getByRole("textbox", { name: "Name of the view" });
  expect(await field.getAttribute("aria-invalid")).toBe("true");
  expect(await field.evaluate((node) => node === document.activeElement)).toBe(true);
  expect(await saved(page)).toEqual([]);
  await expectSoundInEveryLook(page, [320]);
  // The same rule, for the shared ones.
  const shared = await page.evaluate(
    async ([typed]) => {
      const token = document.querySelector<HTMLInputElement>("[name=csrf_token]")?.value ?? "";
      const body = new URLSearchParams({ name: typed, query: "?status=error", csrf_token: token });
      const headers = { accept: "application/json" };
      const answer = await fetch("/traces/views", { method: "POST", body, headers });
      return ((await answer.json()) as { code?: string }).code;
    },
    [name] as const,
  );
  expect(shared).toBe("attribute_credential");
  await field.fill("Errors");
  await page.keyboard.press("Enter");
  await expect.poll(() => saved(page)).toEqual(["Errors"]);
  await page.locator("[data-view=rename]").click();
  await field.fill(name);
  await page.keyboard.press("Enter");
  await expect.poll(() => problem.allInnerTexts()).toEqual([sentence]);
  await page.keyboard.press("Escape");
  expect(await saved(page)).toEqual(["Errors"]);
  expect(await page.evaluate(() => JSON.stringify(Object.entries(localStorage)))).not.toContain(
    name,
  );
});

test("a view is saved with times and row height, opened, renamed, deleted, brought back", async () => {
  const filter =
    "?status=error&start_time=2026-11-21T00%3A00%3A00Z&end_time=2026-11-22T00%3A00%3A00Z";
  const page = await open(`/traces${filter}`);
  await page.locator("[data-switch=density]").click();
  expect(await page.evaluate(() => document.documentElement.dataset["density"])).toBe("dense");
  await page.keyboard.press("V");
  await page.keyboard.type("Errors of the day");
  await page.keyboard.press("Enter");
  await expect.poll(() => saved(page)).toEqual(["Errors of the day"]);
  expect(await focusText(page)).toBe("Errors of the day");
  expect(await page.locator("[data-saved] a").getAttribute("aria-current")).toBe("true");
  await page.locator("[data-switch=density]").click();
  await page.goto(`${site.url}/traces`);
  await ready(page);
  // The first view has the focus; the reader's own stand after those that are built in.
  await page.keyboard.press("v");
  expect(await focusText(page)).toBe("Not delivered");
  for (let tab = 0; (await focusText(page)) !== "Errors of the day" && tab < 9; tab += 1) {
    await page.keyboard.press("Tab");
  }
  await Promise.all([page.waitForURL(/status=error/), page.keyboard.press("Enter")]);
  await ready(page);
  expect(new URL(page.url()).search).toBe(filter);
  expect(await page.evaluate(() => document.documentElement.dataset["density"])).toBe("dense");
  await page.locator("[data-view=rename]").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  expect(await saved(page)).toEqual(["Errors of the day"]);
  await page.keyboard.press("Enter");
  await page.keyboard.type("Bad day");
  await page.keyboard.press("Enter");
  expect(await saved(page)).toEqual(["Bad day"]);
  await page.locator("[data-view=delete]").focus();
  await page.keyboard.press("Enter");
  expect(await saved(page)).toEqual([]);
  expect(await focusText(page)).toBe("Undo");
  await page.keyboard.press("Enter");
  expect(await saved(page)).toEqual(["Bad day"]);
  await page.reload();
  await ready(page);
  expect(await saved(page)).toEqual(["Bad day"]);
  await expectSoundInEveryLook(page, [1440, 900, 320]);
});

test("built-in views are plain links, and say which of them is open", async () => {
  const page = await visit("/traces?q=has%3Afallback", { ...wide, script: false });
  const views = page.locator("[data-views] a");
  expect(await views.allInnerTexts()).toEqual([
    "Not delivered",
    "Unknown outcome",
    "Memory degraded",
    "Fallbacks",
    "Over 10 s",
  ]);
  expect(await page.locator("[data-views] a[aria-current]").innerText()).toBe("Fallbacks");
  expect(await page.locator("[data-view=save]").isVisible()).toBe(false);
  await views.first().click();
  expect(new URL(page.url()).search).toBe("?q=has%3Aundelivered");
});

test("accounts of one browser keep their own", async () => {
  const accounts = JSON.stringify({
    ann: { token: "ann-q7KxZt4Wm9Rc2Yd8", role: "admin" },
    bob: { token: "bob-q7KxZt4Wm9Rc2Yd8", role: "admin" },
  });
  const guarded = await ownSite({ TURNPROOF_UI_ACCOUNTS: accounts });
  const page = await visit("/traces", wide, { on: guarded });
  const signIn = async (token: string): Promise<void> => {
    await page.context().clearCookies();
    await page.goto(`${guarded.url}/traces`);
    await page.locator("input[type=password]").fill(token);
    await Promise.all([page.waitForURL(/\/traces$/), page.keyboard.press("Enter")]);
    await page.goto(`${guarded.url}/traces?agent_id=x`);
    await ready(page);
  };
  await signIn("ann-q7KxZt4Wm9Rc2Yd8");
  await page.keyboard.press("V");
  await page.keyboard.type("Of Ann");
  await page.keyboard.press("Enter");
  await expect.poll(() => saved(page)).toEqual(["Of Ann"]);
  await signIn("bob-q7KxZt4Wm9Rc2Yd8");
  expect(await saved(page)).toEqual([]);
  await signIn("ann-q7KxZt4Wm9Rc2Yd8");
  expect(await saved(page)).toEqual(["Of Ann"]);
});

test("a saved view is shared with all, who rename and delete it without scripts", async () => {
  const page = await open("/traces?status=error");
  await page.keyboard.press("V");
  await page.keyboard.type("Errors");
  await page.keyboard.press("Enter");
  await page.locator("[data-view=share]").focus();
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  await ready(page);
  await page.locator(".view-acts > summary").click();
  await page.locator(".share > summary").click();
  await expectSoundInEveryLook(page, [1440, 900, 320]);
  const other = await visit("/traces", { ...wide, script: false });
  const link = other.locator(".shared a");
  await link.click();
  expect(new URL(other.url()).search).toBe("?status=error");
  await other.locator(".view-acts > summary").click();
  await other.locator(".view-acts input[name=name]").fill("Failures");
  await other.getByRole("button", { name: "Rename" }).click();
  expect(await link.innerText()).toBe("Failures");
  await other.locator(".view-acts > summary").click();
  await other.getByRole("button", { name: "Delete for all" }).click();
  expect(await link.count()).toBe(0);
  expect(new URL(other.url()).search).toBe("?status=error");
});

test("a note is added, changed and deleted on the page of its turn, without scripts", async () => {
  const path = `/traces/${brokenRoot}`;
  const page = await visit(path, { ...wide, script: false });
  const notes = page.locator("#notes .notes > li");
  const add = page.locator("form[action$='/traces/notes']");
  await add.locator("textarea").fill("Asked the supplier.\n<b>No answer</b> yet.");
  await add.getByRole("button").click();
  expect(new URL(page.url()).hash).toBe("#notes");
  expect(await notes.locator(".text").innerText()).toBe(
    "Asked the supplier.\n<b>No answer</b> yet.",
  );
  await notes.locator("summary").click();
  await notes.locator("textarea").fill("Answered.");
  await notes.getByRole("button", { name: "Save" }).click();
  expect(await notes.locator(".text").innerText()).toBe("Answered.");
  const other = await visit(path);
  await other.getByRole("link", { name: "1 note" }).click();
  expect(new URL(other.url()).hash).toBe("#notes");
  await other.locator("#notes summary").click();
  await expectSoundInEveryLook(other, [1440, 320]);
  await notes.locator("summary").click();
  await notes.getByRole("button", { name: "Delete" }).click();
  expect(await notes.count()).toBe(0);
});

test("a refused note is explained at its form, which keeps the text; no address has it", async () => {
  const path = `/traces/${brokenRoot}`;
  // The console repeats the status of the answer.
  const page = await visit(path, wide, { excused: /status of 400/ });
  await page.locator("body[data-ready]").waitFor();
  const addresses: string[] = [];
  page.on("request", (request) => addresses.push(request.url()));
  const add = page.locator("form[action$='/traces/notes']");
  const text = "Write to dilnoza@example.com about it.";
  await add.locator("textarea").fill(text);
  await add.getByRole("button").click();
  const refusal = add.getByRole("alert");
  await refusal.waitFor();
  expect(await refusal.innerText()).toMatch(/\w+.*\./);
  expect(await add.locator("textarea").inputValue()).toBe(text);
  expect(await add.locator("textarea").evaluate((field) => document.activeElement === field)).toBe(
    true,
  );
  expect(await add.locator("textarea").getAttribute("aria-invalid")).toBe("true");
  expect(new URL(page.url()).pathname).toBe(path);
  expect([...addresses, page.url()].filter((url) => /dilnoza/.test(url))).toEqual([]);
  await expectSoundInEveryLook(page, [1440, 320]);
  await add.locator("textarea").fill("Wrote to the customer about it.");
  await add.getByRole("button").click();
  const notes = page.locator("#notes .notes > li");
  await notes.locator("summary").click();
  expect(await notes.locator(".text").innerText()).toBe("Wrote to the customer about it.");
  await notes.getByRole("button", { name: "Delete" }).click();
  await notes.waitFor({ state: "detached" });
});
