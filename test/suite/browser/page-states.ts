/**
 * @module Every state in which a page can be: with data, empty, failed, forbidden, read-only, with
 * something open over it. One table for whatever must hold of all pages; a view or a route that
 * answers a page without a state here fails `states-without-script.test.ts`.
 */
import type { Page } from "playwright-core";

import { brokenRoot } from "./broken-trace.ts";
import { longRoot, longWord } from "./long-trace.ts";
import type { Site } from "./browser.ts";
import { agent } from "./scene.ts";
import { on, statesOfMany } from "./states-of-many.ts";
import type { Scene, tokens } from "./scene.ts";

/** One state of one page. */
export interface State {
  /** Folder of the page; `problem` is the page of every error. */
  readonly view: string;
  readonly name: string;
  readonly at: (scene: Scene) => { readonly on: Site; readonly path: string };
  /** Words that the page owes its reader, with script and without. */
  readonly text: RegExp;
  /** What is done on the page before it is looked at; such a state needs script. */
  readonly open?: (page: Page) => Promise<void>;
  /** Account that signs in first. */
  readonly as?: keyof typeof tokens;
}

const compared = ({ roots }: Scene): string =>
  `/traces/compare?agent_id=${agent}&baseline_root=${roots[1]}&candidate_root=${roots[0]}`;
const noRoot = "0".repeat(32);
const longPath = encodeURIComponent(longWord);

async function opened(page: Page): Promise<void> {
  await page.locator("[data-live]").waitFor({ state: "visible" });
}

async function turnReady(page: Page): Promise<void> {
  await page.locator("body[data-ready]").waitFor();
}

