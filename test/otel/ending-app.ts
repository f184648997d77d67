/**
 * @module Ending app: an application with two spans (with none: `idle`) that ends by itself, or is
 * `killed`. As it ends, it prints the milliseconds since its last work, without those in which it
 * was ready to run and the machine ran other processes.
 */
import { readFileSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

import { trace } from "@opentelemetry/api";
import { openJournal } from "@turnproof/journal";
import { register } from "@turnproof/exporter/register";

const [ending = "", endpoint = "", resolveFrom = "", directory = ""] = process.argv.slice(2);
const turnproof = register({
  endpoint,
  resolveFrom,
  delayMs: 200,
  ...(directory === "" ? {} : { spool: await openJournal({ directory }) }),
});
const turn = { "gen_ai.operation.name": "invoke_agent" };
const chat = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-x" };
for (const attributes of ending === "idle" ? [] : [turn, chat]) {
  trace.getTracer("app").startSpan("x", { attributes }).end();
  // Long enough for the first one to be on its way, or to wait for its next try.
  if (ending === "late") await sleep(1_500);
}
if (ending === "killed") {
  await turnproof.flush();
  process.kill(process.pid, "SIGKILL");
}
/** Milliseconds for which this process waited for a core so far; 0 where no system counts them. */
function waitedMs(): number {
  try {
    // Time on a core, and time waiting for one, of the main thread in nanoseconds.
    return Number(readFileSync("/proc/self/schedstat", "utf8").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
}
const [doneMs, waitedBefore] = [performance.now(), waitedMs()];
process.once("exit", () => {
  const lateMs = performance.now() - doneMs;
  writeSync(1, String(lateMs - (waitedMs() - waitedBefore)));
});
if (ending === "flush") await turnproof.flush();
if (ending === "shutdown") await turnproof.shutdown();
