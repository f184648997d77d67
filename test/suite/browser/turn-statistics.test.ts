/**
 * @module The statistics of a turn as an operator reads them: unknown durations as unknown, sums
 * marked as lower or upper bounds, sorted by the keyboard, and a line that finds its rows.
 */
import { expect, test } from "vitest";
import type { Page } from "playwright-core";

import { brokenRoot, brokenTrace } from "./broken-trace.ts";
import { expectSoundInEveryLook } from "./every-look.ts";
import { openedSite, wide } from "./opened-site.ts";

const { visit } = openedSite({ put: brokenTrace });

async function open(hash = ""): Promise<Page> {
  const page = await visit(`/traces/${brokenRoot}${hash}`);
  await page.locator("body[data-ready]").waitFor();
  return page;
}

/** Cells of the table as they are seen, without what only screen readers receive. */
function seen(page: Page): Promise<readonly (readonly string[])[]> {
  return page.locator(".statistics tbody tr").evaluateAll((rows) =>
    rows.map((row) =>
      [...row.querySelectorAll("th, td")].map((cell) => {
        const copy = cell.cloneNode(true) as Element;
        for (const hidden of copy.querySelectorAll(".sr")) hidden.remove();
        return copy.textContent.replaceAll("\u00a0", " ").trim();
      }),
    ),
  );
}

test("the keyboard opens it, chooses by what, sorts, and finds the rows of a line", async () => {
  const page = await open();
  await page.keyboard.press("s");
  expect(await page.locator("[data-statistics]").getAttribute("open")).not.toBeNull();
  await page.locator("[data-by=kind]").focus();
  await page.keyboard.press("Enter");
  expect(await page.locator("[data-by=kind]").getAttribute("aria-pressed")).toBe("true");
  // Of 9 s the children cover 1.3 s; one child has no end, and one another clock.
  expect((await seen(page))[0]).toEqual([
    "turn",
    "1",
    "0",
    "0",
    "9 s",
    "≤ 7.7 s",
    "9 s",
    "9 s",
    "9 s",
    "97 %",
  ]);
  const values = async (): Promise<readonly string[]> =>
    (await seen(page)).map(([value = ""]) => value);
  expect(await values()).toEqual(["turn", "tool call", "application action", "model call"]);
  const unknown = (await seen(page)).at(-1);
  expect(unknown).toEqual(["model call", "1", "1", "0", "?", "?", "?", "?", "?", "?"]);
  await page.locator("[data-sort=errors]").focus();
  await page.keyboard.press("Enter");
  expect((await values())[0]).toBe("tool call");
  expect(await page.locator("th[aria-sort=descending]").innerText()).toBe("Errors");
  await page.keyboard.press("Enter");
  expect(await page.locator("th[aria-sort=ascending]").innerText()).toBe("Errors");
  await page.locator("[data-statistic='kind:=model_call']").focus();
  await page.keyboard.press("Enter");
  expect(await page.locator(".wf-row:focus").getAttribute("data-event")).toBe("open:start");
  expect(await page.locator("[data-wf-find] input").inputValue()).toBe("kind:=model_call");
  const hash = new URL(page.url()).hash;
  const again = await open(hash);
  expect((await seen(again)).length).toBe(4);
  expect(await again.locator("th[aria-sort=ascending]").innerText()).toBe("Errors");
});

test("rows that say no value have a line, and it finds them", async () => {
  const page = await open("#by=model");
  expect((await seen(page)).map(([value]) => value)).toEqual(["none recorded", "atlas-large-2"]);
  await page.locator("[data-statistic='model:?']").click();
  expect(await page.locator("[data-find-count]").innerText()).toBe("1 of 9");
});

test("without script it stands by operation; with it nothing is wrong in any look", async () => {
  const plain = await visit(`/traces/${brokenRoot}`, { ...wide, script: false });
  await plain.locator("[data-statistics] summary").click();
  expect(await plain.locator(".statistics tbody tr").count()).toBeGreaterThan(5);
  const page = await open("#by=op");
  await expectSoundInEveryLook(page);
});