/** The states, by page. */
export const states: readonly State[] = [
  ...statesOfMany,
  { view: "turns", name: "with data", ...on("site", "/traces?limit=250"), text: /Window complete/ },
  { view: "turns", name: "as the home", ...on("site", "/"), text: /More pages[\s\S]*Older/ },
  {
    view: "turns",
    name: "filtered, a word not understood",
    ...on("site", "/traces?verdict=failed&q=-agent:x%20latency:soon"),
    text: /Not understood and not applied/,
  },
  {
    view: "turns",
    name: "address not understood",
    ...on("site", "/traces?finding=wrong&sort=wrong&colour=red"),
    text: /colour=red is no parameter[\s\S]*finding:wrong/,
  },
  {
    view: "turns",
    name: "nothing of the address understood",
    ...on("site", "/traces?start_time=-1h&end_time=-4h&colour=red&limit=0&q=latency:soon"),
    text: /Not applied:[\s\S]*is an empty range: its end is not after its start[\s\S]*latency:soon/,
  },
  {
    view: "turns",
    name: "the outcomes of turns",
    ...on("site", "/traces?chart=trend"),
    text: /Verdicts, up to/,
  },
  { view: "turns", name: "empty", ...on("empty", "/traces"), text: /No turns yet/ },
  {
    view: "turns",
    name: "nothing found",
    ...on("site", "/traces?agent_id=nobody"),
    text: /No turn here passes these filters/,
  },
  {
    view: "turns",
    name: "completion open",
    ...on("site", "/traces"),
    text: /More pages/,
    open: async (page) => {
      await opened(page);
      await page.locator("[role=combobox]").focus();
      await page.keyboard.type("ver");
      await page.keyboard.press("ArrowDown");
      await page.locator("[role=option][aria-selected=true]").waitFor();
    },
  },
  {
    view: "turns",
    name: "help open",
    ...on("site", "/traces"),
    text: /More pages/,
    open: async (page) => {
      await opened(page);
      await page.keyboard.press("?");
      await page.locator("dialog[open]").waitFor();
    },
  },
  {
    view: "turns",
    name: "two marked, dense",
    ...on("site", "/traces"),
    text: /More pages/,
    open: async (page) => {
      await opened(page);
      await page.locator("[data-switch=density]").click();
      for (const key of ["j", "m", "j", "m"]) await page.keyboard.press(key);
      await page.locator("[data-marks]").getByText("2 turns marked").waitFor();
    },
  },
  { view: "turns", name: "long words", ...on("long", "/traces"), text: /Window complete/ },
  {
    view: "turn",
    name: "success",
    at: (scene) => ({ on: scene.site, path: `/traces/${scene.roots[0]}` }),
    text: /Verdict[\s\S]*Memory supply[\s\S]*Asked the newsroom[\s\S]*Raw events/,
    open: turnReady,
  },
  {
    view: "turn",
    name: "failed, raw evidence beside",
    at: (scene) => ({ on: scene.site, path: `/traces/${scene.failedRoot}` }),
    text: /failed/,
    open: async (page) => {
      await turnReady(page);
      await page.keyboard.press("e");
      await page.locator("[data-panel-body] pre.code").first().waitFor();
    },
  },
  {
    view: "turn",
    name: "flame open",
    at: (scene) => ({ on: scene.site, path: `/traces/${scene.roots[0]}` }),
    text: /Flame[\s\S]*rows over/,
    open: async (page) => {
      await turnReady(page);
      await page.locator("[data-flame] summary").click();
      await page.locator("[data-flame] a").first().waitFor();
    },
  },
  {
    view: "turn",
    name: "broken trace",
    ...on("site", `/traces/${brokenRoot}`),
    text: /missing parent/,
    open: turnReady,
  },
  {
    view: "turn",
    name: "long words",
    ...on("long", `/traces/${longRoot}`),
    text: /Verdict/,
    open: turnReady,
  },
  {
    view: "compare",
    name: "with data",
    at: (scene) => ({ on: scene.site, path: compared(scene) }),
    text: /Not established/,
  },
  {
    view: "compare",
    name: "choosing",
    ...on("site", `/traces/compare?agent_id=${agent}`),
    text: /Two turns/,
  },
  {
    view: "compare",
    name: "nothing there",
    ...on("empty", "/traces/compare"),
    text: /Nothing to compare yet/,
  },
  {
    view: "compare",
    name: "long words",
    ...on(
      "long",
      `/traces/compare?agent_id=${longPath}&baseline_root=${longRoot}&candidate_root=${longRoot}`,
    ),
    text: /Not established/,
  },
  {
    view: "health",
    name: "with data",
    ...on("site", "/traces/health"),
    text: /Telemetry loss[\s\S]*the sum is exact/,
  },
  {
    view: "health",
    name: "watched",
    ...on("site", "/traces/health"),
    text: /Telemetry loss/,
    open: async (page) => {
      await page.locator("[data-watch]").click();
      await page.locator("[data-watch-plots] svg").first().waitFor();
    },
  },
  {
    view: "health",
    name: "nothing there",
    ...on("empty", "/traces/health"),
    text: /events lost\s*–\s*nothing received[\s\S]*No producer reported[\s\S]*No evidence was read/,
  },
  {
    view: "health",
    name: "long words",
    ...on("long", "/traces/health"),
    text: /never reported what it lost/,
  },
  {
    view: "health",
    name: "store away",
    ...on("broken", "/traces/health"),
    text: /cannot be read: see the store below/,
  },
  { view: "find", name: "asking", ...on("site", "/traces/find"), text: /Paste the id/ },
  {
    view: "find",
    name: "found",
    ...on("site", "/traces/find?id=usr_bo"),
    text: /this is a tenant[\s\S]*searched/,
  },
  {
    view: "find",
    name: "not found",
    ...on("site", "/traces/find?id=nothing_here"),
    text: /No evidence names this id/,
  },
  {
    view: "find",
    name: "long words",
    ...on("long", `/traces/find?id=${longPath}`),
    text: /searched/,
  },
  { view: "tools", name: "by name", ...on("site", "/tools"), text: /Calls by tool/ },
  {
    view: "tools",
    name: "models by agent",
    ...on("site", "/tools?kind=model&by=agent"),
    text: /Calls by agent/,
  },
  { view: "tools", name: "empty", ...on("empty", "/tools"), text: /No tool call in these turns/ },
  { view: "tools", name: "long words", ...on("long", "/tools"), text: /Calls by tool/ },
  { view: "threads", name: "with data", ...on("site", "/threads"), text: /thr_/ },
  { view: "threads", name: "none", ...on("empty", "/threads"), text: /No thread/ },
  { view: "threads", name: "long words", ...on("long", "/threads"), text: /Donaudampf/ },
  {
    view: "thread",
    name: "with data",
    ...on("site", "/threads/thr_bo_1"),
    text: /Turns side by side[\s\S]*Timeline of the three stores/,
  },
  {
    view: "thread",
    name: "unknown",
    ...on("site", "/threads/nobody"),
    text: /No turns of this thread/,
  },
  { view: "thread", name: "long words", ...on("long", `/threads/${longPath}`), text: /Turns/ },
  { view: "agents", name: "with data", ...on("site", "/agents"), text: /briefing-writer/ },
  { view: "agents", name: "none", ...on("empty", "/agents"), text: /No agent/ },
  { view: "agents", name: "long words", ...on("long", "/agents"), text: /Donaudampf/ },
  {
    view: "agent",
    name: "not mounted",
    ...on("site", `/agents/${agent}`),
    text: /has turns, not runnable here[\s\S]*Tool health/,
  },
  { view: "agent", name: "mounted", ...on("site", "/agents/echo"), text: /Ask/ },
  {
    view: "agent",
    name: "answered",
    ...on("site", "/agents/echo"),
    text: /Ask/,
    open: async (page) => {
      await page.locator("[data-playground]").waitFor();
      await page.waitForFunction(() => document.querySelector("[data-switches]:not([hidden])"));
      await page.locator("textarea[name=query]").fill("What do you know?");
      await page.getByRole("button", { name: "Run" }).click();
      await page.locator("[data-transcript] a").waitFor();
    },
  },
  {
    view: "agent",
    name: "read-only",
    ...on("readOnly", "/agents/echo"),
    text: /This collector is read-only/,
  },
  {
    view: "agent",
    name: "forbidden to run",
    ...on("guarded", "/agents/echo"),
    as: "viewer",
    text: /Your role may not run agents/,
  },
  { view: "agent", name: "long words", ...on("long", `/agents/${longPath}`), text: /Tool health/ },
  {
    view: "run",
    name: "answered without script",
    ...on("site", "/agents/echo"),
    text: /Ask/,
    open: async (page) => {
      await page.locator("textarea[name=query]").fill("Once more?");
      // The form itself is sent, past the script that would have streamed.
      await page.locator("form.playground").evaluate((form: HTMLFormElement) => form.submit());
      await page.locator("#answer .said").waitFor();
    },
  },
  {
    view: "learning",
    name: "with data",
    ...on("site", "/learning"),
    text: /This page changes no running agent[\s\S]*accepted/,
  },
  {
    view: "learning",
    name: "empty",
    ...on("empty", "/learning"),
    text: /This page changes no running agent/,
  },
  {
    view: "learning",
    name: "read-only",
    ...on("readOnly", "/learning"),
    text: /This page changes no running agent/,
  },
  { view: "memory", name: "no tenant", ...on("site", "/memory"), text: /Name a tenant first/ },
  {
    view: "memory",
    name: "of the anonymous",
    ...on("site", "/memory?scope=anonymous"),
    text: /Units by kind/,
  },
  { view: "settings", name: "local", ...on("site", "/settings"), text: /Roles and permissions/ },
  {
    view: "settings",
    name: "signed in",
    ...on("guarded", "/settings"),
    as: "operator",
    text: /Sign out/,
  },
  { view: "patterns", name: "every element", ...on("site", "/patterns"), text: /made up/ },
  {
    view: "reconcile",
    name: "verdict",
    at: (scene) => ({
      on: scene.site,
      path: `/traces/reconcile?agent_id=${agent}&root_trace_id=${scene.roots[0]}`,
    }),
    text: /Basis of the verdict/,
  },
  { view: "login", name: "sign-in", ...on("guarded", "/traces"), text: /Sign in/ },
  {
    view: "login",
    name: "wrong token",
    ...on("guarded", "/login"),
    text: /Sign in/,
    open: async (page) => {
      await page.locator("input[name=token]").fill("a-token-that-is-nobodys");
      await page.keyboard.press("Enter");
      await page.getByText("This token is not known").waitFor();
    },
  },
  { view: "problem", name: "no such page", ...on("site", "/nowhere"), text: /Page not found/ },
  {
    view: "problem",
    name: "unknown turn",
    ...on("site", `/traces/${noRoot}`),
    text: /Search the whole history/,
  },
  {
    view: "problem",
    name: "unknown root compared",
    at: (scene) => ({
      on: scene.site,
      path: compared(scene).replace(/[0-9a-f]{32}$/, noRoot),
    }),
    text: /Not in the window that was read/,
  },
  {
    view: "threads",
    name: "foreign cursor",
    ...on("site", "/threads?cursor=abc"),
    text: /this is its first page/,
  },
  {
    view: "problem",
    name: "forbidden",
    ...on("guarded", "/threads?user_id=usr_chen"),
    as: "viewer",
    text: /Outside what you may read/,
  },
  { view: "problem", name: "store away", ...on("broken", "/traces"), text: /Try again/ },
];
