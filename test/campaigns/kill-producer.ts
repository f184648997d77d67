/**
 * @module Kill producer: a process that sends spans without a pause until it is killed, and prints
 * which were acknowledged. Arguments: the collector's port, the number of the first span.
 */
import { setTimeout as sleep } from "node:timers/promises";

import { SpanLedger } from "../suite/faults/span-ledger.ts";

/** Prints that the numbers from `from`, so many, were acknowledged. */
export interface Acknowledged {
  readonly from: number;
  readonly count: number;
}

const [port = "", first = ""] = process.argv.slice(2);
const ledger = new SpanLedger(Number(first));
let from = Number(first);
for (;;) {
  const batch = ledger.batch(1 + Math.floor(Math.random() * 20));
  const count = batch.ids.length;
  try {
    const response = await fetch(`http://127.0.0.1:${port}/v1/traces`, {
      method: "POST",
      headers: batch.headers,
      body: batch.body as BodyInit,
    });
    await response.arrayBuffer();
    if (response.status === 200) process.send?.({ from, count } satisfies Acknowledged);
  } catch {
    // The collector is away: what became of the request is unknown.
    await sleep(50);
  }
  from += count;
  ledger.sent.clear();
  await sleep(Math.random() * 8);
}
