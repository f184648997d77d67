/**
 * @module Pages bench: big turns in a real browser over the built collector: bytes and time of the
 * page and of its rows, time to the first rows, and frames while a wheel turns.
 * `npm run build && node test/bench/pages/run.ts`: without the condition of the sources, as Node
 * reads no TSX. Figures of a busy machine are worth nothing: the load stands beside them.
 */
import { get } from "node:http";
import { loadavg } from "node:os";

import { bigSpan, threadMs } from "../../suite/browser/big-trace.ts";
import { openBrowser, openSite } from "../../suite/browser/browser.ts";
import { framesOf } from "./wheel.ts";

const [wide, other, deep] = ["a", "c", "b"].map((letter) => letter.repeat(32)) as [
  string,
  string,
  string,
];
const rounds = 9;
const wheelMs = 4_000;

const [browser, site] = await Promise.all([openBrowser(), openSite()]);
for (const root of [wide, other]) {
  await site.put(
    Array.from({ length: 10_000 }, (_, index) => ({
      ...bigSpan(root, index, index === 0 ? undefined : Math.floor((index - 1) / 6)),
      ...(root === other && index % 40 === 39 ? ({ status: "partial" } as const) : {}),
    })),
  );
}
await site.put(
  Array.from({ length: 1_500 }, (_, index) =>
    bigSpan(deep, index, index === 0 ? undefined : index - 1),
  ),
);
const query = `?agent_id=big&baseline_root=${wide}&candidate_root=${other}`;
const pages = [
  ["10,000 spans", `/traces/${wide}`, ""],
  ["chain of 1,500", `/traces/${deep}`, ""],
  ["two of 10,000", "/traces/compare", query],
] as const;
try {
  for (const [name, path, search] of pages) {
    const columns = `${path}.json${search === "" ? "?" : `${search}&`}form=columns`;
    for (const [form, href] of [
      ["page", `${path}${search}`],
      ["records", `${path}.json${search}`],
      ["columns", columns],
    ] as const) {
      for (const coding of ["identity", "br"]) {
        print(name, `${form}, ${coding}`, await request(href, coding));
      }
    }
    await look(name, `${path}${search}`);
  }
} finally {
  await browser.close();
  await site.close();
}

function print(name: string, what: string, figures: object): void {
  const load = loadavg()[0]?.toFixed(1);
  const text = Object.entries(figures).map(([key, value]) => `${key} ${String(value)}`);
  console.log(`${name.padEnd(15)} ${what.padEnd(18)} ${text.join(", ")} (load ${load})`);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

function at(sorted: readonly number[], share: number): number {
  return rounded(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN);
}

/** Bytes of an answer as it travels, and the median time to all of it. */
async function request(path: string, coding: string): Promise<{ bytes: number; ms: number }> {
  const headers = {
    accept: "text/html",
    "accept-encoding": coding,
    "sec-fetch-site": "same-origin",
  };
  const once = (): Promise<{ bytes: number; ms: number }> =>
    new Promise((resolve, reject) => {
      const began = performance.now();
      get(`${site.url}${path}`, { headers }, (response) => {
        let bytes = 0;
        response.on("data", (chunk: Buffer) => (bytes += chunk.length));
        response.on("end", () => resolve({ bytes, ms: performance.now() - began }));
      }).on("error", reject);
    });
  const answers = [];
  for (let round = 0; round < rounds; round += 1) answers.push(await once());
  const times = answers.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return { bytes: answers[0]?.bytes ?? NaN, ms: at(times, 0.5) };
}

/** Opens a page, and turns the wheel over its rows. */
async function look(name: string, path: string): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${site.url}/settings`);
  const busyMs = await threadMs(page);
  await page.goto(`${site.url}${path}`, { waitUntil: "commit" });
  await page.locator("body[data-ready]").waitFor({ timeout: 60_000 });
  const thread = rounded(await busyMs());
  const afterData = await page.evaluate(() => {
    const twin = performance
      .getEntriesByType("resource")
      .find(({ name: url }) => /\.json/.test(url));
    const ready = performance.getEntriesByName("turnproof:ready")[0];
    return (ready?.startTime ?? NaN) - (twin as PerformanceResourceTiming).responseEnd;
  });
  const elements = await page.locator("*").count();
  print(name, "open", { thread_ms: thread, after_data_ms: rounded(afterData), elements });
  if (path.includes("compare")) await page.keyboard.press("x");
  const before = await busyMs();
  const frames = await framesOf(page, wheelMs);
  const frameMs = rounded(((await busyMs()) - before) / frames.length);
  const [p50, p95, most] = [at(frames, 0.5), at(frames, 0.95), at(frames, 1)];
  print(name, "wheel", { frames: frames.length, p50, p95, most, thread_ms_a_frame: frameMs });
  await context.close();
}
