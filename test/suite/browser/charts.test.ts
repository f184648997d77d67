/**
 * @module What is drawn over the turns: how many, or how long they took. Either can be pointed, the
 * choice is in the address, and what is unknown stands for itself.
 */
import { beforeAll, expect, test } from "vitest";
import type { TurnEvent } from "@turnproof/evidence";
import type { Page } from "playwright-core";

import { expectSoundInEveryLook } from "./every-look.ts";
import { listReady } from "./keys.ts";
import { inZone, openedSite, wide } from "./opened-site.ts";

const size = 120;
const startMs = Date.UTC(2026, 10, 20, 8);

/** One turn each minute; each takes longer than the one before, and every tenth never ended. */
function turn(index: number): TurnEvent {
  const from = startMs + index * 60_000;
  const open = index % 10 === 0;
  const durationMs = 100 * 1.05 ** index;
  const root = index.toString(16).padStart(32, "0");
  return {
    schema_version: 3,
    event_id: `t-${index}:${open ? "start" : "result"}`,
    event_kind: "turn",
    operation: "invoke_agent clerk",
    phase: open ? "start" : "result",
    status: open ? "started" : "success",
    timestamp: new Date(open ? from : from + durationMs).toISOString(),
    started_at: new Date(from).toISOString(),
    ...(open ? {} : { duration_ms: durationMs }),
    span_id: `t-${index}`,
    agent_id: "clerk",
    thread_id: `thr-${index}`,
    turn_id: `turn-${index}`,
    root_trace_id: root,
    attributes: {},
  };
}

const { site, visit } = openedSite();

beforeAll(async () => {
  for (let index = 0; index < size; index += 1) await site.put([turn(index)]);
});

const readout = (page: Page, text: RegExp): Promise<void> =>
  page.locator("[data-readout]", { hasText: text }).waitFor();

async function brush(page: Page, from: number, to: number): Promise<URLSearchParams> {
  const box = await page.locator("[data-histogram] > svg").boundingBox();
  if (box === null) throw new Error("no chart");
  const at = (share: number): readonly [number, number] => [
    box.x + box.width * share,
    box.y + box.height / 2,
  ];
  await page.mouse.move(...at(from));
  await page.mouse.down();
  await page.mouse.move(...at((from + to) / 2));
  await page.mouse.move(...at(to));
  await Promise.all([page.waitForURL(/start_time=/), page.mouse.up()]);
  return new URL(page.url()).searchParams;
}

test("d draws how long turns took; unknown durations are counted and drawn apart", async () => {
  const page = await visit("/traces?limit=10");
  await readout(page, /^120 turns in all/);
  await listReady(page);
  await Promise.all([page.waitForURL(/chart=duration/), page.keyboard.press("d")]);
  await readout(page, /^120 turns by duration in all, 12 of unknown duration$/);
  await listReady(page);
  expect(await page.locator("[data-histogram] rect.unknown-fill").count()).toBe(12);
  expect(await page.locator(".chart-switch [aria-current]").innerText()).toBe("Duration");
  // Later turns take longer: the cells climb from the lower left to the upper right.
  const paths = await page
    .locator(".durations [class^=level-]")
    .evaluateAll((all) => all.map((path) => path.getAttribute("d") ?? ""));
  const cells = [...paths.join("").matchAll(/M([\d.]+) (\d+)h/g)]
    .map(([, x, y]) => ({ x: Number(x), y: Number(y) }))
    .toSorted((a, b) => a.x - b.x);
  expect(cells[0]?.y).toBeGreaterThan(cells.at(-1)?.y ?? Infinity);
  // Few elements, however many columns and classes there are.
  expect(await page.locator(".durations path").count()).toBeLessThanOrEqual(5);
  await page.locator("[data-histogram] > svg").hover({ position: { x: 400, y: 10 } });
  await readout(page, /turns?, median .*, p95 /);
  await expectSoundInEveryLook(page);
  // The last look forces its colours: how many is then shown by the width of a cell.
  const inks = (): Promise<readonly boolean[]> =>
    page.locator(".durations [class^=level-]").evaluateAll((cells) => {
      const text = getComputedStyle(document.body).color;
      return cells.map((cell) => getComputedStyle(cell).fill === text);
    });
  // A busy browser applies an emulated medium after the call has returned.
  await expect.poll(async () => [...new Set(await inks())]).toEqual([true]);
});

