/**
 * @module One turn that nothing has judged yet: what a first minute shows. Its state is whole in
 * every width of the list, and the chart of a single moment has two different ends.
 */
import { expect, test } from "vitest";

import { turnEvents } from "../collector/desk.ts";
import { relook } from "./browser.ts";
import { layoutProblems } from "./layout-audit.ts";
import { openedSite, wide } from "./opened-site.ts";

const never = 3_600_000;
const { visit } = openedSite({
  judge: { quietMs: never, everyMs: never },
  put: turnEvents({ root: "root-1", at: new Date().toISOString(), agent: "desk" }),
});

test("the word of a turn that is not judged is whole in every width", async () => {
  const page = await visit("/traces");
  const row = page.locator("tbody tr[data-key]");
  expect(await row.locator(".c-verdict .word").innerText()).toBe("unjudged");
  for (const width of [1920, 1440, 1280, 1024, 900, 768, 390, 320]) {
    await relook(page, { ...wide, width });
    expect(await layoutProblems(page), `${width} px`).toEqual([]);
  }
});

test.each([true, false])("the chart of one turn has two ends, with script: %s", async (script) => {
  const page = await visit("/traces", { ...wide, script });
  const ends = page.locator("[data-histogram] figcaption time");
  const [from, to, ...more] = await ends.allInnerTexts();
  expect(more).toEqual([]);
  expect(from).not.toBe(to);
  expect(from).toMatch(/^(\d\d-\d\d \d\d:\d\d:\d\d|\d\d:\d\d:\d\d\.\d{3})$/);
});
