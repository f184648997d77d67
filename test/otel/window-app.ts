/**
 * @module Window app: an application that ends a numbered span each few milliseconds and prints it
 * at once, until it is killed. What it printed and no file has is what the kill lost.
 */
import { writeSync } from "node:fs";

import { trace } from "@opentelemetry/api";
import { openJournal } from "@turnproof/journal";
import { register } from "@turnproof/exporter/register";

const [endpoint = "", resolveFrom = "", directory = "", settings = "{}"] = process.argv.slice(2);
register({
  endpoint,
  resolveFrom,
  spool: await openJournal({ directory }),
  ...(JSON.parse(settings) as object),
});
const attributes = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-x" };
setInterval(() => {
  trace.getTracer("app").startSpan("x", { attributes }).end();
  writeSync(1, `${Date.now()}\n`);
}, 5);
