/**
 * @module The empty home: its commands are whole in every width and are copied by a button; a word
 * of the glossary has its meaning under the pointer, after a tap, by keyboard, and in the help.
 */
import { expect, test } from "vitest";

import { glossary } from "../../../collector/src/ui/display/glossary.ts";
import { relook } from "./browser.ts";
import { openedSite, wide } from "./opened-site.ts";

const { visit } = openedSite();

test("each command is whole in every width, and its button copies it", async () => {
  const page = await visit("/traces");
  const commands = page.locator("[data-first-steps] pre");
  expect(await commands.count()).toBe(3);
  for (const width of [1920, 1440, 1024, 768, 390, 320]) {
    await relook(page, { ...wide, width });
    const hidden = await commands.evaluateAll((all) =>
      all.map((pre) => pre.scrollWidth - pre.clientWidth),
    );
    expect(hidden, `${width} px`).toEqual([0, 0, 0]);
  }
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  for (const at of [0, 1, 2]) {
    const button = page.locator("[data-first-steps] button").nth(at);
    await button.focus();
    await page.keyboard.press("Enter");
    await page.locator("[data-announce]", { hasText: "copied" }).waitFor({ state: "attached" });
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(await commands.nth(at).innerText());
  }
});

test("without script the commands are there, and no button that does nothing", async () => {
  const page = await visit("/traces", { ...wide, script: false });
  expect(await page.locator("[data-first-steps] pre").count()).toBe(3);
  expect(await page.locator("[data-first-steps] button:visible").count()).toBe(0);
});

test("a word has its meaning under the pointer, after a tap and by keyboard", async () => {
  const page = await visit("/sample");
  await page.locator("body[data-ready]").waitFor();
  const tip = page.locator("[role=tooltip]");
  for (const word of Object.keys(glossary) as (keyof typeof glossary)[]) {
    const place = page.locator(`[data-word-of=${word}]`).first();
    await place.hover();
    expect(await tip.innerText()).toBe(glossary[word]);
    // The tip of the browser would lie over it.
    expect(await place.getAttribute("title")).toBeNull();
    // Into the tip, which stays to be read, and away.
    await tip.hover();
    expect(await tip.count()).toBe(1);
    await page.mouse.move(720, 4);
    await tip.waitFor({ state: "detached" });
    expect(await place.getAttribute("title")).toBe(glossary[word]);
    await place.dispatchEvent("click");
    expect(await tip.innerText()).toBe(glossary[word]);
    await page.keyboard.press("Escape");
    expect(await tip.count()).toBe(0);
    await page.keyboard.press("Shift");
    await place.focus();
    expect(await tip.innerText()).toBe(glossary[word]);
  }
});

test("the help explains the words", async () => {
  const page = await visit("/traces");
  await page.locator("[data-waiting]").waitFor({ state: "visible" });
  await page.keyboard.press("?");
  const help = page.locator("dialog[open]");
  for (const [word, meaning] of Object.entries(glossary)) {
    expect(await help.innerText()).toMatch(
      new RegExp(`${word}\\s+${meaning.replaceAll(".", "\\.")}`),
    );
  }
});
