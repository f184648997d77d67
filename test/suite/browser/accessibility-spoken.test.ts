/**
 * @module The pages as a screen reader announces them: a row of turns, the chain of a verdict, the
 * memory flow and the charts with their numbers; announcements of changes, of which a live tail
 * makes few. `accessibility-states.test.ts` checks that each element has a name.
 */
import { expect, test } from "vitest";
import type { TurnEvent } from "@turnproof/evidence";
import type { Page } from "playwright-core";

import { brokenTrace } from "./broken-trace.ts";
import { setWindow } from "./browser.ts";
import { openedScene } from "./opened-scene.ts";
import { ownSite, wide } from "./opened-site.ts";
import { states } from "./page-states.ts";
import { spoken, wordsWithin } from "./spoken.ts";
import type { Spoken } from "./spoken.ts";

const { scene, visit, visitState } = openedScene();

const only = (all: readonly Spoken[], role: string, name: RegExp | string): Spoken => {
  const fits = all.filter(
    (one) =>
      one.role === role && (typeof name === "string" ? one.name === name : name.test(one.name)),
  );
  expect(fits, `${role} ${String(name)}`).toHaveLength(1);
  return fits[0] as Spoken;
};

/** All announcements of the page of a successful turn. */
async function turnPage(): Promise<readonly Spoken[]> {
  const page = await visit(`/traces/${scene.roots[0]}`);
  await page.locator("body[data-ready]").waitFor();
  return spoken(page);
}

