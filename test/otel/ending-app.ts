/**
 * @module Ending app: an application with two spans (with none: `idle`) that ends by itself, or is
 * `killed`. It prints when its last work is done, in epoch milliseconds; the suite sees when it
 * is gone and what it printed.
 */
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
console.log(Date.now());
if (ending === "flush") await turnproof.flush();
if (ending === "shutdown") await turnproof.shutdown();
