/**
 * @module Every key of the table on Turns and on Turn: each does its thing, and none of them does
 * it while a user types.
 */
import { expect, test, vi } from "vitest";
import type { TurnEvent } from "@turnproof/evidence";
import type { Page } from "playwright-core";

import { brokenRoot, brokenTrace } from "./broken-trace.ts";
import { press } from "./keys.ts";
import { openedSite, ownSite, wide } from "./opened-site.ts";

/** Every key that means something on one of the two pages. */
const allKeys = "jkgtghgigc[]ue/mc?exl.pf+-0";

/** The broken trace again, under another root and with a second failed call. */
function twinOf(letter: string): readonly TurnEvent[] {
  return brokenTrace.map((event) => ({
    ...event,
    ...(event.event_kind === "tool_call" ? { status: "error" } : {}),
    event_id: `${letter}-${event.event_id}`,
    root_trace_id: letter.repeat(32),
    turn_id: `turn_${letter}`,
    run_id: `run_${letter}`,
  }));
}

const { site, visit } = openedSite({ put: [...brokenTrace, ...twinOf("c"), ...twinOf("d")] });

/** Presses a sequence until it led somewhere: a busy machine may let its second key come late. */
async function goBy(page: Page, keys: readonly string[], to: RegExp): Promise<void> {
  await vi.waitFor(
    async () => {
      await press(page, ...keys);
      await page.waitForURL(to, { timeout: 3_000 });
    },
    { timeout: 60_000, interval: 50 },
  );
}

const placeOfFocus = (page: Page): Promise<number> =>
  page.evaluate(() =>
    [...document.querySelectorAll("[data-row]")].indexOf(document.activeElement as Element),
  );
const focusedId = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.id ?? "");
const focusedEvent = (page: Page): Promise<string> =>
  page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset["event"] ?? "");

/** Opens Turns and waits for what its own module does last. */
async function openTurns(): Promise<Page> {
  const page = await visit("/traces");
  await page.locator("[data-live]").waitFor({ state: "visible" });
  return page;
}

/** Opens the page of a turn, its waterfall taken over. */
async function openTurn(root: string): Promise<Page> {
  const page = await visit(`/traces/${root}`);
  await page.locator("body[data-ready]").waitFor();
  return page;
}

test("Turns: j and k move, m marks and unmarks, c compares, Enter opens", async () => {
  const page = await openTurns();
  expect(await page.locator("[data-rows] tr").count()).toBe(3);
  await press(page, "c");
  expect(await page.locator("[data-announce]").innerText()).toMatch(/Mark two turns/);
  await press(page, "j");
  expect(await placeOfFocus(page)).toBe(0);
  await press(page, "j", "j", "j", "j");
  expect(await placeOfFocus(page)).toBe(2);
  await press(page, "k");
  expect(await placeOfFocus(page)).toBe(1);
  await press(page, "m");
  expect(await page.locator("tr[data-marked]").count()).toBe(1);
  await press(page, "m");
  expect(await page.locator("tr[data-marked]").count()).toBe(0);
  await press(page, "m", "k", "m");
  expect(await page.locator("tr[data-marked]").count()).toBe(2);
  await Promise.all([page.waitForURL(/\/traces\/compare\?.*candidate_root=/), press(page, "c")]);
  await page.goto(`${site.url}/traces`);
  await page.locator("[data-live]").waitFor({ state: "visible" });
  await press(page, "j");
  await Promise.all([page.waitForURL(/\/traces\/[0-9a-f]{32}/), press(page, "Enter")]);
});

test("Turns: the rows are one stop of the Tab key, and arrows, Home, End and pages move", async () => {
  const page = await openTurns();
  const stops = (): Promise<readonly number[]> =>
    page
      .locator("[data-row]")
      .evaluateAll((rows) => rows.map((row) => (row as HTMLElement).tabIndex));
  expect(await stops()).toEqual([0, -1, -1]);
  await press(page, "ArrowDown");
  // Without a row that has the focus these are the keys of the page.
  expect(await placeOfFocus(page)).toBe(-1);
  for (const [key, place] of [
    ["j", 0],
    ["End", 2],
    ["ArrowDown", 2],
    ["ArrowUp", 1],
    ["Home", 0],
    ["PageDown", 2],
    ["PageUp", 0],
    ["ArrowDown", 1],
  ] as const) {
    await press(page, key);
    expect(await placeOfFocus(page), key).toBe(place);
  }
  expect(await stops()).toEqual([-1, 0, -1]);
  // The Tab key leaves the list and comes back to the row that was left; so does `j`.
  await press(page, "Tab");
  expect(await placeOfFocus(page)).toBe(-1);
  await press(page, "Shift+Tab");
  expect(await placeOfFocus(page)).toBe(1);
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await press(page, "j");
  expect(await placeOfFocus(page)).toBe(1);
});

