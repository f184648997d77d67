/**
 * @module Pages on paper: a turn is an evidence sheet. What is pressed is left out; every fact of
 * the verdict, every id in full, the address and the time of the statement stand on it.
 */
import { expect, test } from "vitest";
import type { Locator, Page } from "playwright-core";

import { sidewaysOverflow } from "./browser.ts";
import type { Site } from "./browser.ts";
import { longRoot } from "./long-trace.ts";
import { openedScene } from "./opened-scene.ts";
import { states } from "./page-states.ts";

/** The width of a sheet of A4 between its margins. */
const sheet = { width: 690, theme: "dark" } as const;

const { scene, visit, visitState } = openedScene();

/** A turn as paper. */
async function printed(root = scene.failedRoot, on: Site = scene.site): Promise<Page> {
  const page = await visit(`/traces/${root}`, sheet, { on });
  await page.locator("body[data-ready]").waitFor();
  await page.emulateMedia({ media: "print" });
  // The page unfolds what is folded once it hears of the sheet, with the next frame.
  await page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
  );
  return page;
}

/** Elements of which text is cut off, however it could be reached on a screen. */
function cutOff(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("main *")]
      .filter((node) => {
        if (node instanceof SVGElement || node.closest(".sr") !== null) return false;
        if (!node.checkVisibility() || node.textContent?.trim() === "") return false;
        const { overflowX, overflowY } = getComputedStyle(node);
        return (
          (overflowX !== "visible" && node.scrollWidth > node.clientWidth + 1) ||
          (overflowY !== "visible" && node.scrollHeight > node.clientHeight + 3)
        );
      })
      .map((node) => `${node.tagName}.${node.className} ${node.textContent?.slice(0, 40)}`),
  );
}

test("a row of the waterfall is as tall as its lines", async () => {
  const page = await printed();
  const heights = await page
    .locator(".wf-row")
    .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
  expect(heights.length).toBeGreaterThan(3);
  // A long name takes a second line and a third one.
  expect(Math.max(...heights)).toBeLessThan(80);
});

test("a failed turn: every fact of the verdict stands on the sheet, folded ones too", async () => {
  const page = await printed();
  const verdict = page.locator("section.verdict");
  const answer = await fetch(`${scene.site.url}/traces/${scene.failedRoot}.json`);
  const { verdict: stated } = (await answer.json()) as {
    readonly verdict: {
      readonly findings: readonly { readonly title: string; readonly finding: string }[];
      readonly chain: readonly unknown[];
    };
  };
  expect(stated.findings.length).toBeGreaterThan(4);
  for (const { title, finding } of stated.findings) {
    for (const words of [title, finding]) {
      expect(await verdict.getByText(words).first().isVisible(), words).toBe(true);
      const box = await verdict.getByText(words).first().boundingBox();
      expect(box?.height, words).toBeGreaterThan(8);
    }
  }
  expect(await verdict.locator(".link").count()).toBe(stated.chain.length);
  // A link to evidence leads nowhere on paper; the id of the event does.
  const evidence = verdict.locator(".evidence a").first();
  const id = await evidence.getAttribute("title");
  expect(id).toMatch(/:/);
  expect(await evidence.evaluate((node) => getComputedStyle(node, "::after").content)).toContain(
    id,
  );
});

/** Height of a printed row whose contents need 40 px more than the script gave it. */
function heightOnPaper(row: Locator): Promise<number> {
  return row.evaluate((node) => {
    node.style.height = "5px";
    node.style.paddingTop = "40px";
    return node.getBoundingClientRect().height;
  });
}

test("nothing to press is on it, dark ink is on white, ids are whole, nothing is cut off", async () => {
  for (const [site, root] of [
    [scene.site, scene.failedRoot],
    [scene.long, longRoot],
  ] as const) {
    const page = await printed(root, site);
    const pressed = page.locator("nav.rail, button, input, select, .button, .skip");
    for (const one of await pressed.all()) expect(await one.isVisible()).toBe(false);
    const short = await page
      .locator("main [data-whole]")
      .evaluateAll((nodes) =>
        nodes
          .filter((node) => node.checkVisibility())
          .map((node) => [
            (node as HTMLElement).dataset["whole"] ?? "",
            getComputedStyle(node, "::after").content.replaceAll('"', ""),
          ]),
      );
    expect(short.length).toBeGreaterThan(0);
    for (const [whole, shown] of short) expect(shown).toBe(whole);
    expect(short.map(([whole]) => whole)).toContain(root);
    expect(await sidewaysOverflow(page)).toBe(0);
    expect(await cutOff(page)).toEqual([]);
    const ink = await page.evaluate(() => {
      const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
      if (probe === null) throw new Error("no canvas");
      probe.fillStyle = getComputedStyle(document.body).color;
      probe.fillRect(0, 0, 1, 1);
      return [...probe.getImageData(0, 0, 1, 1).data].slice(0, 3);
    });
    expect(Math.max(...ink)).toBeLessThan(96);
  }
});

