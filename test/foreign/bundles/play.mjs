/**
 * @module Bundles as docs/instrument/bundles.md prints them: its code is bundled by its commands.
 * Both bundles for Node run in a folder of their own, without `node_modules`; the one for a browser
 * runs in Chromium, on a page whose origin hands spans on to the collector.
 */
import { copyFileSync, mkdtempSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

import { chromium } from "playwright-core";

import { executablePath } from "../../chromium.ts";
import { commandsOf, runAsPrinted } from "../printed.mjs";

const here = import.meta.dirname;
const collector = process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
const arriveMsMax = 20_000;

const work = mkdtempSync(join(tmpdir(), "turnproof-bundles-"));
symlinkSync(join(here, "node_modules"), join(work, "node_modules"));
const bundlers = commandsOf("bundles.md").filter((line) => line.startsWith("npx "));
for (const app of ["app.js", "page.js"]) copyFileSync(join(here, app), join(work, app));
for (const line of bundlers) await runAsPrinted(line, work);

const alone = mkdtempSync(join(tmpdir(), "turnproof-bundle-"));
for (const name of ["app.cjs", "app.mjs"]) copyFileSync(join(work, name), join(alone, name));
const [run] = commandsOf("bundles.md").filter((line) => line.endsWith(" node app.cjs"));
await runAsPrinted(run, alone);
await runAsPrinted(run.replace("app.cjs", "app.mjs"), alone);

let handedOn = 0;
const origin = createServer(async (request, response) => {
  if (request.url !== "/v1/traces") {
    const script = request.url === "/page.js";
    response.setHeader("content-type", script ? "text/javascript" : "text/html");
    const html = '<script type="module" src="/page.js"></script>';
    return response.end(script ? readFileSync(join(work, "page.bundle.js")) : html);
  }
  const headers = { "content-type": request.headers["content-type"] };
  const body = await buffer(request);
  const { status } = await fetch(`${collector}/v1/traces`, { method: "POST", headers, body });
  if (body.includes("invoke_agent")) handedOn += 1;
  response.writeHead(status).end("{}");
});
await new Promise((resolve) => origin.listen(0, "127.0.0.1", resolve));
const browser = await chromium.launch({ executablePath });
try {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${origin.address().port}/`);
  for (const until = Date.now() + arriveMsMax; handedOn === 0; await sleep(100)) {
    if (Date.now() > until) throw new Error("the page's turn did not arrive");
  }
} finally {
  await browser.close();
  origin.close();
}