test("a control that is pressed keeps Space, Enter and arrows, and leaves the letters", async () => {
  const page = await visit("/traces/compare");
  await page.locator("[data-switch=theme]").waitFor({ state: "visible" });
  const radio = page.locator("input[type=radio]");
  const checked = (): Promise<number> =>
    radio.evaluateAll((all) => all.findIndex((one) => (one as HTMLInputElement).checked));
  await radio.first().focus();
  await press(page, "Space");
  const first = await checked();
  await press(page, "ArrowDown");
  expect(await checked()).toBeGreaterThan(first);
  await press(page, "?");
  expect(await page.locator("dialog[data-help]").count()).toBe(1);
  await press(page, "?");
  await page.locator("dialog").waitFor({ state: "detached" });
  expect(await checked()).toBeGreaterThan(first);
});

test.each([
  ["Turns", openTurns],
  ["Turn", () => openTurn(brokenRoot)],
])("%s: g and a letter go to the places", async (_name, open) => {
  const page = await open();
  const from = page.url();
  for (const [key, to] of [
    ["h", /\/traces\/health$/],
    ["i", /\/traces\/incidents$/],
    ["c", /\/traces\/compare$/],
    ["t", /\/traces$/],
  ] as const) {
    await goBy(page, ["g", key], to);
    // Each is left by the same keys that a person has: the page before is a place too.
    if (key !== "t") await page.goto(from);
    await page.locator("[data-switch=theme]").waitFor({ state: "visible" });
  }
});

test("Turns: no key does anything while the filter is typed", async () => {
  const page = await openTurns();
  await press(page, "j", "m", "/");
  const field = page.locator("[role=combobox]");
  expect(await field.evaluate((node) => node === document.activeElement)).toBe(true);
  const before = await page.evaluate(() => JSON.stringify(document.documentElement.dataset));
  await page.keyboard.type(allKeys);
  await press(page, "ArrowLeft", "ArrowRight");
  expect(await field.inputValue()).toBe(allKeys);
  expect(await field.evaluate((node) => node === document.activeElement)).toBe(true);
  // The fragment is the row that was marked before.
  expect(page.url().split("#")[0]).toBe(`${site.url}/traces`);
  expect(await page.locator("tr[data-marked]").count()).toBe(1);
  expect(await page.locator("dialog").count()).toBe(0);
  expect(await page.locator("[data-live]").getAttribute("aria-pressed")).toBe("true");
  expect(await page.evaluate(() => JSON.stringify(document.documentElement.dataset))).toBe(before);
  await press(page, "Escape", "Escape", "m", "?");
  expect(await page.locator("dialog[data-help]").count()).toBe(1);
  // The help stands over the page: a key below it waits, and ? closes it as it opened it.
  await press(page, "j", "m", "c");
  expect(page.url().split("#")[0]).toBe(`${site.url}/traces`);
  await press(page, "?");
  await page.locator("dialog").waitFor({ state: "detached" });
});

test("Turn: j k ← → move, collapse and expand, Enter goes beside and Escape back", async () => {
  const page = await openTurn(brokenRoot);
  await page.locator("#row-0").focus();
  await press(page, "j", "j");
  expect(await focusedId(page)).toBe("row-2");
  await press(page, "k", "k", "k");
  expect(await focusedId(page)).toBe("row-0");
  await press(page, "ArrowLeft");
  expect(await page.locator("#row-0").getAttribute("aria-expanded")).toBe("false");
  expect(await page.locator("#row-1").count()).toBe(0);
  await press(page, "ArrowRight");
  expect(await page.locator("#row-0").getAttribute("aria-expanded")).toBe("true");
  await press(page, "ArrowRight");
  expect(await focusedId(page)).toBe("row-1");
  await press(page, "Enter");
  expect(await page.locator("[data-panel]").evaluate((it) => it === document.activeElement)).toBe(
    true,
  );
  const event = await page.locator("#row-1").getAttribute("data-event");
  expect(await page.locator("[data-panel-body]").innerText()).toContain(event);
  await press(page, "Escape");
  expect(await focusedId(page)).toBe("row-1");
});

