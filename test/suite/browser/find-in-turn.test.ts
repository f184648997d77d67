/**
 * @module Finding within a turn, by the keyboard alone: ten thousand rows of which few are in the
 * document, every match in its place, only matches with what is above them, and a link that keeps
 * it all.
 */
import { beforeAll, expect, test } from "vitest";
import type { TurnEvent } from "@turnproof/evidence";
import type { Page } from "playwright-core";

import { brokenRoot, brokenTrace } from "./broken-trace.ts";
import { expectSoundInEveryLook } from "./every-look.ts";
import { openedSite } from "./opened-site.ts";

const root = "7".repeat(32);
const size = 10_000;
/** Calls of the tool that is looked for; every one stands under a call of its own. */
const searches = [777, 2_345, 9_998] as const;

function call(index: number): TurnEvent {
  const startMs = Date.parse("2026-11-21T12:00:00.000Z") + index * 3;
  const tool = searches.some((at) => at === index);
  return {
    schema_version: 3,
    event_id: `w-${index}:result`,
    event_kind: index === 0 ? "turn" : tool ? "tool_call" : "model_call",
    operation: index === 0 ? "invoke_agent wide" : "chat",
    phase: "result",
    status: index === 777 ? "error" : "success",
    timestamp: new Date(startMs + 40).toISOString(),
    started_at: new Date(startMs).toISOString(),
    duration_ms: 40,
    span_id: `w-${index}`,
    ...(index === 0 ? {} : { parent_span_id: tool ? `w-${index - 1}` : "w-0" }),
    application_id: "desk",
    agent_id: "wide",
    user_id: "usr_wide",
    thread_id: "thr_wide",
    turn_id: "turn_wide",
    root_trace_id: root,
    attributes: tool ? { tool_name: "web search" } : { model: "atlas-2", input_tokens: index },
  };
}

const { site, visit } = openedSite();

beforeAll(async () => {
  await site.put(Array.from({ length: size }, (_, index) => call(index)));
  await site.put(brokenTrace);
});

async function open(path: string): Promise<Page> {
  const page = await visit(path);
  await page.locator("body[data-ready]").waitFor();
  return page;
}

const count = (page: Page, text: string): Promise<void> =>
  page.locator("[data-find-count]", { hasText: text }).waitFor();
const selected = (page: Page): Promise<string | null> =>
  page.locator(".wf-row[aria-selected=true]").getAttribute("data-event");

async function request(page: Page, text: string): Promise<void> {
  await page.keyboard.press("f");
  await page.keyboard.type(text);
}

test("matches among 10,000 rows are stepped through from the box and from the rows", async () => {
  const page = await open(`/traces/${root}`);
  await request(page, 'tool:"web search"');
  await count(page, "3 matches");
  const events = searches.map((at) => `w-${at}:result`);
  for (const [index, event] of [...events, events[0]].entries()) {
    await page.keyboard.press("Enter");
    await count(page, `${(index % 3) + 1} of 3`);
    expect(await selected(page)).toBe(event);
  }
  await page.keyboard.press("Shift+Enter");
  await count(page, "3 of 3");
  // The box kept the focus; Escape gives it to the row that stands out.
  await page.keyboard.press("Escape");
  const focused = page.locator(".wf-row:focus");
  expect(await focused.getAttribute("aria-label")).toMatch(/^web search, tool call, .*, match$/);
  await page.keyboard.press("N");
  expect(await focused.getAttribute("data-event")).toBe(events[1]);
  await page.keyboard.press("n");
  expect(await focused.getAttribute("data-event")).toBe(events[2]);
  expect(await page.locator(".wf-row").count()).toBeLessThanOrEqual(100);
});

test("only matches and what is above them, kept by the link, left by going elsewhere", async () => {
  const page = await open(`/traces/${root}`);
  await request(page, "web -status:error");
  await count(page, "2 matches");
  await page.locator("[data-find=only]").click();
  const rows = page.locator(".wf-row");
  const shown = ["w-0", "w-2344", "w-2345", "w-9997", "w-9998"].map((id) => `${id}:result`);
  const events = (): Promise<readonly (string | null)[]> =>
    rows.evaluateAll((all) => all.map((row) => row.getAttribute("data-event")));
  expect(await events()).toEqual(shown);
  expect(await page.locator(".wf-row[data-found]").count()).toBe(2);
  expect(await page.locator(".wf-row[tabindex='0']").count()).toBe(1);
  const link = page.url();
  expect(new URL(link).search).toBe("");
  const again = await open(link.slice(site.url.length));
  await count(again, "1 of 2");
  expect(
    await again
      .locator(".wf-row")
      .evaluateAll((all) => all.map((row) => row.getAttribute("data-event"))),
  ).toEqual(shown);
  // What a finding rests on is shown, though it was left out.
  await again.keyboard.press("]");
  expect(shown).not.toContain(await selected(again));
  expect(await again.locator("[data-find=only]").getAttribute("aria-pressed")).toBe("false");
  expect(again.url()).not.toContain("only");
});

/** Pixels of the minimap's left edge, where matches are marked. */
function edgeOf(page: Page): Promise<string> {
  return page.locator("canvas[data-minimap]").evaluate((node) => {
    const canvas = node as HTMLCanvasElement;
    const pen = canvas.getContext("2d");
    return String(pen?.getImageData(1, 0, 1, canvas.height).data);
  });
}

test("nothing found says so, a key that is none is looked for as text, clearing ends it", async () => {
  const page = await open(`/traces/${root}`);
  const edge = await edgeOf(page);
  await request(page, "w-5077:result");
  await count(page, "1 match");
  expect(await edgeOf(page)).not.toBe(edge);
  await page.keyboard.press("Escape");
  await request(page, "nonsense:1");
  await count(page, "No match in 10,000 rows; nonsense:1 was searched as text");
  expect(await page.locator("[data-find=next]").isDisabled()).toBe(true);
  await page.locator("[data-find=clear]").click();
  expect(await page.locator("[data-find-count]").innerText()).toBe("");
  expect(new URL(page.url()).hash).not.toContain("find=");
  expect(await page.locator(".wf-row[data-found]").count()).toBe(0);
  expect(await edgeOf(page)).toBe(edge);
});

test("the box completes keys, and values that this turn says", async () => {
  const page = await open(`/traces/${brokenRoot}`);
  await request(page, "to");
  const offers = page.locator("[role=option]");
  expect(await offers.allInnerTexts()).toEqual([expect.stringMatching(/^tool:/)]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  expect(await offers.allInnerTexts()).toEqual(["tool:search"]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await count(page, "1 match");
});

test("no violation of axe and nothing sideways in every look, found rows included", async () => {
  const page = await open(`/traces/${brokenRoot}#find=orphan&only=1`);
  await count(page, "2");
  await page.locator(".find-help summary").click();
  await expectSoundInEveryLook(page);
});