test("it says where it stands, when it was stated and to whom", async () => {
  const before = Date.now();
  const page = await printed();
  const imprint = page.locator(".imprint");
  expect(await imprint.isVisible()).toBe(true);
  const words = await imprint.innerText();
  expect(words).toContain(page.url());
  expect(words).toMatch(
    /Generated at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ UTC, for local \(admin\)/,
  );
  const at = await imprint.locator("time").getAttribute("datetime");
  expect(Date.parse(at ?? "")).toBeGreaterThanOrEqual(before - 1_000);
  await page.emulateMedia({ media: "screen" });
  expect(await imprint.isVisible()).toBe(false);
});

test("every row of the waterfall is printed, and the rows in sight are back after it", async () => {
  const look = { width: 690, height: 300, theme: "light" } as const;
  const page = await visit(`/traces/${scene.failedRoot}`, look);
  await page.locator("body[data-ready]").waitFor();
  await page.locator("#row-0").focus();
  const rows = page.locator(".wf-row");
  const all = Number(await page.locator("[data-wf]").getAttribute("aria-rowcount")) - 1;
  await page.locator("[data-wf-scroll]").evaluate((node) => {
    node.style.maxHeight = "40px";
  });
  await expect.poll(() => rows.count()).toBeLessThan(all);
  await page.emulateMedia({ media: "print" });
  await expect.poll(() => rows.count()).toBe(all);
  const tops = await rows.evaluateAll((nodes) =>
    nodes.map((node) => node.getBoundingClientRect().top),
  );
  expect(tops).toEqual(tops.toSorted((a, b) => a - b));
  expect(new Set(tops).size).toBe(all);
  // Paper is narrower than the window that the heights were computed for.
  await expect.poll(() => heightOnPaper(rows.first())).toBeGreaterThan(50);
  await page.emulateMedia({ media: "screen" });
  await expect.poll(() => rows.count()).toBeLessThan(all);
});

test("a row of Compare has the height of its contents on paper", async () => {
  const state = states.find(({ view, name }) => view === "compare" && name === "with data");
  const page = await visitState(state!, sheet);
  await page.locator("body[data-ready]").waitFor();
  await page.emulateMedia({ media: "print" });
  await expect.poll(() => heightOnPaper(page.locator(".op").first())).toBeGreaterThan(50);
});

test.each([
  ["cost", 390],
  ["incidents", 390],
  ["cost", sheet.width],
] as const)("%s on a sheet of %i pixels breaks no figure", async (wanted, width) => {
  const state = states.find(({ view }) => view === wanted);
  const page = await visitState(state!, { ...sheet, width });
  await page.emulateMedia({ media: "print" });
  expect(await sidewaysOverflow(page)).toBe(0);
  const figures = page.locator("tbody :is(.num, .badge .word)");
  expect(await figures.count()).toBeGreaterThan(0);
  const broken = await figures.evaluateAll((all) =>
    all.flatMap((figure) => {
      const node = document.createTreeWalker(figure, NodeFilter.SHOW_TEXT).nextNode() ?? figure;
      const text = (node.textContent ?? "").trim();
      const range = document.createRange();
      range.selectNodeContents(node);
      // A word or a number has one line.
      const lines = new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom)));
      return !/\s/.test(text) && lines.size > 1 ? [text] : [];
    }),
  );
  expect(broken).toEqual([]);
});

test("the browser makes sheets of it", async () => {
  const page = await printed();
  const sheets = (await page.pdf({ format: "A4" })).toString("latin1");
  const pages = sheets.match(/\/Type\s*\/Page\b/g) ?? [];
  expect(pages.length).toBeGreaterThan(1);
  expect(pages.length).toBeLessThan(12);
});

test.each(
  states.filter(
    ({ open, as, name }) => open === undefined && as === undefined && name === "with data",
  ),
)("$view, $name: no sheet is wider than its paper", async (state) => {
  const page = await visitState(state, sheet);
  await page.emulateMedia({ media: "print" });
  expect(await sidewaysOverflow(page)).toBe(0);
  expect(await cutOff(page)).toEqual([]);
  expect(await page.locator(".imprint").innerText()).toContain(state.at(scene).path);
});
