/**
 * @module Bars of time: they begin at one place in all rows, whatever the text before them is, so
 * that lengths can be compared; no such text is cut or broken, and no bar widens a table.
 */
import { beforeAll, expect, test } from "vitest";
import type { TurnEvent } from "@turnproof/evidence";

import { openedSite } from "./opened-site.ts";

const root = "5".repeat(32);
/** From microseconds to days: every form that a duration's text has. */
const durations = [0.004, 3, 47.25, 999, 1_500, 61_000, 754_321, 3_754_321, 90_754_321];

function event(of: Partial<TurnEvent> & { readonly duration_ms: number }): TurnEvent {
  const end = Date.parse("2026-11-21T12:00:00.000Z");
  return {
    schema_version: 3,
    event_id: `${of.root_trace_id}-${of.span_id}`,
    event_kind: "turn",
    phase: "result",
    status: "success",
    timestamp: new Date(end).toISOString(),
    started_at: new Date(end - of.duration_ms).toISOString(),
    agent_id: "bars",
    user_id: "usr_bars",
    thread_id: "thr_bars",
    turn_id: `turn-${of.root_trace_id}`,
    ...of,
    attributes: {},
  };
}

const { site, visit } = openedSite();

beforeAll(async () => {
  await site.put(
    durations.map((ms, index) =>
      event({ duration_ms: ms, span_id: "turn", root_trace_id: `${index}`.padStart(32, "0") }),
    ),
  );
  await site.put(
    [1, 2, 3].map((nth) =>
      event({
        duration_ms: 500 * nth,
        span_id: "turn",
        thread_id: "thr_fits",
        root_trace_id: `${nth}`.repeat(32),
      }),
    ),
  );
  await site.put([
    event({ duration_ms: 90_754_321, span_id: "turn", root_trace_id: root }),
    ...durations.map((ms, index) =>
      event({
        duration_ms: ms,
        span_id: `call-${index}`,
        parent_span_id: "turn",
        root_trace_id: root,
        event_kind: "tool_call",
      }),
    ),
  ]);
});

interface Box {
  readonly text: string;
  readonly bar: number;
  /** Pixels by which the text is wider than its place, and lines that it takes. */
  readonly cut: number;
  readonly lines: number;
}

test.each([
  ["Turns", 1440],
  ["Turns", 390],
  ["Turns", 320],
  ["Turn", 1440],
  ["Turn", 390],
  ["Turn", 320],
] as const)("%s at %i pixels", async (name, width) => {
  const path = name === "Turns" ? "/traces" : `/traces/${root}`;
  const page = await visit(path, { width, theme: "light" });
  if (name === "Turn") await page.locator("body[data-ready]").waitFor();
  const [rows, text, bar] =
    name === "Turns"
      ? ["td.c-duration", ".duration", ".meter"]
      : [".wf-row", ".wf-figure", ".wf-time > svg"];
  const boxes = await page.locator(rows).evaluateAll(
    (all, selectors): Box[] =>
      all.map((row) => {
        const figure = row.querySelector(selectors[0]) as HTMLElement;
        const range = document.createRange();
        range.selectNodeContents(figure);
        const words = range.getBoundingClientRect();
        return {
          text: figure.textContent ?? "",
          bar: Math.round(row.querySelector(selectors[1])!.getBoundingClientRect().left),
          cut: Math.ceil(words.right - figure.getBoundingClientRect().right),
          lines: new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size,
        };
      }),
    [text, bar] as const,
  );
  expect(boxes).toHaveLength(durations.length + (name === "Turns" ? 4 : 1));
  expect(new Set(boxes.map((box) => box.bar)).size).toBe(1);
  for (const box of boxes) {
    expect(box.cut, box.text).toBeLessThanOrEqual(0);
    expect(box.lines, box.text).toBe(1);
  }
});

test("a thread's turns and figures fit a narrow window where there is room for them", async () => {
  const page = await visit("/threads/thr_fits", { width: 900, theme: "light" });
  // Three columns of texts leave room; the bars take what is left and add nothing.
  const wide = await page
    .locator(".scroll:has(.sides)")
    .evaluate((box) => box.scrollWidth - box.clientWidth);
  expect(wide).toBe(0);
  const tiles = await page
    .locator(".tile")
    .evaluateAll((all) => all.map((tile) => Math.round(tile.getBoundingClientRect().top)));
  // Six figures are two rows of three.
  expect([...Map.groupBy(tiles, (top) => top).values()].map((row) => row.length)).toEqual([3, 3]);
});
