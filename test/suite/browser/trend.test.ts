/**
 * @module How an agent's turns fare, as an operator reads it: bands over time for all of its turns,
 * what each release did, and the way from a release to what changed with it.
 */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";

import { turnEvents } from "../collector/desk.ts";
import { expectSoundInEveryLook } from "./every-look.ts";
import { openedSite, wide } from "./opened-site.ts";

const turns = 40;

// Of forty turns the later half is of a release whose tool fails.
const { visit } = openedSite({
  put: Array.from({ length: turns }, (_, n) => {
    const at = new Date(Date.UTC(2026, 10, 20, 0, n)).toISOString();
    const own = turnEvents({ root: `root-${n}`, at, user: "ann", agent: "desk", thread: "thr" });
    return own.map((event) => ({
      ...event,
      ...(event.event_kind === "tool_call" && n >= turns / 2
        ? { status: "error" as const, attributes: { tool_name: "search" } }
        : event.event_kind === "turn"
          ? { attributes: { service_version: n < turns / 2 ? "1.0.0" : "1.1.0" } }
          : {}),
    }));
  }).flat(),
});

/** Intervals with a bar of these tones: bars of one tone are one path. */
async function intervalsOf(page: Page, tones: string): Promise<ReadonlySet<number>> {
  const paths = await page
    .locator("#trend figure svg svg path")
    .evaluateAll(
      (all, wanted) =>
        all.flatMap((path) => (path.matches(wanted) ? [path.getAttribute("d") ?? ""] : [])),
      tones,
    );
  return new Set([...paths.join("").matchAll(/M([\d.]+)/g)].map(([, x]) => Math.floor(Number(x))));
}

test("the trend is of all turns, and a release leads to what changed with it", async () => {
  const page = await visit("/agents/desk?limit=10");
  await page.locator("[data-trend-extent]", { hasText: `All ${turns} turns` }).waitFor();
  expect(await page.locator("[data-window]").innerText()).toContain(`over ${turns} turns`);
  const slices = page.locator("#trend svg g");
  const shown = await slices.evaluateAll((all) =>
    all.reduce((sum, slice) => sum + Number((slice as SVGElement).dataset["turns"]), 0),
  );
  expect(shown).toBe(turns);
  // The judge may have looked at some of them by now.
  expect(await page.locator("#trend figure > svg").getAttribute("aria-label")).toMatch(
    /^40 turns over time in all: \d+ (unknown|unjudged)/,
  );
  // Each stretch with turns shows their verdicts; the release that came is a line with its name.
  const withTurns = await slices.evaluateAll((all) =>
    all.flatMap((slice, at) => ((slice as SVGElement).dataset["turns"] === "0" ? [] : [at])),
  );
  const verdicts = await intervalsOf(page, ".verdict, .unknown-edge");
  expect(withTurns.filter((at) => !verdicts.has(at))).toEqual([]);
  expect(await page.locator("#trend figure line.release").count()).toBe(1);
  expect(await page.locator("#trend figure text", { hasText: "1.1.0" }).count()).toBe(1);
  // Half of the turns' tools failed: the stretches from the release on show it, the others do not.
  const troubled = await intervalsOf(page, ".troubled");
  expect(troubled.size).toBe(turns / 2);
  expect(Math.min(...troubled)).toBeGreaterThanOrEqual(Math.max(...withTurns) - turns / 2);
  const rows = page.locator("[data-releases] tbody tr");
  expect(await rows.allInnerTexts()).toEqual([
    expect.stringMatching(/^1\.0\.0\s[\s\S]*\s20\s[\s\S]*\s0 %\s+15\s/),
    expect.stringMatching(/^1\.1\.0\s[\s\S]*\s20\s[\s\S]*\s100 %\s+15\s/),
  ]);
  await expectSoundInEveryLook(page);
  const change = rows.nth(1).locator("a", { hasText: "with 1.0.0" });
  await change.focus();
  await Promise.all([page.waitForURL(/\/compare\/releases/), page.keyboard.press("Enter")]);
  const query = new URL(page.url()).searchParams;
  expect([query.get("a"), query.get("b")]).toEqual(["release:1.0.0", "release:1.1.0"]);
  expect(await page.locator("#changed").innerText()).toMatch(/all calls: failed\s+0 % → 100 %/);
  const pair = page.locator("#pairs a").first();
  await pair.focus();
  await Promise.all([page.waitForURL(/baseline_root=/), page.keyboard.press("Enter")]);
  const roots = new URL(page.url()).searchParams;
  expect([roots.get("baseline_root"), roots.get("candidate_root")]).toEqual(["root-19", "root-20"]);
});

test("pointing tells a stretch in words; a brush narrows the page to it", async () => {
  const page = await visit("/agents/desk");
  await page.locator("[data-trend-extent]", { hasText: "All" }).waitFor();
  const box = await page.locator("#trend figure > svg").boundingBox();
  if (box === null) throw new Error("no chart");
  await page.mouse.move(box.x + box.width * 0.9, box.y + 20);
  expect(await page.locator("#trend [data-readout]").innerText()).toMatch(
    /turns?: \d+ (unknown|unjudged).*; \d+ of \d+ tool results not clean; 15 tokens a turn/,
  );
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.99, box.y + 30);
  await Promise.all([page.waitForURL(/start_time=/), page.mouse.up()]);
  expect(new URL(page.url()).pathname).toBe("/agents/desk");
});

test("without script the trend is of all turns of the filter, too", async () => {
  const page = await visit("/agents/desk?limit=10", { ...wide, script: false });
  expect(await page.locator("[data-trend-extent]").innerText()).toBe(`All ${turns} turns`);
  expect(await page.locator("#trend figure > svg").getAttribute("aria-label")).toMatch(
    /^40 turns over time in all/,
  );
  const releases = page.locator("[data-releases] tbody tr");
  expect(await releases.allInnerTexts()).toEqual([
    expect.stringMatching(/^1\.0\.0\s[\s\S]*\s20\s/),
    expect.stringMatching(/^1\.1\.0\s[\s\S]*\s20\s/),
  ]);
  const narrowed = "/agents/desk?start_time=2026-11-20T00:30:00Z&end_time=2026-11-20T00:35:00Z";
  const few = await visit(narrowed, { ...wide, script: false });
  expect(await few.locator("[data-trend-extent]").innerText()).toMatch(/^All [56] turns$/);
});

test("an agent that nobody saw is not said to be seen, and has no trend", async () => {
  const page = await visit("/agents/nobody");
  const words = await page.locator("main").innerText();
  expect(words).toContain("not mounted");
  expect(words).not.toMatch(/\bseen\b|left evidence/);
  expect(await page.locator("#trend").count()).toBe(0);
});
