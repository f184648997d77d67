/**
 * @module Graphics that are seen: what is unknown is hatched with lines that stand out from paper
 * in light, dark and forced colours (WCAG 2.2, 1.4.11), and in forced colours every bar does,
 * whatever its ink was.
 */
import { expect, test } from "vitest";
import type { Page } from "playwright-core";

import { relook } from "./browser.ts";
import type { Look } from "./browser.ts";
import { openedScene } from "./opened-scene.ts";
import { states } from "./page-states.ts";

/** Contrast that a graphic needs against what it stands on. */
const contrastMin = 3;

const { visit, visitState } = openedScene();

/** Shapes of a selector that neither by fill nor by stroke stand out, with their contrast. */
function faint(page: Page, selector: string): Promise<readonly string[]> {
  return page.evaluate(
    ({ chosen, least }) => {
      const canvas = document.createElement("canvas").getContext("2d", {
        willReadFrequently: true,
      });
      if (canvas === null) throw new Error("no canvas");
      const over = (colours: readonly string[]): readonly number[] => {
        canvas.clearRect(0, 0, 1, 1);
        for (const colour of colours) {
          canvas.fillStyle = colour;
          canvas.fillRect(0, 0, 1, 1);
        }
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
      };
      const light = (rgb: readonly number[]): number => {
        const [r = 0, g = 0, b = 0] = rgb.map((each) => {
          const share = each / 255;
          return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const papers = (node: Element): readonly string[] => {
        const found: string[] = [];
        for (let at: Element | null = node.parentElement; at !== null; at = at.parentElement) {
          found.unshift(getComputedStyle(at).backgroundColor);
        }
        return found;
      };
      const problems: string[] = [];
      for (const node of document.querySelectorAll(chosen)) {
        if (!node.checkVisibility()) continue;
        const { width, height } = node.getBoundingClientRect();
        if (width === 0 || height === 0) continue;
        const paper = papers(node);
        const below = light(over(paper));
        const { fill, stroke } = getComputedStyle(node);
        const contrasts = [fill, stroke]
          // A pattern is judged by its own lines, which another selector names.
          .filter((colour) => colour !== "none" && !colour.startsWith("url"))
          .map((colour) => {
            const own = light(over([...paper, colour]));
            return (Math.max(own, below) + 0.05) / (Math.min(own, below) + 0.05);
          });
        const best = Math.max(0, ...contrasts);
        if (best < least) problems.push(`${node.getAttribute("class")}: ${best.toFixed(2)}`);
      }
      return [...new Set(problems)];
    },
    { chosen: selector, least: contrastMin },
  );
}

const looks: readonly Look[] = [
  { width: 1440, theme: "light" },
  { width: 1440, theme: "dark" },
  { width: 1440, theme: "light", forcedColors: true },
  { width: 1440, theme: "dark", forcedColors: true },
];
/** Outlines of what is unknown, missing or not established. */
const unknowns = ".unknown-fill, .wf-hollow, .tool-bar .outcome.unknown, .hatch";
const bars =
  ".wf-bar rect, .wf-point path, .meter .fill, .pair rect, .histogram svg path, .strip rect, " +
  ".tool-bar .outcome";

test.each(looks)("$theme, forced $forcedColors: what is unknown is seen", async (look) => {
  const page = await visit("/patterns", look);
  expect(await page.locator(".unknown-fill").count()).toBeGreaterThan(0);
  expect(await faint(page, unknowns)).toEqual([]);
});

const drawn = states.filter(
  ({ view, name }) =>
    (name === "with data" || name === "broken trace" || view === "patterns") && view !== "memory",
);

test.each(drawn)("$view, $name: every bar is seen in forced colours", async (state) => {
  const page = await visitState(state);
  for (const look of looks.slice(2)) {
    await relook(page, look);
    expect(await faint(page, bars), look.theme).toEqual([]);
  }
});
