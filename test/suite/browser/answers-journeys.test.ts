/**
 * @module An operator's questions over many turns by clicks and keys, in few steps: which tool
 * fails most and in which turns, what an agent's models cost and what of it is unknown; and the
 * twelve questions of the week's guide, at rest and under load. Each number shown equals a count of
 * the raw evidence by another path.
 */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { TurnEvent, TurnRow } from "@turnproof/evidence";
import type { Locator, Page } from "playwright-core";

import { readEvidence } from "../../apps/week/evidence.ts";
import { slowSeconds, weekQuestions } from "../../apps/week/questions.ts";
import type { OperatorQuestion, QuestionName } from "../../apps/week/questions.ts";
import { parcelThread } from "../../apps/week/incidents.ts";
import { orderDesk } from "../../apps/week/cast.ts";
import { sendWeek } from "../../apps/week/week.ts";
import type { Week } from "../../apps/week/week.ts";
import { durationText } from "../../../collector/src/ui/display/figures.ts";
import { relook, sidewaysOverflow } from "./browser.ts";
import { listReady, pageReady, press } from "./keys.ts";
import { openedSite } from "./opened-site.ts";
import { openRepeater } from "./repeated-requests.ts";
import type { Repeater } from "./repeated-requests.ts";

const turns = 240;
const prices = join(mkdtempSync(join(tmpdir(), "turnproof-prices-")), "prices.json");
const pricedModels = ["gpt-4o-mini", "gpt-4.1-mini", "gpt-4.1", "claude-sonnet-4-5"];
const flat = { input_mtok: 2.5, output_mtok: 10 };
writeFileSync(prices, JSON.stringify(pricedModels.map((model) => ({ model, prices: flat }))));

const { site, visit } = openedSite({ env: { TURNPROOF_PRICES: prices } });

const json = async <T>(path: string): Promise<T> =>
  (await (await fetch(`${site.url}${path}`)).json()) as T;

let week: Week;
let repeater: Repeater;
let events: readonly TurnEvent[];
let rows: readonly TurnRow[];

beforeAll(async () => {
  repeater = await openRepeater(site.url);
  const endMs = Date.now() - 3_600_000;
  week = await sendWeek({ endpoint: repeater.url, endMs, turns, seed: "answers" });
  await vi.waitFor(async () => {
    const list = await json<{ items: TurnRow[]; window_complete: boolean }>(
      "/traces/turns.json?limit=1000",
    );
    // Complete: everything that was sent is readable.
    const unjudged = list.items.filter(({ verdict }) => verdict === null).length;
    const state = [list.window_complete, list.items.length >= turns, unjudged];
    expect(state).toEqual([true, true, 0]);
    rows = list.items;
  }, 60_000);
  // The other path: the events of every root, as its own page reads them.
  const read = await Promise.all(
    rows.map(({ root_trace_id: root = "" }) =>
      json<{ events: TurnEvent[] }>(`/traces/${root}.json`),
    ),
  );
  const all = read.flatMap((one) => one.events);
  events = [...new Map(all.map((one) => [one.event_id, one])).values()];
}, 180_000);

afterAll(() => repeater.close());

const toolCalls = (): readonly TurnEvent[] =>
  events.filter(({ event_kind: kind, phase }) => kind === "tool_call" && phase === "result");

/** The cells of the row of a value. */
async function cellsOf(page: Page, value: string): Promise<readonly string[]> {
  const row = page.locator("table.grid tbody tr").filter({
    has: page.getByRole("link", { name: value, exact: true }),
  });
  return row.locator("td").allInnerTexts();
}

