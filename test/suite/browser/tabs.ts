/**
 * @module Tabs that are used again: a new window of Chromium costs more than most pages in it. A
 * tab that is given back keeps nothing of its visit: no cookie, no storage, no permission, no
 * listener, no route, no emulation, and no document.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";

/** A page of Chromium in a context that no other visit shares. */
export interface Tab {
  readonly page: Page;
  /** Empties the tab and gives it back; `origins` are those that it was on. */
  readonly giveBack: (origins: Iterable<string>) => Promise<void>;
}

interface Kept {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly tools: CDPSession;
}

const empty = "about:blank";

/**
 * What cannot change after a tab was made: whether scripts run, and whether each of its documents
 * has axe from its start. Half a megabyte is then sent once, and compiled once.
 */
export type TabKind = "scripts" | "no scripts" | "axe";

const free = new WeakMap<Browser, Map<TabKind, Kept[]>>();

function freeOf(browser: Browser, kind: TabKind): Kept[] {
  const kinds = free.get(browser) ?? new Map<TabKind, Kept[]>();
  free.set(browser, kinds);
  const tabs = kinds.get(kind) ?? [];
  kinds.set(kind, tabs);
  return tabs;
}

/** A tab that is empty. */
export async function takeTab(browser: Browser, kind: TabKind): Promise<Tab> {
  const tabs = freeOf(browser, kind);
  const kept = tabs.pop() ?? (await newTab(browser, kind));
  return {
    page: kept.page,
    giveBack: async (origins) => {
      try {
        await emptied(kept, origins);
        tabs.push(kept);
      } catch {
        // A tab that a test closed, or that is on its way to another page, is not used again.
        await kept.context.close();
      }
    },
  };
}

export const axeSource: string = readFileSync(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);

async function newTab(browser: Browser, kind: TabKind): Promise<Kept> {
  const context = await browser.newContext({ javaScriptEnabled: kind !== "no scripts" });
  const page = await context.newPage();
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  if (kind === "axe") await page.addInitScript(axeSource);
  return { context, page, tools: await context.newCDPSession(page) };
}

async function emptied({ context, page, tools }: Kept, origins: Iterable<string>): Promise<void> {
  page.removeAllListeners();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  const others = context.pages().filter((other) => other !== page);
  await Promise.all(others.map((other) => other.close()));
  // Storage of a session belongs to the tab, which the protocol does not name.
  await page.evaluate(() => {
    if (location.origin !== "null") sessionStorage.clear();
    window.name = "";
  });
  // A page that leaves by itself keeps its process, with the compiled code of the next page.
  await Promise.all([
    page.waitForURL(empty),
    page.evaluate((address) => location.replace(address), empty),
  ]);
  for (const origin of origins) {
    await tools.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
  }
  await context.clearCookies();
  await context.clearPermissions();
  await tools.send("Page.resetNavigationHistory");
  await page.mouse.move(-1, -1);
  await page.emulateMedia({ media: null });
}
