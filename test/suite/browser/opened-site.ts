/**
 * @module What a test file opens for all of its tests and closes after them: a site. Its tests
 * visit pages of it in the browser of the worker; when a test ends, its pages are held to have
 * offended nothing and closed.
 */
import { afterAll, afterEach, beforeAll, expect, onTestFinished } from "vitest";
import type { TurnEvent } from "@turnproof/evidence";
import type { Browser, Page } from "playwright-core";
import type { CollectorOptions } from "turnproof";

import { openBrowser, openSite, visit } from "./browser.ts";
import type { Look, Site, Visit } from "./browser.ts";

let started: Promise<Browser> | undefined;

/**
 * The browser of this worker, which ends with it. One browser for all workers would be driven by
 * the process of Vitest, which parses and sends every message again.
 */
function sharedBrowser(): Promise<Browser> {
  return (started ??= openBrowser());
}

/** The look of a visit that does not name one. */
export const wide = { width: 1440, theme: "light" } as const;

interface VisitOptions {
  /** Where the page is, if not on the site of the file. */
  readonly on?: Site;
  /** Offences that the test is about: for example a status, which the console repeats. */
  readonly excused?: RegExp | undefined;
}

/** Opens a page in an empty tab of its own, which stays until the test ends. */
export type Visiting = (path: string, look?: Look, options?: VisitOptions) => Promise<Page>;

/**
 * Opens what `open` opens for the tests of the file that calls this; pages are those of the `home`
 * in it. What was opened can be named at once, and be read as soon as tests run.
 */
export function openedForFile<T extends { readonly close: () => Promise<void> }>(
  open: () => Promise<T>,
  home: (opened: T) => Site,
): { readonly opened: T; readonly visit: Visiting } {
  const opened = {} as T;
  const visits: (Visit & Pick<VisitOptions, "excused">)[] = [];
  let browser: Browser;

  beforeAll(async () => {
    const [ready, filled] = await Promise.all([sharedBrowser(), open()]);
    browser = ready;
    Object.assign(opened, filled);
  });

  afterEach(async () => {
    const ended = visits.splice(0);
    const offences = ended.flatMap(({ offences: all, excused }) =>
      all.filter((one) => excused?.test(one) !== true),
    );
    await Promise.all(ended.map(({ close }) => close()));
    expect(offences).toEqual([]);
  });

  afterAll(async () => {
    await opened.close?.();
  });

  return {
    opened,
    visit: async (path, look = wide, { on = home(opened), excused } = {}) => {
      const visited = await visit(browser, on, path, look);
      visits.push({ ...visited, excused });
      return visited.page;
    },
  };
}

/**
 * Gives a page a time zone until the test ends. A tab serves the tests of several files and takes
 * one zone at a time.
 */
export async function inZone(page: Page, timezoneId: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  onTestFinished(() => session.detach());
  await session.send("Emulation.setTimezoneOverride", { timezoneId });
}

interface SiteOptions extends Pick<CollectorOptions, "hooks" | "judge"> {
  /** Variables of the collector. */
  readonly env?: Record<string, string>;
  /** Evidence that is there before the first test. */
  readonly put?: readonly TurnEvent[];
}

/** A site for all tests of a file, and the way to visit it. */
export function openedSite({ env, put, ...own }: SiteOptions = {}): {
  readonly site: Site;
  readonly visit: Visiting;
} {
  const { opened: site, visit: visiting } = openedForFile(
    () => openSite(env, own),
    (itself) => itself,
  );
  if (put !== undefined) beforeAll(() => site.put(put));
  return { site, visit: visiting };
}

/** A site of one test alone, which is closed after it. */
export async function ownSite(...options: Parameters<typeof openSite>): Promise<Site> {
  const site = await openSite(...options);
  onTestFinished(() => site.close());
  return site;
}

/** Signs in on the page that requires a token, as far as the home. */
export async function signIn(page: Page, token: string): Promise<void> {
  await page.locator("input[name=token]").fill(token);
  await Promise.all([page.waitForURL(/\/traces$/), page.keyboard.press("Enter")]);
}
