/**
 * @module Copying by the keyboard: a link to the row or the page, the trace id, and every id that a
 * page shows shortened; and the way to the same trace in another backend.
 */
import { expect, test } from "vitest";
import type { Page } from "playwright-core";

import { brokenRoot, brokenTrace } from "./broken-trace.ts";
import { openedSite } from "./opened-site.ts";

const { site, visit } = openedSite({
  env: { TURNPROOF_UI_TRACE_LINK: "https://jaeger.example/trace/{trace_id}?uiFind=x" },
  put: brokenTrace,
});

async function open(path: string): Promise<Page> {
  const page = await visit(path);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.locator("[data-switch=theme]").waitFor({ state: "visible" });
  return page;
}

async function copied(page: Page, stated: string): Promise<string> {
  await page.locator("[data-announce]", { hasText: stated }).waitFor({ state: "attached" });
  const text = await page.evaluate(() => navigator.clipboard.readText());
  await page.evaluate(() => navigator.clipboard.writeText("nothing"));
  return text;
}

test("Turns: y copies a link to the row, Y its trace id", async () => {
  const page = await open("/traces");
  await page.locator("[data-live]").waitFor({ state: "visible" });
  await page.keyboard.press("y");
  expect(await copied(page, "Link copied")).toBe(`${site.url}/traces`);
  await page.keyboard.press("j");
  await page.keyboard.press("Y");
  expect(await copied(page, "Trace id copied")).toBe(brokenRoot);
  await page.keyboard.press("y");
  expect(await copied(page, "Link copied")).toMatch(new RegExp(`/traces/${brokenRoot}$`));
});

test("Turn: a link to a row leads to that row; ids and the trace id are copied whole", async () => {
  const page = await open(`/traces/${brokenRoot}`);
  await page.locator("body[data-ready]").waitFor();
  await page.locator("#row-0").focus();
  await page.keyboard.press("j");
  const event = await page.locator(".wf-row:focus").getAttribute("data-event");
  await page.keyboard.press("y");
  const link = await copied(page, "Link copied");
  await page.keyboard.press("Y");
  expect(await copied(page, "Trace id copied")).toBe(brokenRoot);
  const chip = page.locator("[data-copy-name='Trace id']");
  expect(await chip.innerText()).toContain("…");
  await chip.focus();
  await page.keyboard.press("Enter");
  expect(await copied(page, "Trace id copied")).toBe(brokenRoot);
  const id = page.locator("[data-panel-body] [data-copy]").first();
  await id.focus();
  await page.keyboard.press(" ");
  expect(await copied(page, "Id copied")).toBe(await id.getAttribute("data-copy"));
  await page.locator("[data-action=trace]").click();
  expect(await copied(page, "Trace id copied")).toBe(brokenRoot);
  expect(await page.locator("[data-ago]").innerText()).toMatch(/^(in )?\d+ \w+( ago)?$/);
  const again = await open(link.slice(site.url.length));
  await again.locator("body[data-ready]").waitFor();
  expect(await again.locator(".wf-row[aria-selected=true]").getAttribute("data-event")).toBe(event);
});

test("the same trace in another backend: a link that takes the trace id and nothing else", async () => {
  const page = await open(`/traces/${brokenRoot}?agent_id=briefing-writer`);
  const link = page.locator("a", { hasText: "Open in jaeger.example" });
  expect(await link.getAttribute("href")).toBe(
    `https://jaeger.example/trace/${brokenRoot}?uiFind=x`,
  );
  expect(await link.getAttribute("rel")).toBe("noreferrer noopener");
});
