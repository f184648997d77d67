/**
 * @module An operator's questions over many turns by clicks and keys, in few steps: which tool fails
 * most and in which turns, what an agent's models cost and what of it is unknown. Each number shown
 * equals a count of the turns by another path.
 */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { beforeAll, expect, test, vi } from "vitest";
import type { TurnEvent, TurnRow } from "@turnproof/evidence";
import type { Page } from "playwright-core";

import { tellWeek } from "../../apps/week/week.ts";
import { listReady, press } from "./keys.ts";
import { openedSite } from "./opened-site.ts";

const turns = 240;
const prices = join(mkdtempSync(join(tmpdir(), "turnproof-prices-")), "prices.json");
writeFileSync(
  prices,
  JSON.stringify([{ model: "atlas-large-2", prices: { input_mtok: 2.5, output_mtok: 10 } }]),
);

const { site, visit } = openedSite({ env: { TURNPROOF_PRICES: prices } });

const json = async <T>(path: string): Promise<T> =>
  (await (await fetch(`${site.url}${path}`)).json()) as T;

let events: readonly TurnEvent[];
let rows: readonly TurnRow[];

beforeAll(async () => {
  await tellWeek({ endpoint: site.url, endMs: Date.now() - 3_600_000, turns, seed: "answers" });
  await vi.waitFor(async () => {
    const list = await json<{ items: TurnRow[]; window_complete: boolean }>(
      "/traces/turns.json?limit=1000",
    );
    // Complete: everything that was sent is readable.
    expect([list.window_complete, list.items.length >= turns]).toEqual([true, true]);
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
  const asked = new Set(some.map(({ root_trace_id: root }) => root));
  await listReady(page);
  expect(await page.locator("[data-rows] tr").count()).toBe(asked.size);
  expect(await page.locator(".chip.term").innerText()).toContain(`call:tool:${name}:empty`);
});

test("what the models cost, and what is unknown: two keys and a click", async () => {
  const page = await visit("/traces");
  await listReady(page);
  await Promise.all([page.waitForURL(/\/cost$/), press(page, "g", "p")]);
  const models = events.filter(
    ({ event_kind: kind, phase }) => kind === "model_call" && phase === "result",
  );
  const priced = models.filter(
    ({ attributes: of }) => (of.response_model ?? of.model) === "atlas-large-2",
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
    const cells = await cellsOf(page, agent);
    expect([agent, cells[3], cells[4]]).toEqual([
      agent,
      String(own.length),
      String(own.length - paid.length),
    ]);
    if (paid.length > 0) expect(cells[1]).toContain(text(usd(paid)));
    else expect(cells[1]).toContain("?");
  }
});

test.each([1440, 900, 390])("nothing is wider than a window of %i pixels", async (width) => {
  for (const path of ["/cost", "/cost?by=turn", "/tools", "/tools?kind=model&by=agent"]) {
    const page = await visit(path, { width, theme: "light" });
    const over = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect([path, over <= 0]).toEqual([path, true]);
  }
});
