/**
 * @module The agent graph: a box has its kind in words, and the connections of the box under the
 * pointer stand out.
 */
import { expect, test } from "vitest";

import { turnEvents } from "../collector/desk.ts";
import { expectSoundInEveryLook } from "./every-look.ts";
import { openedSite, wide } from "./opened-site.ts";

const { visit } = openedSite({
  put: ["desk", "shop"].flatMap((agent) => turnEvents({ root: `of-${agent}`, agent })),
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
  await expect.poll(lit).toEqual(["desk → tool search", "desk → model small-1"]);
  await graph.locator("[data-node='tool search']").hover();
  await expect.poll(lit).toEqual(["desk → tool search", "shop → tool search"]);
  const shown = await graph
    .locator(".edge")
    .evaluateAll((all) => all.map((edge) => getComputedStyle(edge).opacity));
  expect(new Set(shown)).toEqual(new Set(["1", "0.12"]));
  await page.mouse.move(2, 2);
  await expect.poll(() => graph.getAttribute("data-pointed")).toBeNull();
});
