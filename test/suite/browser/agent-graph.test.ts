/**
 * @module The agent graph: a box has its kind in words, and the connections of the box under the
 * pointer stand out.
 */
import { expect, test } from "vitest";

import type { TurnEvent } from "@turnproof/evidence";

import { turnEvents } from "../collector/desk.ts";
import { expectSoundInEveryLook } from "./every-look.ts";
import { openedSite, wide } from "./opened-site.ts";

/** A turn with a call that failed, and a retrieval of its memory that was degraded. */
function poorTurn(): readonly TurnEvent[] {
  return turnEvents({ root: "of-poor", agent: "desk" }).flatMap((event): TurnEvent[] => [
    event.event_kind === "model_call" ? { ...event, status: "error" } : event,
    ...(event.event_kind === "tool_call"
      ? [
          {
            ...event,
            event_id: "recall:result",
            span_id: "recall",
            event_kind: "memory_retrieval" as const,
            attributes: { retrieved_count: 3, memory_degraded: true },
          },
        ]
      : []),
  ]);
}

const { visit } = openedSite({
  put: [
    ...["desk", "shop"].flatMap((agent) => turnEvents({ root: `of-${agent}`, agent })),
    ...poorTurn(),
  ],
});

test.each([
  ["wide", 1440],
  ["narrow", 390],
])("a box of the %s drawing has its kind in words", async (name, width) => {
  const page = await visit("/graph", { ...wide, width });
  for (const [kind, thing] of [
    ["tool", "search"],
    ["model", "small-1"],
  ]) {
    const box = page.locator(`.agent-graph.${name} .node.${kind}`, { hasText: thing ?? "" });
    expect(await box.locator("text", { hasText: new RegExp(`^${kind}$`) }).isVisible()).toBe(true);
  }
  await expectSoundInEveryLook(page);
});

test.each([1440, 900, 768])("at %i px the whole drawing is visible", async (width) => {
  const page = await visit("/graph", { ...wide, width });
  const hidden = await page
    .getByRole("group", { name: "Drawing" })
    .evaluate((region) => region.scrollWidth - region.clientWidth);
  expect(hidden).toBe(0);
  expect(await page.getByText("The drawing scrolls to the side").isVisible()).toBe(false);
});

test("on a phone the drawing keeps its size and scrolls by keyboard", async () => {
  const page = await visit("/graph", { ...wide, width: 390 });
  const sizes = await page.locator(".agent-graph.narrow").evaluate((graph) => {
    const boxes = [...graph.querySelectorAll(".node rect")].map((one) =>
      one.getBoundingClientRect(),
    );
    const [first] = graph.querySelectorAll(".figures");
    return {
      height: first?.getBoundingClientRect().height ?? 0,
      room: Math.max(...boxes.map(({ left }) => left)) - Math.min(...boxes.map((one) => one.right)),
    };
  });
  // Letters of 11 px, and room between the columns in which curves part.
  expect(sizes.height).toBeGreaterThan(10);
  expect(sizes.room).toBeGreaterThan(150);
  const region = page.getByRole("group", { name: "Drawing" });
  await region.focus();
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => region.evaluate(({ scrollLeft }) => scrollLeft)).toBeGreaterThan(0);
  await page.getByRole("link", { name: "The same as a table" }).click();
  expect(await page.locator("#connections").evaluate((one) => one.matches(":target"))).toBe(true);
});

test("the connections of the box under the pointer stand out", async () => {
  const page = await visit("/graph");
  const graph = page.locator(".agent-graph.wide");
  const lit = (): Promise<readonly (string | undefined)[]> =>
    graph
      .locator(".edge[data-lit]")
      .evaluateAll((all) =>
        all.map(
          (edge) =>
            `${(edge as SVGElement).dataset["from"]} → ${(edge as SVGElement).dataset["to"]}`,
        ),
      );
  await graph.locator("[data-node=desk]").hover();
  await expect
    .poll(async () => new Set(await lit()))
    .toEqual(new Set(["desk → memory memory", "desk → model small-1", "desk → tool search"]));
  await graph.locator("[data-node='tool search']").hover();
  await expect.poll(lit).toEqual(["desk → tool search", "shop → tool search"]);
  const shown = await graph
    .locator(".edge")
    .evaluateAll((all) => all.map((edge) => getComputedStyle(edge).opacity));
  expect(new Set(shown)).toEqual(new Set(["1", "0.12"]));
  await page.mouse.move(2, 2);
  await expect.poll(() => graph.getAttribute("data-pointed")).toBeNull();
});

test.each([
  ["wide", 1440],
  ["narrow", 390],
])("in forced colours the %s drawing has all boxes and curves", async (name, width) => {
  const page = await visit("/graph", { width, theme: "light", forcedColors: true });
  const drawn = await page
    .locator(`.agent-graph.${name} :is(.edge, .node rect)`)
    .evaluateAll((all) =>
      all.map((one) => {
        const { stroke, opacity } = getComputedStyle(one);
        return `${stroke} ${opacity}`;
      }),
    );
  expect(drawn.length).toBeGreaterThan(7);
  const text = await page.evaluate(() => {
    document.body.style.setProperty("color", "CanvasText");
    return getComputedStyle(document.body).color;
  });
  expect(new Set(drawn)).toEqual(new Set([`${text} 1`]));
  const dashes = await page
    .locator(`.agent-graph.${name} .edge.failed`)
    .evaluateAll((all) => all.map((one) => getComputedStyle(one).strokeDasharray));
  expect(new Set(dashes)).toEqual(new Set(["8px, 3px"]));
});

test.each([1440, 390])("at %i px memory counts turns and degraded ones", async (width) => {
  const page = await visit("/graph", { ...wide, width });
  const row = page.getByRole("row").filter({ hasText: "memory" });
  expect((await row.innerText()).replaceAll(/\s+/g, " ")).toMatch(/1 turn .*100 % degraded/);
});

test("a box counts what its words name, over all of its callers", async () => {
  const page = await visit("/graph");
  const figuresOf = (node: string): Promise<readonly string[]> =>
    page.locator(`.agent-graph.wide [data-node="${node}"] .figures`).allTextContents();
  expect((await figuresOf("shop"))[0]).toMatch(/^1 turn · 0 % with errors/u);
  expect((await figuresOf("desk"))[0]).toMatch(/^2 turns · 50 % with errors/u);
  expect((await figuresOf("model small-1"))[1]).toMatch(/^3 calls · 33\.3 % failed/u);
  expect((await figuresOf("memory memory"))[0]).toBe("1 turn · 100 % degraded");
});
