/** @module A tab that is used again has nothing of the visit before, whatever that was. */
import { expect, test } from "vitest";
import type { Page } from "playwright-core";

import { openedSite, wide } from "./opened-site.ts";

const { site, visit } = openedSite();
const state = (page: Page) =>
  page.evaluate(async () => ({
    cookie: document.cookie,
    kept: [localStorage.getItem("mark"), sessionStorage.getItem("mark")],
    print: matchMedia("print").matches,
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
    clipboard: (await navigator.permissions.query({ name: "clipboard-read" as PermissionName }))
      .state,
    route: await (await fetch("/healthz")).text(),
    width: innerWidth,
    name: window.name,
    entries: history.length,
  }));

let before: Page | undefined;
let heard = 0;

test("a visit leaves what it can", async () => {
  const page = await visit("/settings", { width: 700, theme: "dark" });
  before = page;
  await page.context().grantPermissions(["clipboard-read"], { origin: site.url });
  await page.route("**/healthz", (route) => route.fulfill({ body: "not the collector" }));
  await page.emulateMedia({ media: "print" });
  await (await page.context().newPage()).goto(`${site.url}/settings`);
  page.on("load", () => (heard += 1));
  await page.evaluate(() => {
    document.cookie = "mark=1";
    localStorage.setItem("mark", "1");
    sessionStorage.setItem("mark", "1");
    window.name = "mark";
    history.pushState(null, "", "#mark");
  });
  expect(await state(page)).toEqual({
    cookie: "mark=1",
    kept: ["1", "1"],
    print: true,
    dark: true,
    clipboard: "granted",
    route: "not the collector",
    width: 700,
    name: "mark",
    entries: 3,
  });
});

test("the next one has its tab, and none of it", async () => {
  const page = await visit("/settings");
  expect(page).toBe(before);
  const { route, ...left } = await state(page);
  expect(left).toEqual({
    cookie: "",
    kept: [null, null],
    print: false,
    dark: false,
    clipboard: "prompt",
    width: wide.width,
    name: "",
    entries: 2,
  });
  expect(route).not.toBe("not the collector");
  expect(page.context().pages()).toEqual([page]);
  expect(heard).toBe(0);
  // A tab in which scripts run is not the one in which none do.
  expect(await visit("/settings", { ...wide, script: false })).not.toBe(page);
});

test("a visit may close its tab", async () => {
  const page = await visit("/settings");
  await page.close();
  before = page;
});

test("the visit after a closed tab is whole", async () => {
  const page = await visit("/settings");
  expect(page).not.toBe(before);
  expect(await page.locator("main").innerText()).toMatch(/Roles and permissions/);
});
