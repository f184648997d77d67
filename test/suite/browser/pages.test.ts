/**
 * @module The home and the page of a turn in every state: no violation of axe, nothing in the
 * console, no report of the content policy, no request to anywhere else, nothing to scroll
 * sideways.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Browser } from "playwright-core";

import { sendStory } from "../../apps/briefing/story.ts";
import type { PlainSpan } from "../../otlp/encode.ts";
import {
  axeViolations,
  openBrowser,
  openSite,
  relook,
  sidewaysOverflow,
  visit,
} from "./browser.ts";
import { brokenRoot, brokenTrace } from "./broken-trace.ts";
import type { Look, Site } from "./browser.ts";

let browser: Browser;
let site: Site;
let empty: Site;
let turns: readonly (readonly PlainSpan[])[];

/** Root of a turn of the story, counted from the newest. */
const rootAt = (fromEnd: number): string => turns.at(-fromEnd)?.[0]?.traceId ?? "";

beforeAll(async () => {
  [browser, site, empty] = await Promise.all([openBrowser(), openSite(), openSite()]);
  await site.put(brokenTrace);
  turns = await sendStory(site.url, { endMs: Date.now(), turns: 40, hours: 2 });
  await vi.waitFor(
    async () => {
      const answer = await fetch(`${site.url}/traces/turns.json?verdict=failed`);
      const { items } = (await answer.json()) as { readonly items: readonly unknown[] };
      if (items.length === 0) throw new Error("the judge has not looked yet");
    },
    { timeout: 40_000, interval: 250 },
  );
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([site?.close(), empty?.close()]);
});

const states = [
  { name: "home", at: () => ({ on: site, path: "/traces" }) },
  { name: "home, filtered", at: () => ({ on: site, path: "/traces?verdict=failed&q=-agent:x" }) },
  { name: "home, empty", at: () => ({ on: empty, path: "/traces" }) },
  { name: "home, nothing found", at: () => ({ on: site, path: "/traces?agent_id=nobody" }) },
  { name: "turn, success", at: () => ({ on: site, path: `/traces/${rootAt(1)}` }) },
  { name: "turn, failed", at: () => ({ on: site, path: `/traces/${rootAt(21)}` }) },
  { name: "turn, crashed", at: () => ({ on: site, path: `/traces/${rootAt(13)}` }) },
  { name: "turn, broken", at: () => ({ on: site, path: `/traces/${brokenRoot}` }) },
  { name: "turn, unknown", at: () => ({ on: site, path: `/traces/${"0".repeat(32)}` }) },
  { name: "patterns", at: () => ({ on: site, path: "/patterns" }) },
] as const;

const looks: readonly Look[] = [
  { width: 1440, theme: "light" },
  { width: 1440, theme: "dark" },
  { width: 900, theme: "light" },
  { width: 390, theme: "dark" },
  { width: 390, theme: "light" },
  { width: 320, theme: "light", forcedColors: true },
];

describe.each(states)("$name", ({ at }) => {
  test("by axe, the console, the content policy, the network and its width", async () => {
    const { on, path } = at();
    const { page, offences, close } = await visit(browser, on, path, looks[0] as Look);
    try {
      await page.waitForTimeout(250);
      for (const look of looks) {
        await relook(page, look);
        const where = `${look.width} px, ${look.theme}`;
        expect(await axeViolations(page), where).toEqual([]);
        expect(await sidewaysOverflow(page), where).toBe(0);
      }
      expect(offences).toEqual([]);
    } finally {
      await close();
    }
  });

  test("without script", async () => {
    const { on, path } = at();
    const look = { width: 320, theme: "dark", script: false } as const;
    const { page, offences, close } = await visit(browser, on, path, look);
    try {
      expect(offences).toEqual([]);
      expect(await page.locator("h1").count()).toBe(1);
      expect(await page.locator("main").innerText()).not.toBe("");
    } finally {
      await close();
    }
  });
});

test("every page weighs at most 100 kB before data", async () => {
  for (const path of ["/traces", `/traces/${rootAt(1)}`]) {
    const { page, close } = await visit(browser, empty, "/traces", { width: 1440, theme: "light" });
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
