/**
 * @module What the pages weigh before any data. How they look and read in every state is tested by
 * `accessibility-states.test.ts`.
 */
import { expect, test } from "vitest";

import { brokenRoot, brokenTrace } from "./broken-trace.ts";
import { openedSite, ownSite, wide } from "./opened-site.ts";

const { site, visit } = openedSite({ put: brokenTrace });

test("every page weighs at most 100 kB before data", async () => {
  const elsewhere = await ownSite();
  for (const path of ["/traces", `/traces/${brokenRoot}`]) {
    // Another origin first: nothing of this one is in memory yet, and all of it is requested.
    const excused = new RegExp(`^request: ${site.url}/`);
    const page = await visit("/traces", wide, { on: elsewhere, excused });
    const sizes: Promise<number>[] = [];
    page.on("response", (response) => {
      if (!response.url().includes("/assets/")) return;
      sizes.push(
        response
          .request()
          .sizes()
          .then(({ responseBodySize: size }) => size),
      );
    });
    await page.goto(`${site.url}${path}`, { waitUntil: "networkidle" }).catch(() => undefined);
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(10_000);
    expect(total).toBeLessThan(100_000);
  }
});
