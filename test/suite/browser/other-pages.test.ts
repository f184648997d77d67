/**
 * @module The pages beside home and turn in every state: with data, empty, failed, forbidden,
 * read-only. No violation of axe, nothing in the console, no report of the content policy, no
 * request to anywhere else, nothing to scroll sideways.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Browser } from "playwright-core";

import { sendStory } from "../../apps/briefing/story.ts";
import {
  axeViolations,
  openBrowser,
  openSite,
  relook,
  sidewaysOverflow,
  visit,
} from "./browser.ts";
import type { Look, Site } from "./browser.ts";

const agent = "briefing-writer";
const viewerToken = "viewer-token-of-the-suite-0001";
const operatorToken = "operator-token-of-the-suite-01";
const accounts = {
  vera: { token: viewerToken, role: "viewer", user_id: "usr_bo" },
  otto: { token: operatorToken, role: "operator" },
};

let browser: Browser;
let site: Site;
let empty: Site;
let guarded: Site;
let readOnly: Site;
/** Roots of one agent, the newest first. */
let roots: readonly string[];

const rootAt = (place: number): string => roots[place - 1] ?? "";

/** An agent that a host mounts: it answers in three pieces and names its evidence. */
const mounted = {
  agents: {
    list: () => Promise.resolve(["echo"]),
    run: () => Promise.resolve({ text: "Hello" }),
    async *stream() {
      yield { type: "run.started", root_trace_id: "a".repeat(32) };
      await Promise.resolve();
      yield { type: "tool.started", tool_name: "look_up" };
      for (const delta of ["Hel", "lo <b>you</b>", " there"]) yield { type: "answer.delta", delta };
      yield { type: "run.done", status: "success" };
    },
  },
};

beforeAll(async () => {
  const signedIn = { TURNPROOF_UI_ACCOUNTS: JSON.stringify(accounts) };
  [browser, site, empty, guarded, readOnly] = await Promise.all([
    openBrowser(),
    openSite({}, { hooks: mounted }),
    openSite(),
    openSite(signedIn, { hooks: mounted }),
    openSite({ TURNPROOF_UI_READ_ONLY: "true" }, { hooks: mounted }),
  ]);
  await sendStory(site.url, { endMs: Date.now(), turns: 30, hours: 2 });
  await vi.waitFor(
    async () => {
      const answer = await fetch(`${site.url}/traces/turns.json?agent_id=${agent}&verdict=success`);
      const { items } = (await answer.json()) as {
        readonly items: readonly { readonly root_trace_id: string }[];
      };
      if (items.length < 2) throw new Error("the judge has not looked yet");
      roots = items.map((item) => item.root_trace_id);
    },
    { timeout: 40_000, interval: 250 },
  );
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await Promise.all([site, empty, guarded, readOnly].map((each) => each?.close()));
});

const compared = (): string =>
  `/traces/compare?agent_id=${agent}&baseline_root=${rootAt(2)}&candidate_root=${rootAt(1)}`;

interface State {
  readonly name: string;
  readonly at: () => { readonly on: Site; readonly path: string };
  /** Words that the page owes its reader. */
  readonly says: RegExp;
}

