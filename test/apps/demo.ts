/**
 * @module `npm run demo`: sends the support desk's morning and the recordings of other libraries to
 * a running collector, so that there are turns to look at. `--help` says the rest.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";

import { sendRecordings } from "./recorded.ts";
import type { Morning } from "./support-desk-memory/main.ts";
import { runDesk } from "./support-desk/main.ts";
import { tickets } from "./support-desk/tickets.ts";

const help = `Sends turns to a running collector.

  npm run demo                      the support desk, the same with our agent and memory, and
                                    the recorded dialects, once
  npm run demo -- --endpoint URL    another collector (default http://127.0.0.1:4318,
                                    or OTEL_EXPORTER_OTLP_ENDPOINT)

Start the collector first: npm start`;

const { values } = parseArgs({
  options: { endpoint: { type: "string" }, help: { type: "boolean", short: "h" } },
});

/** A process of its own, because a process has one telemetry set-up and the desk above has taken it. */
async function playMemoryDesk(endpoint: string): Promise<Morning> {
  const file = fileURLToPath(new URL("support-desk-memory/main.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@turnproof/source", file],
    { env: { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } },
  );
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "{}") as Morning;
}

async function main(): Promise<number> {
  if (values.help === true) {
    console.log(help);
    return 0;
  }
  const endpoint = (
    values.endpoint ??
    process.env["OTEL_EXPORTER_OTLP_ENDPOINT"] ??
    "http://127.0.0.1:4318"
  ).replace(/\/$/, "");
  const alive = await fetch(`${endpoint}/healthz`).then(
    (r) => r.ok,
    () => false,
  );
  if (!alive) {
    console.error(`No collector answers at ${endpoint}. Start one in another terminal: npm start`);
    return 1;
  }
  const failed = await runDesk(endpoint);
  console.log(`support desk: ${tickets.length} turns sent, ${failed} failed as planned`);
  const morning = await playMemoryDesk(endpoint);
  console.log(
    `support desk with memory: ${morning.turns} turns sent, ${morning.failed} failed as planned`,
  );
  console.log(`  cache: ${morning.cacheDecisions.join(", ")}`);
  console.log(`  a verified refund: ${endpoint}/traces/${morning.refundRoot}`);
  const spans = await sendRecordings(endpoint, { endMs: Date.now(), salt: crypto.randomUUID() });
  console.log(`other libraries: ${spans} recorded spans sent`);
  console.log(`Look at them: ${endpoint}/traces`);
  return 0;
}

process.exitCode = await main();