test("which tool gave no result, and in which turns: two keys and two clicks", async () => {
  const page = await visit("/traces");
  await listReady(page);
  await Promise.all([page.waitForURL(/\/tools$/), press(page, "g", "o")]);
  const empty = Map.groupBy(
    toolCalls().filter(({ attributes: of }) => of.tool_outcome === "empty"),
    ({ attributes: of }) => of.tool_name ?? "",
  );
  const [name, some] = [...empty].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? ["", []];
  const calls = toolCalls().filter(({ attributes: of }) => of.tool_name === name).length;
  expect(some.length).toBeGreaterThan(0);
  await page.getByRole("link", { name: "Empty" }).click();
  await page.waitForURL(/sort=empty/);
  const cells = await cellsOf(page, name);
  expect(cells[1]).toBe(String(calls));
  expect(cells[3]).toBe(`${Number(((some.length / calls) * 100).toFixed(1))} %`);
  const cell = page.locator(`a[title^="${some.length} of ${calls} empty"]`).first();
  await Promise.all([page.waitForURL(/\/traces\?/), cell.click()]);
  const requested = new Set(some.map(({ root_trace_id: root }) => root));
  await listReady(page);
  expect(await page.locator("[data-rows] tr").count()).toBe(requested.size);
  expect(await page.locator(".chip.term").innerText()).toContain(`call:tool:${name}:empty`);
});

test("what the models cost, and what is unknown: two keys and a click", async () => {
  const page = await visit("/traces");
  await listReady(page);
  await Promise.all([page.waitForURL(/\/cost$/), press(page, "g", "p")]);
  const models = events.filter(
    ({ event_kind: kind, phase }) => kind === "model_call" && phase === "result",
  );
  const priced = models.filter(({ attributes: of }) =>
    pricedModels.includes(of.response_model ?? of.model ?? ""),
  );
  const usd = (some: readonly TurnEvent[]): number =>
    some.reduce(
      (sum, { attributes: of }) =>
        sum + ((of.input_tokens ?? NaN) * 2.5 + (of.output_tokens ?? NaN) * 10) / 1e6,
      0,
    );
  const text = (amount: number): string =>
    amount >= 1 ? `$${amount.toFixed(2)}` : `$${Number(amount.toPrecision(3))}`;
  const tiles = page.locator(".tile");
  expect(await tiles.nth(0).innerText()).toContain(text(usd(priced)));
  expect(await tiles.nth(0).innerText()).toContain("?");
  expect(await tiles.nth(1).innerText()).toContain(String(priced.length));
  expect(await tiles.nth(3).innerText()).toContain(String(models.length - priced.length));
  await page.getByRole("navigation", { name: "Costs by" }).getByText("Agent").click();
  await page.waitForURL(/by=agent/);
  for (const [agent, own] of Map.groupBy(models, ({ agent_id: id }) => id ?? "")) {
    const paid = own.filter((one) => priced.includes(one));
    const unpaid = own.filter((one) => !priced.includes(one));
    const turns = new Set(unpaid.map(({ root_trace_id: root, turn_id: id }) => `${root} ${id}`));
    const unknown = `in ${turns.size} turn${turns.size === 1 ? "" : "s"}`;
    const cells = await cellsOf(page, agent);
    expect([agent, cells[3], cells[4]?.replace(/\s+/g, " ")]).toEqual([
      agent,
      String(own.length),
      unpaid.length === 0 ? "0" : `${unpaid.length} ${unknown}`,
    ]);
    if (paid.length > 0) expect(cells[1]).toContain(text(usd(paid)));
    else expect(cells[1]).toContain("?");
  }
});

/** Clicks and keys of a journey: a typed text is one. */
class Hand {
  steps = 0;
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async keys(to: RegExp, ...keys: readonly string[]): Promise<void> {
    this.steps += keys.length;
    await Promise.all([this.page.waitForURL(to), press(this.page, ...keys)]);
    await pageReady(this.page);
  }

  async click(name: string | RegExp, to: RegExp): Promise<void> {
    this.steps += 1;
    const link = this.page.locator("main, .bar").getByRole("link", { name, exact: true });
    await Promise.all([this.page.waitForURL(to), link.first().click()]);
    await pageReady(this.page);
  }