const states: readonly State[] = [
  { name: "compare", at: () => ({ on: site, path: compared() }), says: /Not established/ },
  {
    name: "compare, choosing",
    at: () => ({ on: site, path: `/traces/compare?agent_id=${agent}` }),
    says: /Two turns/,
  },
  {
    name: "compare, nothing there",
    at: () => ({ on: empty, path: "/traces/compare" }),
    says: /Nothing to compare yet/,
  },
  {
    name: "compare, unknown root",
    at: () => ({ on: site, path: compared().replace(/[0-9a-f]{32}$/, "0".repeat(32)) }),
    says: /Not in the window that was read/,
  },
  {
    name: "health",
    at: () => ({ on: site, path: "/traces/health" }),
    says: /Are we losing telemetry\?[\s\S]*the sum is exact/,
  },
  {
    name: "health, nothing there",
    at: () => ({ on: empty, path: "/traces/health" }),
    says: /No producer has spoken[\s\S]*No evidence was read/,
  },
  { name: "incidents", at: () => ({ on: site, path: "/traces/find" }), says: /Paste the id/ },
  {
    name: "incidents, found",
    at: () => ({ on: site, path: `/traces/find?id=usr_bo` }),
    says: /this is a tenant[\s\S]*Whole history searched/,
  },
  {
    name: "incidents, not found",
    at: () => ({ on: site, path: "/traces/find?id=nothing_here" }),
    says: /No evidence names this id/,
  },
  { name: "threads", at: () => ({ on: site, path: "/threads" }), says: /thr_/ },
  { name: "threads, none", at: () => ({ on: empty, path: "/threads" }), says: /No thread/ },
  {
    name: "thread",
    at: () => ({ on: site, path: "/threads/thr_bo_1" }),
    says: /Turns side by side[\s\S]*Timeline of the three stores/,
  },
  {
    name: "thread, unknown",
    at: () => ({ on: site, path: "/threads/nobody" }),
    says: /No turn of this thread/,
  },
  { name: "agents", at: () => ({ on: site, path: "/agents" }), says: /briefing-writer/ },
  { name: "agents, none", at: () => ({ on: empty, path: "/agents" }), says: /No agent/ },
  {
    name: "agent, not mounted",
    at: () => ({ on: site, path: `/agents/${agent}` }),
    says: /Tool health[\s\S]*No agent is mounted under this name/,
  },
  { name: "agent, mounted", at: () => ({ on: site, path: "/agents/echo" }), says: /Ask/ },
  {
    name: "agent, read-only",
    at: () => ({ on: readOnly, path: "/agents/echo" }),
    says: /This collector is read-only/,
  },
  { name: "learning", at: () => ({ on: site, path: "/learning" }), says: /Nothing live changes/ },
  { name: "memory", at: () => ({ on: site, path: "/memory" }), says: /Name a tenant first/ },
  {
    name: "memory of the anonymous",
    at: () => ({ on: site, path: "/memory?scope=anonymous" }),
    says: /Units by kind/,
  },
  { name: "settings", at: () => ({ on: site, path: "/settings" }), says: /Roles and permissions/ },
  { name: "interface", at: () => ({ on: site, path: "/docs" }), says: /\/traces\/events\.json/ },
  {
    name: "verdict",
    at: () => ({
      on: site,
      path: `/traces/reconcile?agent_id=${agent}&root_trace_id=${rootAt(1)}`,
    }),
    says: /What the verdict rests on/,
  },
  { name: "sign-in", at: () => ({ on: guarded, path: "/traces" }), says: /Sign in/ },
  { name: "no such page", at: () => ({ on: site, path: "/nowhere" }), says: /nothing here/ },
  {
    name: "unknown parameter",
    at: () => ({ on: site, path: "/traces?colour=red" }),
    says: /This page without parameters/,
  },
  {
    name: "foreign cursor",
    at: () => ({ on: site, path: "/threads?cursor=abc" }),
    says: /This page of the list is gone/,
  },
];

const looks: readonly Look[] = [
  { width: 1440, theme: "light" },
  { width: 1440, theme: "dark" },
  { width: 900, theme: "light" },
  { width: 390, theme: "dark" },
  { width: 320, theme: "light", forcedColors: true },
];

/** Axe looks wide in light and narrow in dark; the width is measured in every look. */
const judged: readonly (Look | undefined)[] = [looks[0], looks[3]];

describe.each(states)("$name", ({ at, says }) => {
  test("by axe, the console, the content policy, the network and its width", async () => {
    const { on, path } = at();
    const { page, offences, close } = await visit(browser, on, path, looks[0] as Look);
    try {
      await page.waitForTimeout(200);
      expect(await page.locator("main").innerText()).toMatch(says);
      for (const look of looks) {
        await relook(page, look);
        const where = `${look.width} px, ${look.theme}`;
        expect(await sidewaysOverflow(page), where).toBe(0);
        if (judged.includes(look)) expect(await axeViolations(page), where).toEqual([]);
      }
      expect(offences.filter((each) => !/\b40[0-9]\b/.test(each))).toEqual([]);
    } finally {
      await close();
    }
  });

  test("without script it says the same", async () => {
    const { on, path } = at();
    const look = { width: 390, theme: "dark", script: false } as const;
    const { page, close } = await visit(browser, on, path, look);
    try {
      expect(await page.locator("main").innerText()).toMatch(says);
      expect(await page.locator("h1").count()).toBe(1);
    } finally {
      await close();
    }
  });
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
  const { page, close } = await signIn(viewerToken);
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
  const { page, offences, close } = await signIn(operatorToken);
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