test("d goes on to the outcomes of turns, of every turn under every filter", async () => {
  const page = await visit("/traces?chart=duration&q=-agent:nobody&limit=10");
  // The list shows ten; the charts are of every turn of the filter.
  await readout(page, /^120 turns by duration in all, 12 of unknown duration$/);
  await listReady(page);
  await Promise.all([page.waitForURL(/chart=trend/), page.keyboard.press("d")]);
  await readout(page, /^120 turns over time in all$/);
  await listReady(page);
  await page.locator("[data-histogram] > svg").hover({ position: { x: 400, y: 10 } });
  await readout(page, /turns?: .*(median|duration unknown)/);
  await expectSoundInEveryLook(page);
  await page.keyboard.press("d");
  await page.waitForURL((url) => !url.searchParams.has("chart"));
});

test.each([
  ["counts", "/traces", "up to 2 turns"],
  ["a trend", "/traces?chart=trend", "Verdicts, up to 2 turns"],
])("%s have axes, few elements, and the pointer's bar is marked", async (_name, path, peak) => {
  const page = await visit(path);
  await readout(page, /^120 turns .*in all/);
  const chart = page.locator("[data-histogram] > svg");
  expect(await chart.locator("text.band").first().innerHTML()).toBe(peak);
  const ticks = page.locator(".time-axis text");
  expect(await ticks.allInnerTexts().then((all) => all.length)).toBeGreaterThan(2);
  expect(await ticks.evaluateAll((all) => all.map(({ textContent: text }) => text))).toContain(
    "09:00",
  );
  // A path for each fill, not an element for each bar.
  expect(await chart.locator("path").count()).toBeLessThanOrEqual(6);
  const pointed = (): Promise<string | null> =>
    page.locator("[data-pointed]").getAttribute("width");
  expect(await pointed()).toBe("0");
  await chart.hover({ position: { x: 400, y: 20 } });
  expect(Number.parseFloat((await pointed()) ?? "")).toBeGreaterThan(0);
  await page.mouse.move(2, 2);
  await expect.poll(pointed).toBe("0%");
});

test("the axis goes by the clock that is chosen", async () => {
  const page = await visit("/traces");
  await inZone(page, "Asia/Kolkata");
  await readout(page, /^120 turns .*in all/);
  const words = (): Promise<readonly (string | null)[]> =>
    page.locator(".time-axis text").evaluateAll((all) => all.map(({ textContent: text }) => text));
  expect(await words()).toContain("09:00");
  await page.locator("[data-switch=clock]").click();
  expect(await words()).toContain("14:30");
});

test.each([
  ["counts", "/traces", null],
  ["durations", "/traces?chart=duration", "duration"],
  ["a trend", "/traces?chart=trend", "trend"],
])("a brush over %s filters by time and keeps the chart", async (_name, path, chart) => {
  const page = await visit(path);
  await readout(page, /^120 turns .*in all/);
  await listReady(page);
  const query = await brush(page, 0.25, 0.5);
  expect(query.get("chart")).toBe(chart);
  const from = Date.parse(query.get("start_time") ?? "");
  const to = Date.parse(query.get("end_time") ?? "");
  const quarter = (size * 60_000) / 4;
  // Bars begin at round times, so the drag is as exact as one bar.
  expect(Math.abs(from - (startMs + quarter))).toBeLessThan(240_000);
  expect(Math.abs(to - (startMs + 2 * quarter))).toBeLessThan(240_000);
  await listReady(page);
  await page.keyboard.press("/");
  await page.keyboard.press("End");
  await page.keyboard.type(" agent:clerk");
  await page.keyboard.press("Escape");
  await Promise.all([page.waitForURL(/agent_id=clerk/), page.keyboard.press("Enter")]);
  expect(new URL(page.url()).searchParams.get("chart")).toBe(chart);
});

test("without script the chart is drawn of all turns, and its switch is a link", async () => {
  const page = await visit("/traces", { ...wide, script: false });
  await page.locator(".chart-switch a", { hasText: "Duration" }).click();
  await readout(page, /^120 turns by duration in all/);
  expect(await page.locator(".durations g").count()).toBeGreaterThan(5);
});

test("a turn that several services wrote names them; one service needs no words", async () => {
  const last = turn(size - 1);
  const other = { event_id: "t-other:result", span_id: "t-other", application_id: "mailer" };
  const call = { event_kind: "tool_call", producer_id: "mailer-7" } as const;
  const [own, sent] = [
    { ...last, application_id: "desk" },
    { ...last, ...other, ...call },
  ];
  await site.put([own, sent].map((event) => ({ ...event, root_trace_id: "e".repeat(32) })));
  const page = await visit("/traces?limit=3");
  const row = page.locator(`tr[data-root="${"e".repeat(32)}"] .c-agent`);
  expect(await row.locator(".services").innerText()).toBe("desk, mailer");
  expect(await row.getAttribute("title")).toBe(
    "clerk · services desk, mailer · producers mailer-7",
  );
  expect(await page.locator(".services").count()).toBe(1);
});