  async filter(text: string): Promise<void> {
    this.steps += 3;
    await press(this.page, "/");
    await this.page.keyboard.type(`${text} `);
    await Promise.all([this.page.waitForURL(/\?/), press(this.page, "Enter")]);
    await listReady(this.page);
  }

  text(selector: string): Promise<string> {
    return this.page.locator(selector).first().innerText();
  }
}

/** Turns with a value of a facet, counted over all; 0 where it does not show. */
async function facet(page: Page, key: string, value: string): Promise<string> {
  await page.locator("[data-facet-extent]", { hasText: /\d turns?/ }).waitFor();
  const link = page.locator(`[data-facet=${key}] a`).filter({ hasText: value }).first();
  return (await link.count()) === 0 ? "0" : (await facetParts(link)).count;
}

/** The value of a facet's link and its count, as they are shown. */
async function facetParts(
  link: Locator,
): Promise<{ readonly name: string; readonly count: string }> {
  const [name = "", count = ""] = (await link.innerText()).split("\n");
  return { name, count };
}

/** All turns of the list's filter, as the page reports them; a page of it has fewer. */
async function turnsFound(page: Page): Promise<number> {
  const extent = page.locator("[data-facet-extent]", { hasText: /\d turns?/ });
  return Number(/[\d,]+/.exec(await extent.innerText())?.[0].replaceAll(",", ""));
}

async function releases(hand: Hand): Promise<void> {
  await hand.keys(/\/compare$/, "g", "c");
  await hand.click("Two releases", /\/compare\/releases/);
  await hand.click(new RegExp(`^${orderDesk.agentId} `), /agent_id=/);
}

/** The cells of the first row of a table with this text. */
async function rowWith(hand: Hand, text: string | RegExp): Promise<readonly string[]> {
  const row = hand.page.locator("table.grid tbody tr").filter({ hasText: text }).first();
  return (await row.locator("td").allInnerTexts()).map((cell) => cell.trim());
}

