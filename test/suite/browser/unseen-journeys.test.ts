/**
 * @module The three journeys in a world made by chance from a seed, so that no page was fitted to
 * it: by keyboard alone, reading only what the page shows, against what its maker wrote down.
 */
import { beforeAll, expect, test, vi } from "vitest";
import type { Page } from "playwright-core";

import { sendWorld } from "../../apps/unseen/world.ts";
import type { Plot, World } from "../../apps/unseen/world.ts";
import { listReady, press, pressLater } from "./keys.ts";
import { openedSite } from "./opened-site.ts";

const seed = process.env["TURNPROOF_TEST_WORLD"] ?? "finch";
const journeyMsMax = 60_000;

/** The last verdict of each plot. */
const verdicts: { readonly [P in Plot | "fine"]: string } = {
  fine: "success",
  unconfirmed: "partial",
  refused: "failed",
  outdated: "partial",
  undelivered: "partial",
  unparsed: "failed",
  unsaved: "partial",
  foreign: "failed",
  rate_limited: "unknown",
  cut: "unknown",
  withheld: "unknown",
  empty: "unknown",
};

let world: World;

const { site, visit } = openedSite();

beforeAll(async () => {
  world = await sendWorld(site.url, seed);
  await vi.waitFor(
    async () => {
      for (const [root, plot] of world.turns) {
        const answer = await fetch(`${site.url}/traces/turns.json?root_trace_id=${root}`);
        const { items } = (await answer.json()) as {
          readonly items: readonly { readonly verdict: string | null }[];
        };
        // A turn that is looked at while it arrives is judged again when it is all there.
        expect([plot, items.map(({ verdict }) => verdict)]).toEqual([plot, [verdicts[plot]]]);
      }
    },
    { timeout: 200_000, interval: 500 },
  );
}, 300_000);

/** What the page must show of each way to end with nothing, and on which kind of event it rests. */
const answers: { readonly [P in Plot]: readonly [said: RegExp, evidence: RegExp] } = {
  unconfirmed: [/Delivery unconfirmed[\s\S]*nothing acknowledges it/, /^delivery\b/],
  refused: [/Delivery refused[\s\S]*its receiver refused it/, /^delivery\b/],
  outdated: [/Older version delivered[\s\S]*what stands now was not delivered/, /^delivery\b/],
  undelivered: [/Nothing delivered[\s\S]*no delivery is on record/, /^contract\b/],
  unparsed: [/Contract parsing failed/, /^contract\b/],
  unsaved: [/Artifact persistence unverified/, /^artifact\b/],
  // The action that made it has it as well, and is the earlier of the two.
  foreign: [/Artifact ownership unverified/, /^(artifact|application action)\b/],
  rate_limited: [
    /Model call wren-plain\s+ended in error: 429; the turn Finch failed because of it/,
    // The first finding is that the turn itself failed.
    /^(model|turn)/,
  ],
  cut: [/Answer cut[\s\S]*stopped at its length limit/, /^model call\b/],
  withheld: [/Answer withheld[\s\S]*by a filter or a refusal/, /^model call\b/],
  empty: [/Answer empty[\s\S]*not one token/, /^model call\b/],
};

/** From the home to the list of one thread. */
async function findThread(page: Page, thread: string): Promise<void> {
  await listReady(page);
  await press(page, "/");
  await page.keyboard.type(`thread:${thread} `);
  await Promise.all([page.waitForURL(/thread_id=/), press(page, "Enter")]);
  await listReady(page);
}

test("the world holds every way to end with nothing, and no other", async () => {
  expect([...world.nothing.keys()].toSorted()).toEqual(Object.keys(answers).toSorted());
  expect([...world.losses.values()].filter((lost) => lost === 0)).toEqual([]);
});

