/**
 * @module Narrow tables: on a phone the tables of these pages are rows of names and values, and
 * nothing of them is beside the window, each link is a target of 24 pixels (WCAG 2.2, 2.5.8); axe
 * finds nothing in light, dark and forced colours.
 */
import { expect, test } from "vitest";

import { turnEvents } from "../collector/desk.ts";
import { relook } from "./browser.ts";
import { expectSoundInEveryLook } from "./every-look.ts";
import { openedSite } from "./opened-site.ts";

const { visit } = openedSite({
  put: [
    ...Array.from({ length: 12 }, (_, n) =>
      turnEvents({ root: `root-${n}`, agent: n % 2 === 0 ? "desk" : "shop" }),
    ).flat(),
    ...["deep-researcher-of-contracts", "fact-checker-of-agreements"].flatMap((agent, n) =>
      turnEvents({ root: `named-${n}`, agent, user: "usr_dilnoza", thread: "thr_de_dilnoza_1127" }),
    ),
  ],
});

test.each([
  ["/memory?scope=anonymous", "Memory units by kind"],
  ["/traces/health", "Stores"],
  ["/settings", "Permissions by role"],
  ["/graph", "Connections"],
  ["/tools", "Calls by tool"],
  ["/tools?kind=model", "Calls by model"],
  ["/traces/compare?agent_id=desk", "Turns to choose from"],
  ["/traces/compare/gate?baseline=agent:desk&candidate=agent:shop", "Measures"],
])("%s has all of %s in a window of 320 pixels", async (path, label) => {
  const page = await visit(path, { width: 320, theme: "light" });
  const table = page.getByRole("table", { name: label });
  expect(await table.count()).toBe(1);
  const beside = await table.evaluate((node) => {
    const box = node.parentElement;
    return box === null ? Infinity : box.scrollWidth - box.clientWidth;
  });
  expect(beside).toBe(0);
  // Each line has room for a finger; whether a neighbour is near depends on the figures.
  const small = await table.locator("tbody :is(th, td) > a").evaluateAll((links) =>
    links
      .map((link) => link.getBoundingClientRect())
      .filter(({ width, height }) => width < 24 || height < 24)
      .map(({ width, height }) => [width, height]),
  );
  expect(small).toEqual([]);
  await expectSoundInEveryLook(page, [320]);
});

test.each(["/agents", "/threads"])(
  "names of %s stay on one line from 900 pixels on",
  async (path) => {
    const page = await visit(path, { width: 1440, theme: "light" });
    for (const width of [1440, 1280, 1024, 900]) {
      await relook(page, { width, theme: "light" });
      const broken = await page.locator("tbody td").evaluateAll((cells) =>
        cells.flatMap((cell) => {
          const walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
          const names: string[] = [];
          for (let node = walk.nextNode(); node !== null; node = walk.nextNode()) {
            for (const { 0: name, index } of (node.textContent ?? "").matchAll(/\w+(-\w+){2,}/g)) {
              const range = document.createRange();
              range.setStart(node, index);
              range.setEnd(node, index + name.length);
              const tops = [...range.getClientRects()].map(({ top }) => Math.round(top));
              if (new Set(tops).size > 1) names.push(name);
            }
          }
          return names;
        }),
      );
      expect([width, broken]).toEqual([width, []]);
      const beside = await page
        .locator(".scroll")
        .evaluateAll((boxes) => boxes.map((box) => box.scrollWidth - box.clientWidth));
      expect([width, Math.max(...beside)]).toEqual([width, 0]);
    }
  },
);
