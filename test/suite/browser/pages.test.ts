/**
 * @module What the pages weigh before any data. How they look and read in every state is told by
 * `accessibility-states.test.ts`.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser } from "playwright-core";

import { brokenRoot, brokenTrace } from "./broken-trace.ts";
import { openBrowser, openSite, visit } from "./browser.ts";
import type { Site } from "./browser.ts";

let browser: Browser;
let site: Site;
let elsewhere: Site;

beforeAll(async () => {
  [browser, site, elsewhere] = await Promise.all([openBrowser(), openSite(), openSite()]);
  await site.put(brokenTrace);
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([site?.close(), elsewhere?.close()]);
});

test("every page weighs at most 100 kB before data", async () => {
  for (const path of ["/traces", `/traces/${brokenRoot}`]) {
    // Another origin first: nothing of this one is at hand yet.
    const look = { width: 1440, theme: "light" } as const;
    const { page, close } = await visit(browser, elsewhere, "/traces", look);
    const sizes: Promise<number>[] = [];
    page.on("response", (response) => {
      if (!response.url().includes("/assets/")) return;
      sizes.push(
        response
          .request()
          .sizes()
          .then(({ responseBodySize: size }) => size),
      );
    });
    await page.goto(`${site.url}${path}`, { waitUntil: "networkidle" }).catch(() => undefined);
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(10_000);
    expect(total).toBeLessThan(100_000);
    await close();
  }
});