for (const plot of Object.keys(answers) as Plot[]) {
  test(`the customer of a thread got nothing, ${plot}: find it, open it, read why`, async () => {
    const reported = world.nothing.get(plot);
    if (reported === undefined) throw new Error("no such plot");
    const [stated, evidence] = answers[plot];
    const page = await visit("/traces");
    const began = performance.now();
    await findThread(page, reported.thread);
    const words = await page.locator("[data-rows] td.c-verdict").allInnerTexts();
    const counted = words.length === 1 ? "1 turn " : `${words.length} turns `;
    expect(await page.locator("[data-readout]").innerText()).toContain(counted);
    const wrong = words.findIndex((word) => word.includes(verdicts[plot]));
    expect(words.filter((word) => !word.includes("success"))).toHaveLength(1);
    for (let down = 0; down <= wrong; down += 1) await press(page, "j");
    await Promise.all([page.waitForURL(/\/traces\/[0-9a-f]{32}/), press(page, "Enter")]);
    await page.locator("body[data-ready]").waitFor();
    expect(page.url()).toContain(reported.root);
    expect(await page.locator("main").innerText()).toMatch(stated);
    // Agents are called by their name where they have one, and by their id where they have none.
    const agent = reported.service.startsWith("plain-") ? "Finch" : "counter";
    expect(await page.locator("h1").innerText()).toBe(`Turn of ${agent}`);
    const verdict = await page.locator(".verdict .sentence").innerText();
    expect(verdict).not.toMatch(/^\s*success/);
    await press(page, "]");
    const panel = await page.locator("[data-panel-body]").innerText();
    expect(panel).toMatch(evidence);
    expect(panel).toContain(reported.service);
    expect(performance.now() - began).toBeLessThan(journeyMsMax);
  });
}

test("what changed with the release: both releases, the call, the tools, what is open", async () => {
  const { thread, before, after, addedTools } = world.release;
  const page = await visit("/traces");
  const began = performance.now();
  await findThread(page, thread);
  await press(page, "j", "m", "j", "m");
  await page.locator("[data-marks]").waitFor();
  await Promise.all([page.waitForURL(/\/traces\/compare\?/), press(page, "c")]);
  await page.locator("body[data-ready]").waitFor();
  const [left, right] = await page.locator(".head").allInnerTexts();
  for (const [head, side] of [
    [left, before],
    [right, after],
  ] as const) {
    expect(head).toContain(side.version);
    expect(head).toContain(side.model);
  }
  // The call of another model is one that changed, and every tool that came is named.
  const rows = await page.locator("[data-op-body] [role=row]").allInnerTexts();
  const call = rows.filter((row) => row.includes("model call"));
  expect(call).toHaveLength(1);
  expect(call[0]).toMatch(/^\s*≠/);
  const only = rows.filter((row) => /^\s*[+−?]/.test(row));
  expect(only).toHaveLength(addedTools.length);
  for (const tool of addedTools) expect(only.join("\n")).toContain(tool);
  const figures = await page.locator("main").innerText();
  const count = (value: number): string => value.toLocaleString("en-US");
  expect(figures).toContain(`${count(before.tokens)} → ${count(after.tokens)}`);
  await press(page, "n");
  const open = page.locator("#not-established");
  expect(await open.evaluate((node) => node === document.activeElement)).toBe(true);
  expect(await open.innerText()).toContain("Whether the delivery of B arrived");
  expect(performance.now() - began).toBeLessThan(journeyMsMax);
});

test("are we losing telemetry: which service, how many, and who cannot say", async () => {
  const page = await visit("/traces");
  const began = performance.now();
  await listReady(page);
  // An operator who has to look for the second key.
  await press(page, "g");
  await Promise.all([page.waitForURL(/\/traces\/health/), pressLater(page, "h", 1_500)]);
  const losses = page.locator("#losses");
  const known = [...world.losses.values()].reduce((sum: number, lost) => sum + (lost ?? 0), 0);
  expect(await losses.locator(".answer").innerText()).toContain(`at least ${known} events`);
  for (const [service, lost] of world.losses) {
    const row = await losses.locator("tr", { hasText: service }).innerText();
    expect(row).toMatch(lost === null ? /\bunknown\b/ : new RegExp(`known ${lost}\\b`));
  }
  expect(performance.now() - began).toBeLessThan(journeyMsMax);
});
