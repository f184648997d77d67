/**
 * @module Spooling app: an application in a process of its own that plays turns without a pause and
 * keeps what it cannot send in a spool. It prints each turn once it is durable or sent, and ends
 * when it is stopped. Arguments: collector, spool directory, name.
 */
import { setTimeout as sleep } from "node:timers/promises";

import { openJournal } from "@turnproof/journal";
import { register } from "@turnproof/exporter/register";
import { withTurn } from "@turnproof/instrumentation";

const [endpoint = "", directory = "", name = ""] = process.argv.slice(2);
const spool = await openJournal({ directory });
const turnproof = register({
  serviceName: name,
  endpoint,
  spool,
  delayMs: 20,
  batchMax: 20,
  exportTimeoutMs: 400,
  reportEveryMs: 1_000_000,
});

let reported = false;
process.on("message", () => (reported = true));

let played = 0;
while (!reported) {
  const turnId = `${name}_${++played}`;
  await withTurn({ agentId: "desk", userId: "user_1", threadId: name, turnId }, async (turn) => {
    await turn.modelCall({ model: "m" }, (call) => call.respond());
  });
  if (played % 10 === 0) {
    // After a flush everything that was played has left, or lies on the disk.
    await turnproof.flush();
    process.send?.({ played, health: turnproof.health });
  }
  await sleep(5);
}
await turnproof.shutdown();
await spool.close();
process.send?.({ played, health: turnproof.health, ended: true });
process.disconnect?.();
