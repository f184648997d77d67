/**
 * @module FilesystemWriter: a process that shares a directory with others: it puts rows, raises a
 * counter that all raise, appends evidence, and names what was acknowledged. Run by fork only, with
 * the directory, its own name, and how many rounds it goes.
 */
import { CodedError } from "@turnproof/semconv";
import { filesystem } from "@turnproof/store";
import type { MemoryStore } from "@turnproof/store";
import { receivedAt, sampleTurn } from "@turnproof/store/testing";

const [directory = "", name = "", rounds = "0"] = process.argv.slice(2);
const filter = { tenant: "ann" };
const provider = await filesystem({ directory });
const { memory, evidence } = provider;

/** Raises the counter by one, again until no other writer was faster. */
async function raise(store: MemoryStore): Promise<void> {
  for (;;) {
    const row = await store.get(filter, "entity", "counter");
    if (row === undefined) throw new RangeError("there is no counter");
    const data = { n: Number(row.data["n"]) + 1 };
    try {
      await store.update(filter, "entity", "counter", row.version, { data });
      return;
    } catch (error) {
      if (!CodedError.is(error) || error.code !== "store_conflict") throw error;
    }
  }
}

for (let n = 0; n < Number(rounds); n += 1) {
  const id = `${name}-${n}`;
  const created_at = "2026-03-01T10:00:00.000Z";
  await memory.put(filter, "entity", { id, data: { n }, created_at });
  await raise(memory);
  const events = sampleTurn(id, { user_id: "ann", thread_id: name });
  await evidence.append({ batchId: id, receivedAt: receivedAt(n), events });
  process.send?.(id);
}
await provider.close();
process.disconnect?.();
