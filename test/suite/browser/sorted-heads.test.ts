/** @module The arrow of a sorted head is whole: the head after it does not cover a part of it. */
import { expect, test } from "vitest";

import { turnEvents } from "../collector/desk.ts";
import { openedSite } from "./opened-site.ts";

const { visit } = openedSite({
  put: [1, 2, 3].flatMap((n) =>
    turnEvents({ root: `root-${n}`, user: "ann", agent: `desk-${n}`, thread: `thr-${n}` }),
  ),
});

test.each(["/tools?sort=p95_ms", "/cost", "/agents?sort=turns", "/threads?sort=tokens"])(
  "%s",
  async (path) => {
    const page = await visit(path);
    const covered = await page.locator("th[aria-sort] .icon").evaluateAll((icons) =>
      icons.map((icon) => {
        const { left, right, top, bottom } = icon.getBoundingClientRect();
        const heads = [left + 1, (left + right) / 2, right - 1].map((x) =>
          document.elementFromPoint(x, (top + bottom) / 2)?.closest("th"),
        );
        return heads.filter((head) => head !== icon.closest("th")).length;
      }),
    );
    expect(covered).toEqual([0]);
  },
);
