/**
 * @module Every state of a page that needs no script shows the same without it; every page and
 * every route that answers one has a state.
 */
import { existsSync, readdirSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { endpoints } from "../../../collector/src/pages/index.ts";
import { openedScene } from "./opened-scene.ts";
import { states } from "./page-states.ts";

const { scene, visitState } = openedScene();

describe.each(states.filter(({ open }) => open === undefined))("$view, $name", (state) => {
  test("without script it says the same", async () => {
    const page = await visitState(state, { width: 390, theme: "dark", script: false });
    expect(await page.locator("main").innerText()).toMatch(state.text);
    expect(await page.locator("h1").count()).toBe(1);
  });
});

test("a page of errors is tried again with its parameters", async () => {
  const [view, path] = ["problem", "/traces/find?id=usr_bo&start_time=-1h"];
  const at = (): { on: typeof scene.broken; path: string } => ({ on: scene.broken, path });
  const page = await visitState({ view, name: "store away", at, text: /Try again/ });
  const again = page.getByRole("link", { name: "Try again" });
  expect(await again.evaluate((link: HTMLAnchorElement) => link.href)).toBe(page.url());
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
    // A route of data shows what is wrong with a request as a page too, the problem page.
    if (!type.startsWith("text/html") || /\.\w+$|:file$/.test(template)) continue;
    pages.push(template);
    const pattern = new RegExp(`^${template.replaceAll(/:\w+/g, "[^/]+")}$`);
    if (!paths.some((path) => pattern.test(path))) missing.push(template);
  }
  expect(pages.length).toBeGreaterThan(12);
  expect(missing).toEqual([]);
});
