/**
 * @module Budgets bench: every page over a week of turns in a real browser: elements, code as it
 * travels, what the page's own thread does until it is quiet, and the first row of the list; and a
 * turn of 10,000 spans with random ids: bytes, and frames while a wheel turns.
 * `npm run build && node test/bench/pages/budgets/run.ts [turns of the list]`, as the other bench
 * beside it. With turns, the list has so many, straight in the ledger. Exits with 1 where a budget
 * is exceeded. Prints the load beside the times: they are valid on a quiet machine only.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";

import { filesystem } from "@turnproof/store";

import { orderDesk } from "../../../apps/week/cast.ts";
import { parcelThread } from "../../../apps/week/incidents.ts";
import { sendWeek } from "../../../apps/week/week.ts";
import { threadMs } from "../../../suite/browser/big-trace.ts";
import { openBrowser, openSite } from "../../../suite/browser/browser.ts";
import type { Site } from "../../../suite/browser/browser.ts";
import { codeBytes, travelBytes } from "../../../suite/browser/page-weight.ts";
import { sendRandomTurn } from "../../../suite/browser/random-turn.ts";
import { turnsBetween } from "../../ledger/generate.ts";
import { framesOf } from "../wheel.ts";

const budgets = {
  elements: 1_500,
  code_kb: 60,
  thread_ms: 300,
  first_row_ms: 400,
  turn_kb: 250,
  p95_ms: 20,
};
const [turnsGiven] = process.argv.slice(2).map(Number);

const browser = await openBrowser();
let exceeded = false;

function print(name: string, figures: Readonly<Record<string, number>>): void {
  const words = Object.entries(figures).map(([figure, value]) => {
    const most = budgets[figure as keyof typeof budgets];
    const over = most !== undefined && value > most && !exempt(name, figure);
    exceeded ||= over;
    return `${figure} ${Math.round(value * 10) / 10}${over ? ` OVER ${most}` : ""}`;
  });
  console.log(`${name.padEnd(26)} ${words.join(", ")} (load ${loadavg()[0]?.toFixed(1)})`);
}

/** Elements are budgeted on the home and an agent's page, the first row where there are many. */
function exempt(name: string, figure: string): boolean {
  if (figure === "first_row_ms") return !name.endsWith(" turns");
  return figure === "elements" && name !== "/traces" && !name.startsWith("/agents/");
}

async function look(site: Site, path: string, name = path): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  // The browser has started and drawn something.
  await page.goto(`${site.url}/favicon.ico`);
  const busy = await threadMs(page);
  const began = performance.now();
  await page.goto(`${site.url}${path}`, { waitUntil: "commit" });
  const row = page.locator("tr[data-key], tbody tr, .card, main > *").first();
  await row.waitFor();
  const firstRow = performance.now() - began;
  await page.waitForLoadState("networkidle").catch(() => undefined);
  const thread = await busy();
  print(name, {
    elements: await page.locator("*").count(),
    code_kb: (await codeBytes(page)) / 1_000,
    thread_ms: thread,
    first_row_ms: firstRow,
  });
  await context.close();
}

async function randomTurn(site: Site): Promise<void> {
  const root = await sendRandomTurn(site.url, 10_000);
  const path = `/traces/${root}`;
  await expectTurn(site, root);
  const bytes =
    (await travelBytes(`${site.url}${path}`)) +
    (await travelBytes(`${site.url}${path}.json?form=columns`));
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${site.url}${path}`);
  await page.locator("body[data-ready]").waitFor({ timeout: 60_000 });
  const frames = await framesOf(page, 4_000);
  const at = (share: number): number => frames[Math.floor((frames.length - 1) * share)] ?? NaN;
  print("10,000 spans, random ids", { turn_kb: bytes / 1_000, p50_ms: at(0.5), p95_ms: at(0.95) });
  await context.close();
}

/** Waits until the whole turn is readable. */
async function expectTurn(site: Site, root: string): Promise<void> {
  for (let tries = 0; tries < 120; tries += 1) {
    const answer = await fetch(`${site.url}/traces/${root}.json`);
    const { events } = (await answer.json()) as { readonly events?: readonly unknown[] };
    if (events?.length === 10_000) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error("the turn did not arrive whole");
}

/** The list over a ledger of so many turns, each of a dozen events. */
async function largeList(turns: number): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "turnproof-bench-budgets-"));
  const { evidence } = await filesystem({ directory });
  for (let from = 0; from < turns; from += 5_000) {
    await evidence.ledger.putTurns(turnsBetween(from, Math.min(turns, from + 5_000)));
    if (from % 100_000 === 0) console.log(`${from} turns written`);
  }
  const site = await openSite({}, { store: evidence });
  for (let round = 0; round < 3; round += 1) {
    await look(site, "/traces", `/traces, ${turns} turns`);
  }
  await site.close();
  rmSync(directory, { recursive: true, force: true });
}

try {
  if (turnsGiven !== undefined) await largeList(turnsGiven);
  else {
    const site = await openSite();
    await sendWeek({ endpoint: site.url, endMs: Date.now(), turns: 1_200, seed: "budgets" });
    const sides = `a=release:3.2.0&b=release:3.3.0&agent_id=${orderDesk.agentId}`;
    for (const path of [
      "/traces",
      `/agents/${orderDesk.agentId}`,
      "/agents",
      "/threads",
      `/threads/${parcelThread}`,
      "/tools",
      "/cost",
      "/graph",
      "/alerts",
      "/learning",
      "/memory",
      "/settings",
      "/traces/health",
      "/traces/incidents",
      "/traces/find",
      "/traces/compare",
      `/traces/compare/releases?${sides}`,
    ]) {
      await look(site, path);
    }
    await randomTurn(site);
    await site.close();
  }
} finally {
  await browser.close();
}
process.exitCode = exceeded ? 1 : 0;
