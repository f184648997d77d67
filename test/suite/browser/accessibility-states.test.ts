/**
 * @module Every page in every state: no violation of axe in light, dark and forced colours, nothing
 * wider than a window of 320 px (400 % zoom), nothing cut off or lying over something else, also
 * under the reader's own text spacing; nothing in the console, no report of the content policy, no
 * request to anywhere else.
 */
import { existsSync, readdirSync } from "node:fs";

import { describe, expect, test } from "vitest";
import type { Page } from "playwright-core";

import { endpoints } from "../../../collector/src/pages/index.ts";
import { axeViolations, relook } from "./browser.ts";
import type { AxeRules, Look } from "./browser.ts";
import { layoutProblems, setTextSpacing } from "./layout-audit.ts";
import { openedScene } from "./opened-scene.ts";
import { wide } from "./opened-site.ts";
import { states } from "./page-states.ts";

const { scene, visitState } = openedScene();

/** What the page owes in one look, each defect in a line that names the look. */
async function defects(page: Page, look: Look, axe?: AxeRules): Promise<readonly string[]> {
  await relook(page, look);
  const where = `${look.width} px ${look.forcedColors === true ? "forced" : look.theme}`;
  const found = [
    ...(axe === undefined ? [] : await axeViolations(page, axe)),
    ...(await layoutProblems(page)),
  ];
  return found.map((each) => `${where}: ${each}`);
}

const colours = ["color-contrast"];

describe.each(states)("$view, $name", (state) => {
  test("by axe and by its layout, in every look", async () => {
    const page = await visitState(state);
    await page.locator("[data-switches]:not([hidden]), .bare-main").first().waitFor();
    if (state.view !== "run") expect(await page.locator("main").innerText()).toMatch(state.says);
    await state.open?.(page);
    const found = [
      ...(await defects(page, wide, "all")),
      // Its colours are those of the narrow window in dark.
      ...(await defects(page, { width: 900, theme: "dark" })),
      // So high that no bar which stays in place lies over a target.
      ...(await defects(page, { width: 390, height: 9_000, theme: "dark" }, "all")),
      ...(await defects(page, { width: 320, theme: "light", forcedColors: true }, colours)),
    ];
    await setTextSpacing(page);
    found.push(
      ...(await defects(page, { width: 320, theme: "light" })).map((each) => `spaced, ${each}`),
    );
    expect(found).toEqual([]);
  });
});

describe.each(states.filter(({ open }) => open === undefined))("$view, $name", (state) => {
  test("without script it says the same", async () => {
    const page = await visitState(state, { width: 390, theme: "dark", script: false });
    expect(await page.locator("main").innerText()).toMatch(state.says);
    expect(await page.locator("h1").count()).toBe(1);
  });
});

test("every folder of a page has a state here", () => {
  const folder = new URL("../../../collector/src/pages/", import.meta.url);
  const pages = readdirSync(folder).filter((name) =>
    existsSync(new URL(`${name}/page.tsx`, folder)),
  );
  expect(pages).toContain("turns");
  expect([...new Set(states.map(({ view }) => view))].toSorted()).toEqual(
    [...pages, "problem"].toSorted(),
  );
});

test("every route that answers a page has a state here", async () => {
  const paths = states.map((state) => new URL(state.at(scene).path, scene.site.url).pathname);
  const templates = Object.keys(endpoints).flatMap((route) => {
    const [method, template = ""] = route.split(" ");
    return method === "GET" ? [template] : [];
  });
  const pages: string[] = [];
  const missing: string[] = [];
  for (const template of templates) {
    const example = template.replaceAll(/:\w+/g, "nothing-there");
    const headers = { accept: "text/html" };
    const ended = new AbortController();
    const answer = await fetch(`${scene.site.url}${example}`, { headers, signal: ended.signal });
    const type = answer.headers.get("content-type") ?? "";
    // A tail would never end.
    ended.abort();
    // A route of data says what is wrong with a question as a page too; it is the problem page.
    if (!type.startsWith("text/html") || /\.\w+$|:file$/.test(template)) continue;
    pages.push(template);
    const pattern = new RegExp(`^${template.replaceAll(/:\w+/g, "[^/]+")}$`);
    if (!paths.some((path) => pattern.test(path))) missing.push(template);
  }
  expect(pages.length).toBeGreaterThan(12);
  expect(missing).toEqual([]);
});
