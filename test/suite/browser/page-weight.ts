/** @module PageWeight: what a page travels with, as the browser's own account of it has it. */
import { get } from "node:http";

import type { Page } from "playwright-core";

/** Bytes of a page's modules as they travel. */
export function codeBytes(page: Page): Promise<number> {
  return page.evaluate(() =>
    (performance.getEntriesByType("resource") as PerformanceResourceTiming[])
      .filter(({ name }) => new URL(name).pathname.endsWith(".js"))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
  );
}

/** Bytes of an answer as it travels to a browser. */
export function travelBytes(url: string): Promise<number> {
  const headers = {
    accept: "text/html",
    "accept-encoding": "br",
    "sec-fetch-site": "same-origin",
  };
  return new Promise((resolve, reject) => {
    get(url, { headers }, (response) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => (bytes += chunk.length));
      response.on("end", () => resolve(bytes));
    }).on("error", reject);
  });
}
