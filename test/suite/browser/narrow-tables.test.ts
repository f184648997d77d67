/**
 * @module Narrow tables: on a phone the tables of these pages are rows of names and values, and
 * nothing of them is beside the window; axe finds nothing in light, dark and forced colours.
 */
import { expect, test } from "vitest";

import { turnEvents } from "../collector/desk.ts";
import { expectSoundInEveryLook } from "./every-look.ts";
import { openedSite } from "./opened-site.ts";

const { visit } = openedSite({
  put: Array.from({ length: 12 }, (_, n) =>
    turnEvents({ root: `root-${n}`, agent: n % 2 === 0 ? "desk" : "shop" }),
  ).flat(),
});

test.each([
  ["/memory?scope=anonymous", "Memory units by kind"],
  ["/traces/health", "Stores"],
  ["/settings", "Permissions by role"],
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
  await expectSoundInEveryLook(page, [320]);
});