test("Turns: a row says when, whose, how it ended, and each figure with its unit", async () => {
  const path = `/traces?root_trace_id=${scene.roots[0]}`;
  const page = await visit(path);
  // A window with room for every usual column.
  await setWindow(page, { width: 1600, height: 900 });
  await page.locator("[data-live]").waitFor({ state: "visible" });
  const all = await spoken(page);
  const table = only(all, "table", "Turns, newest first");
  const within = all.slice(all.indexOf(table), table.end + 1);
  const heads = within.filter(({ role }) => role === "columnheader").map(({ name }) => name);
  expect(heads).toEqual(
    "Time Agent Thread Verdict Stages Memory Cache Tools Tokens Duration Findings".split(" "),
  );
  const cells = within.filter(({ role }) => role === "cell").map(({ name }) => name);
  expect(cells).toHaveLength(heads.length);
  expect(cells).toEqual([
    expect.stringMatching(/^(\d\d-\d\d )?\d\d:\d\d:\d\d(\.\d{3})? briefing-writer, success$/),
    "briefing-writer",
    expect.stringMatching(/^thr_/),
    "success",
    "5/5",
    expect.stringMatching(/^retrieved \d+, supplied \d+, referenced (\d+|unknown)(, degraded)?$/),
    expect.stringMatching(/^(miss|hit|bypassed)$/),
    expect.stringMatching(/^\d+ clean, \d+ via fallback or with limits, \d+ failed$/),
    expect.stringMatching(/^[\d,]+ in, [\d,]+ out, from the provider's cache: \d+ %$/),
    expect.stringMatching(/^[\d.]+ m?s( 95 % end within [\d.]+ m?s)?$/),
    "none",
  ]);
});

test("Turns: the chart says its sum and its errors; the switches say what they stand at", async () => {
  const page = await visit("/traces");
  await page.locator("[data-live]").waitFor({ state: "visible" });
  const all = await spoken(page);
  // A range is chosen with its keys.
  only(all, "slider", /^\d+ turns over time .*\d+ with errors$/);
  expect(only(all, "button", "Live tail").states["pressed"]).toBe("true");
  for (const name of ["Times in UTC", "Rows: normal", "Theme: system"]) only(all, "button", name);
  expect(all.filter(({ role }) => role === "status").map(({ states: of }) => of["live"])).toContain(
    "polite",
  );
});

test("Turn: the chain says each link and its state, and the sentence why", async () => {
  const all = await turnPage();
  const verdict = only(all, "region", "Verdict");
  const chain = only(all, "list", "Chain from intent to delivery");
  expect(all.indexOf(chain)).toBeGreaterThan(all.indexOf(verdict));
  const links = all
    .slice(all.indexOf(chain), chain.end + 1)
    .filter(({ role }) => role === "listitem");
  expect(links.map((link) => wordsWithin(all, link))).toEqual([
    expect.stringMatching(/^Intent present /i),
    expect.stringMatching(/^Artifact present /i),
    expect.stringMatching(/^Contract present /i),
    expect.stringMatching(/^Delivery present /i),
  ]);
  expect(wordsWithin(all, verdict)).toMatch(/^Verdict success .+ window complete/);
});

test("Turn: the memory flow says its counts and what they count, a candidate how far it came", async () => {
  const all = await turnPage();
  const memory = only(all, "region", "Memory supply");
  expect(wordsWithin(all, memory)).toMatch(
    /\d+ Retrieved candidates considered \d+ Supplied placed in the model's context (\d+|not measured) Referenced/,
  );
  const candidates = only(all, "table", "Candidates");
  const rows = all
    .slice(all.indexOf(candidates), candidates.end + 1)
    .filter(({ role, end }, index, within) => role === "row" && end > index && within.length > 0)
    .slice(1);
  expect(rows.length).toBeGreaterThan(3);
  for (const row of rows) {
    expect(wordsWithin(all, row)).toMatch(/ 0\.\d\d (not )?supplied (not )?referenced/);
  }
});

test("Turn: a row of the waterfall says from when its bar goes", async () => {
  const all = await turnPage();
  const grid = only(all, "treegrid", /^Causal waterfall of /);
  const within = all.slice(all.indexOf(grid), grid.end + 1);
  const cells = within.filter(({ role }) => role === "gridcell").map(({ name }) => name);
  const bars = cells.filter((name) => /^(from [\d.,]+ |start unknown)/.test(name));
  expect(bars).toHaveLength(within.filter(({ role }) => role === "rowheader").length);
});

test("Compare: both figures of a pair are said with their unit", async () => {
  const state = states.find(({ view, name }) => view === "compare" && name === "with data");
  if (state === undefined) throw new Error("no such state");
  const page = await visitState(state);
  const all = await spoken(page);
  const pairs = all.filter(({ role, name }) => role === "image" && name.startsWith("A "));
  expect(pairs.length).toBeGreaterThan(3);
  for (const { name } of pairs) {
    expect(name).toMatch(
      /^A ([\d.,]+( m?s| m| h)?.*|unknown), B ([\d.,]+( m?s| m| h)?.*|unknown)$/,
    );
    expect(name).not.toMatch(/\d\.\d{3,}|\d{4,}/);
  }
});

/** Every text that the polite region was given from now on. */
async function readReceipts(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.evaluate(() => {
    const region = document.querySelector("[data-announce]");
    const stated: string[] = [];
    Object.assign(window, { stated });
    if (region === null) throw new Error("nowhere to say anything");
    new MutationObserver(() => stated.push(region.textContent)).observe(region, {
      childList: true,
      characterData: true,
      subtree: true,
    });
  });
  return () => page.evaluate(() => (window as unknown as { stated: readonly string[] }).stated);
}

const spanOf = (place: number): TurnEvent => {
  const [turn] = brokenTrace;
  if (turn === undefined) throw new Error("no turn");
  const at = new Date(Date.now() + place).toISOString();
  const root = place.toString(16).padStart(32, "9");
  return { ...turn, event_id: `${root}:r`, root_trace_id: root, timestamp: at, started_at: at };
};

test("the live tail does not chatter: what arrives while it stands still is one number", async () => {
  const site = await ownSite();
  await site.put([spanOf(1)]);
  const page = await visit("/traces", wide, { on: site });
  await page.locator("[data-live]").waitFor({ state: "visible" });
  await page.locator("[data-live]").click();
  const stated = await readReceipts(page);
  const send = async (place: number): Promise<void> => {
    await fetch(`${site.url}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(oneSpan(place)),
    });
  };
  for (const place of [2, 3, 4]) await send(place);
  await page.locator("[data-arrived]").getByText("3 new turns").waitFor({ timeout: 60_000 });
  const heardOf = await stated();
  expect(heardOf.at(-1)).toBe("3 new turns");
  expect(heardOf.length).toBeLessThanOrEqual(3);
  expect(new Set(heardOf).size).toBe(heardOf.length);
});

function oneSpan(place: number): object {
  const now = BigInt(Date.now()) * 1_000_000n;
  const text = (key: string, stringValue: string): object => ({ key, value: { stringValue } });
  return {
    resourceSpans: [
      {
        resource: { attributes: [text("service.name", "newsroom")] },
        scopeSpans: [
          {
            scope: { name: "gen_ai" },
            spans: [
              {
                traceId: place.toString(16).padStart(32, "8"),
                spanId: place.toString(16).padStart(16, "8"),
                name: "invoke_agent writer",
                kind: 1,
                startTimeUnixNano: String(now - 1_000_000_000n),
                endTimeUnixNano: String(now),
                attributes: [
                  text("gen_ai.operation.name", "invoke_agent"),
                  text("gen_ai.agent.name", "writer"),
                ],
              },
            ],
          },
        ],
      },
    ],
  };
}

test("a switch, a mark and a copy say what they did, once", async () => {
  const page = await visit("/traces");
  await page.locator("[data-live]").waitFor({ state: "visible" });
  const stated = await readReceipts(page);
  await page.locator("[data-switch=density]").click();
  for (const key of ["j", "m", "m"]) await page.keyboard.press(key);
  expect(await stated()).toEqual(["Rows: dense", "Marked, 1 of 2", "Unmarked"]);
});

test("the completion box is a combobox: its list, its size, its choice", async () => {
  const page = await visit("/traces");
  await page.locator("[data-live]").waitFor({ state: "visible" });
  const box = page.getByRole("combobox", { name: "Filter turns" });
  await box.focus();
  await page.keyboard.type("verd");
  await page.keyboard.press("ArrowDown");
  const all = await spoken(page);
  const combobox = only(all, "combobox", "Filter turns");
  expect(combobox.states).toMatchObject({ expanded: true, autocomplete: "list" });
  expect(combobox.value).toBe("verd");
  const chosen = all.filter(({ role, states: of }) => role === "option" && of["selected"] === true);
  expect(chosen.map(({ name }) => name)).toEqual([expect.stringMatching(/^verdict:/)]);
  only(all, "listbox", "Suggestions");
  await page.keyboard.press("Escape");
  const closed = await spoken(page);
  expect(only(closed, "combobox", "Filter turns").states["expanded"]).toBe(false);
  expect(closed.filter(({ role }) => role === "listbox")).toHaveLength(0);
});
