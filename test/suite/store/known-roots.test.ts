/**
 * @module Known roots: an embedded engine counts the rows of new roots in memory. Over random
 * histories of batches, repeated batches, deletions and restarts the counts are those of the table.
 */
import { clickhouseOver } from "@turnproof/store";
import { receivedAt, sampleEvent } from "@turnproof/store/testing";
import { afterAll, expect, test } from "vitest";

import { openEngine } from "../../../packages/store/src/clickhouse/connection.ts";
import type { Engine } from "../../../packages/store/src/clickhouse/engine.ts";
import { clickhouseErasure } from "../../../packages/store/src/clickhouse/erasure.ts";
import { makeTables } from "../../../packages/store/src/clickhouse/migration.ts";
import { standingOf } from "../../../packages/store/src/clickhouse/root-counts.ts";
import { temporaryDirectories } from "./temporary-directory.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

const roots = Array.from({ length: 60 }, (_, at) => `root-${at}`);

/** A sequence of numbers below one, the same in each run. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function batchOf(random: () => number, at: number) {
  const events = Array.from({ length: 1 + Math.floor(random() * 12) }, (_, of) => {
    const root = roots[Math.floor(random() * roots.length)] as string;
    const span = `${at}-${of}`;
    return sampleEvent(span, { root_trace_id: root, user_id: `user-${of % 3}`, turn_id: span });
  });
  return { batchId: `batch-${at}`, receivedAt: receivedAt(at), events };
}

/** The same question where nothing is known without a query. */
const asked = (engine: Engine): Engine => ({
  ...engine,
  knownRoots: () => Promise.resolve(new Map()),
});

test("the counts of new roots are those of the table, whatever happened before", async () => {
  const dataDir = await directories.make();
  const random = randomOf(7);
  let batches = 0;
  let counted = 0;
  for (let start = 0; start < 3; start += 1) {
    const engine = await openEngine({ dataDir });
    await makeTables({ engine, cluster: undefined });
    const store = await clickhouseOver({
      select: (...requested) => engine.select(...requested),
      command: (sql) => engine.command(sql),
      insert: (...given) => engine.insert(...given),
      pending: async () => false,
      knownRoots: async (some) => (await engine.knownRoots?.(some)) ?? new Map(),
    });
    for (let step = 0; step < 8; step += 1) {
      const isRepeated = batches > 0 && random() < 0.2;
      const at = isRepeated ? Math.floor(random() * batches) : (batches += 1);
      await store.append(batchOf(randomOf(at), at));
      if (random() < 0.1) {
        const erase = clickhouseErasure({ engine, cluster: undefined });
        await erase({ userId: "user-1", dryRun: false });
      }
      const known = await engine.knownRoots?.(roots);
      counted += known?.size ?? 0;
      expect(await standingOf(engine, roots)).toEqual(await standingOf(asked(engine), roots));
      expect(await store.standing(roots)).toEqual(await standingOf(engine, roots));
    }
    await engine.close();
  }
  expect(counted).toBeGreaterThan(40);
});