/** How each question is answered on the pages; the shown answer. */
const ways: Readonly<Record<QuestionName, (hand: Hand) => Promise<string>>> = {
  "empty tool": async (hand) => {
    await hand.keys(/\/tools$/, "g", "o");
    await hand.click("Empty", /sort=empty/);
    const cells = await rowWith(hand, /./);
    return `${cells[0]}: ${cells[3]} of ${cells[1]} calls`;
  },
  "most called model": async (hand) => {
    await hand.keys(/\/tools$/, "g", "o");
    await hand.click("Models", /kind=model/);
    const cells = await rowWith(hand, /./);
    return `${cells[0]}: ${cells[1]} calls`;
  },
  verdicts: async ({ page }) =>
    `${await facet(page, "verdict", "partial")} partial, ${await facet(page, "verdict", "failed")} failed`,
  "agent with errors": async (hand) => {
    await hand.filter("has:error");
    const turns = await turnsFound(hand.page);
    if (turns === 0) return "0 turns, 0 of ";
    const { name, count } = await facetParts(hand.page.locator("[data-facet=agent] a").first());
    return `${turns} turns, ${count} of ${name}`;
  },
  "release duration": async (hand) => {
    await releases(hand);
    const cells = await rowWith(hand, /^\s*p50/);
    return cells
      .slice(1, 3)
      .map((cell) => cell.replace(/ \[.*$/s, ""))
      .join(" and ");
  },
  "release model": async (hand) => {
    await releases(hand);
    const cells = await rowWith(hand, "gpt-4.1-mini");
    return cells
      .slice(1, 3)
      .map((cell) => /^\d+ of \d+/.exec(cell)?.[0])
      .join(" and ");
  },
  storm: async (hand) => {
    await hand.keys(/\/incidents$/, "g", "i");
    const cells = await rowWith(hand, "search_policies: fallback or limited");
    return `${cells[3]} turns from ${cells[5]} to ${cells[6]}`;
  },
  "got nothing": async (hand) => {
    await hand.filter(`thread:${parcelThread}`);
    const partial = hand.page.locator("[data-rows] tr", { hasText: "partial" });
    return `${await turnsFound(hand.page)} turns, ${await partial.count()} partial`;
  },
  losses: async (hand) => {
    await hand.keys(/\/health$/, "g", "h");
    return hand.text("#losses .answer");
  },
  cache: async ({ page }) => `${await facet(page, "cache", "hit")} turns`,
  "slow turns": async (hand) => {
    await hand.filter(`latency:>${slowSeconds}s`);
    return `${await turnsFound(hand.page)} turns`;
  },
  "slowest model": async (hand) => {
    await hand.keys(/\/tools$/, "g", "o");
    await hand.click("Models", /kind=model/);
    await hand.click("p95", /sort=p95_ms/);
    const cells = await rowWith(hand, /./);
    return `${cells[0]}: ${cells[7]}`;
  },
};

/** Every question on a page of its own, by at most five steps. */
async function answered(questions: readonly OperatorQuestion[]): Promise<readonly string[]> {
  const shown: string[] = [];
  const page = await visit("/traces");
  for (const { name } of questions) {
    await page.goto(`${site.url}/traces`);
    await listReady(page);
    const hand = new Hand(page);
    shown.push(`${name}: ${await ways[name](hand)}`);
    expect([name, hand.steps <= 5]).toEqual([name, true]);
  }
  return shown;
}

test("twelve questions in at most five steps each, at rest and while the week is sent again", async () => {
  const { pause_ms: pauseMs } = await json<{ pause_ms: number }>("/traces/incidents.json");
  const evidence = await readEvidence(site.url);
  const questions = weekQuestions(evidence, week, { duration: durationText, pauseMs });
  const truth = questions.map(({ name, answer }) => `${name}: ${answer}`);
  expect(await answered(questions)).toEqual(truth);
  const again = answered(questions);
  // At least one for each question.
  expect(await repeater.during(again)).toBeGreaterThanOrEqual(questions.length);
  expect(await again).toEqual(truth);
}, 240_000);

/** Pages with tables of figures. */
const figures = [
  "/agents",
  "/agents/order-desk",
  "/threads",
  "/cost?by=turn",
  "/tools",
  "/traces/incidents",
  `/traces/find?id=${parcelThread}`,
  "/traces/compare/releases",
  "/traces/health",
];
/** Pages that are held against the width of the window. */
const bounded = [
  "/cost",
  "/cost?by=turn",
  "/tools",
  "/tools?kind=model&by=agent",
  "/traces/incidents",
  "/traces/compare/releases",
];

// A page of the week costs its server more than all looks at it, so it is loaded once.
test.each([...new Set([...figures, ...bounded])])(
  "%s fits in windows of four widths",
  async (path) => {
    const page = await visit(path, { width: 1440, theme: "light" });
    for (const width of [1440, 900, 390, 320]) {
      await relook(page, { width, theme: "light" });
      if (figures.includes(path)) {
        const boxes = page.locator(".scroll:has(> .stacks)");
        expect([width, await boxes.count()]).not.toEqual([width, 0]);
        const over = await boxes.evaluateAll((all) =>
          all
            .filter((box) => box.scrollWidth > box.clientWidth)
            .map((box) => box.getAttribute("aria-label")),
        );
        expect([width, over]).toEqual([width, []]);
      }
      if (bounded.includes(path) && width > 320) {
        expect([width, await sidewaysOverflow(page)]).toEqual([width, 0]);
      }
    }
  },
);

test("a row that is a block on a phone names its figures and stays a row of a table", async () => {
  const page = await visit("/threads", { width: 320, theme: "light" });
  const row = page.getByRole("table", { name: "Threads" }).getByRole("row").nth(1);
  const names = await row
    .getByRole("cell")
    .evaluateAll((cells) => cells.map((cell) => getComputedStyle(cell, "::before").content));
  expect(names).toContain('"Turns "');
  expect(names.filter((name) => name === "none")).toHaveLength(2);
});
