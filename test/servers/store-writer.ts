/**
 * @module StoreWriter: a process that appends one small batch after another and names each to its
 * parent once it is acknowledged, until it is killed. Run by fork only.
 */
import { clickhouse } from "@turnproof/store";
import { receivedAt, sampleTurn } from "@turnproof/store/testing";

const store = await clickhouse({ connection: { dataDir: process.argv[2] ?? "" } });
for (let nth = 0; ; nth += 1) {
  const events = sampleTurn(`root-${nth}`, { user_id: "u", thread_id: `t-${nth}` });
  await store.append({ batchId: `batch ${nth}`, receivedAt: receivedAt(nth), events });
  process.send?.(nth);
}