test("Turn: [ ] step through the findings, u to the missing parent, e to the evidence", async () => {
  const root = "c".repeat(32);
  const page = await openTurn(root);
  const stepped: string[] = [];
  for (const key of ["]", "]", "]", "[", "["]) {
    await press(page, key);
    stepped.push(await focusedEvent(page));
  }
  const [one, two] = ["c-early:result", "c-late:result"];
  expect(stepped).toEqual([one, two, one, two, one]);
  await press(page, "e");
  const raw = await page.locator("[data-panel-body] pre").first().innerText();
  expect(JSON.parse(raw)).toMatchObject({ event_id: one, root_trace_id: root });
  await press(page, "e");
  expect(await page.locator("[data-panel-body] pre.code").count()).toBe(0);
  await press(page, "u");
  expect(await page.locator(".wf-row:focus").innerText()).toContain("missing parent");
});

test("Turn: m marks the turn of the page, c compares two, / finds in it", async () => {
  const page = await openTurn("c".repeat(32));
  await press(page, "m");
  expect(await page.locator("[data-marks]").innerText()).toContain("1 turn marked");
  await page.goto(`${site.url}/traces/${"d".repeat(32)}`);
  await page.locator("body[data-ready]").waitFor();
  await press(page, "?");
  const help = await page.locator("dialog[data-help]").innerText();
  for (const words of [
    "Next row",
    "Collapse, or parent",
    "Expand, or child",
    "Next finding",
    "Previous finding",
    "Next missing parent",
    "Raw evidence",
    "Mark the turn",
    "Incidents",
  ]) {
    expect(help).toContain(words);
  }
  await press(page, "Escape");
  // Until the dialog has gone, keys are its own.
  await page.locator("dialog").waitFor({ state: "detached" });
  await press(page, "m");
  expect(await page.locator("[data-marks]").innerText()).toContain("2 turns marked");
  await Promise.all([page.waitForURL(/\/traces\/compare\?/), press(page, "c")]);
  const query = new URL(page.url()).searchParams;
  const compared = ["baseline_root", "candidate_root"].map((name) => query.get(name));
  expect(new Set(compared)).toEqual(new Set(["c".repeat(32), "d".repeat(32)]));
  await page.goto(`${site.url}/traces/${brokenRoot}`);
  await page.locator("body[data-ready]").waitFor();
  await page.locator("[data-wf-find]:not([hidden])").waitFor();
  await press(page, "/");
  expect(
    await page.evaluate(() => document.activeElement?.closest("[data-wf-find]")),
  ).not.toBeNull();
  // A page without a box of its own leads to the filter of the turns.
  await page.goto(`${site.url}/settings`);
  await page.locator("[data-switches]:not([hidden])").waitFor();
  await Promise.all([page.waitForURL(/\/traces#filter$/), press(page, "/")]);
  await page.waitForFunction(
    () => document.activeElement === document.querySelector("[data-filter] [role=combobox]"),
  );
});

test("a bracket that a keyboard makes with AltGr is a bracket", async () => {
  const page = await openTurn(brokenRoot);
  const send = (altGraph: boolean): Promise<void> =>
    page.evaluate((modifierAltGraph) => {
      const modifiers = { ctrlKey: true, altKey: true, modifierAltGraph };
      const event = new KeyboardEvent("keydown", { key: "]", bubbles: true, ...modifiers });
      document.body.dispatchEvent(event);
    }, altGraph);
  await send(false);
  expect(await focusedEvent(page)).toBe("");
  await send(true);
  expect(await focusedEvent(page)).not.toBe("");
});

test("/ finds the box of Find behind the hidden field of a session", async () => {
  const token = "a-token-q7KxZt4Wm9Rc2Yd8";
  const guarded = await ownSite({ TURNPROOF_UI_AUTH_TOKEN: token });
  const page = await visit("/traces/find", wide, { on: guarded });
  await page.locator("input[type=password]").fill(token);
  await Promise.all([page.waitForURL(/\/traces\/find/), page.keyboard.press("Enter")]);
  await page.locator("input[data-csrf]").waitFor({ state: "attached" });
  await page.locator("[data-switch=theme]").waitFor({ state: "visible" });
  await press(page, "/");
  const focused = await page.evaluate(() => document.activeElement?.getAttribute("name") ?? "");
  expect(focused).toBe("id");
});
