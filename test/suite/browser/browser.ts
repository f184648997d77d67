/**
 * @module A real browser before a real collector: Chromium over a collector that listens on a free
 * port with an ephemeral store. Whatever a page should never do is written down by every visit.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { TurnEvent } from "@turnproof/evidence";
import { ephemeral } from "@turnproof/store";
import { chromium } from "playwright-core";
import type { Browser, CDPSession, Page } from "playwright-core";
import { createCollector, parseConfig } from "turnproof";
import type { CollectorOptions } from "turnproof";

import { listen } from "../../../collector/src/server.ts";
import { launchOptions } from "../../chromium.ts";
import { quiet, recordEvents } from "../collector/desk.ts";
import { axeSource, takeTab } from "./tabs.ts";

/** A collector that listens, and the way to put evidence into its store. */
export interface Site {
  readonly url: string;
  put(events: readonly TurnEvent[]): Promise<void>;
  readonly close: () => Promise<void>;
}

/** Opens a site; `env` are variables of the collector, `own` parts that a host plugs in. */
export async function openSite(
  env: Record<string, string> = {},
  own: Pick<CollectorOptions, "hooks" | "judge" | "store"> = {},
): Promise<Site> {
  const dataDir = mkdtempSync(join(tmpdir(), "turnproof-pages-"));
  const config = parseConfig({
    TURNPROOF_BACKEND: "ephemeral",
    TURNPROOF_DATA_DIR: dataDir,
    ...env,
  });
  const store = own.store ?? ephemeral();
  // What is received is readable only after the drain, which a busy machine delays.
  const judge = { quietMs: 2_500, everyMs: 250 };
  const collector = await createCollector({ config, log: quiet, judge, ...own, store });
  const server = await listen(collector.app, { host: "127.0.0.1", port: 0, log: quiet });
  let batches = 0;
  return {
    url: server.url,
    async put(events) {
      const receivedAt = new Date().toISOString();
      await store.append({ batchId: `page-batch-${++batches}`, receivedAt, events });
      await recordEvents(store, events);
    },
    close: async () => {
      await server.close(500);
      await collector.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Starts Debian's Chromium. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch(launchOptions);
}

/** What a visit looks like. */
export interface Look {
  readonly width: number;
  readonly height?: number;
  readonly theme: "light" | "dark";
  readonly forcedColors?: boolean;
  readonly script?: boolean;
  /** For a file that runs axe on each page that it opens. */
  readonly axe?: boolean;
}

/** A page, and what it did that no page of ours does. */
export interface Visit {
  readonly page: Page;
  /** Console errors, page errors, reports of the content policy, requests off the origin. */
  readonly offences: readonly string[];
  readonly close: () => Promise<void>;
}

/** Opens a page of the site in an empty tab, which `close` gives back. */
export async function visit(
  browser: Browser,
  site: Site,
  path: string,
  look: Look,
): Promise<Visit> {
  const { page, giveBack } = await takeTab(
    browser,
    look.script === false ? "no scripts" : look.axe === true ? "axe" : "scripts",
  );
  const offences: string[] = [];
  page.on("pageerror", (error) => offences.push(`page error: ${error.message}`));
  page.on("console", (message) => {
    // A page that was not found has its status, which the console repeats.
    if (/Failed to load resource.*\b404\b/.test(message.text())) return;
    if (message.type() === "error") offences.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== "data:" && origin !== site.url) offences.push(`request: ${request.url()}`);
  });
  await dress(page, look);
  await page.goto(`${site.url}${path}`, { waitUntil: "load" });
  return { page, offences, close: () => giveBack([site.url]) };
}

/** Gives the window of a page its size and its theme. */
export async function dress(page: Page, look: Look): Promise<void> {
  await page.emulateMedia({
    colorScheme: look.theme,
    forcedColors: look.forcedColors === true ? "active" : "none",
    reducedMotion: "reduce",
  });
  await setWindow(page, { width: look.width, height: look.height ?? 900 });
}

const sessions = new WeakMap<Page, Promise<CDPSession>>();

/**
 * Gives a page a window of a size. The browser's own window stays as it is: to resize and draw that
 * one too, as Playwright does, costs as much again.
 */
export async function setWindow(
  page: Page,
  size: { readonly width: number; readonly height: number },
): Promise<void> {
  const opened = sessions.get(page) ?? page.context().newCDPSession(page);
  sessions.set(page, opened);
  const override = { ...size, deviceScaleFactor: 1, mobile: false };
  await (await opened).send("Emulation.setDeviceMetricsOverride", override);
}

/** Looks at the open page in another width or theme, once it was drawn so. */
export async function relook(page: Page, look: Look): Promise<void> {
  await dress(page, look);
  await drawn(page);
}

/** Resolves when the requests of a page, and those of its own frames, are drawn. */
export function drawn(page: Page): Promise<void> {
  return page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
  });
}

/** Ids of rules, or all that axe runs by itself and the size of targets (WCAG 2.2, 2.5.8). */
export type AxeRules = readonly string[] | "all";

/** Violations of axe on the page as it stands, in one line each. */
export async function axeViolations(
  page: Page,
  rules: AxeRules = "all",
): Promise<readonly string[]> {
  // Evaluated by the debugger, not by a script element, so the content policy stays as it is.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axeSource);
  const chosen =
    rules === "all"
      ? { rules: { "target-size": { enabled: true } } }
      : { runOnly: { type: "rule", values: rules } };
  // Selectors and sources of what passed are not requested. Only two rules need preloading: the one
  // about orientation, which does not run here, and the one about sound, which no page plays.
  const options = { ...chosen, resultTypes: ["violations"], preload: false };
  return page.evaluate(async (given) => {
    const axe = (window as unknown as { axe: AxeLike }).axe;
    const { violations } = await axe.run(document, given);
    return violations.map(({ id, nodes }) => {
      const [node] = nodes;
      return `${id} ×${nodes.length}: ${node?.target.join(" ") ?? ""} ${node?.failureSummary ?? ""}`;
    });
  }, options);
}

interface AxeLike {
  run(
    root: Document,
    options: object,
  ): Promise<{
    readonly violations: readonly {
      readonly id: string;
      readonly nodes: readonly {
        readonly target: readonly string[];
        readonly failureSummary?: string;
      }[];
    }[];
  }>;
}

/** Pixels by which the page is wider than its window. */
export function sidewaysOverflow(page: Page): Promise<number> {
  return page.evaluate(() => {
    const root = document.documentElement;
    return Math.max(0, root.scrollWidth - root.clientWidth);
  });
}
