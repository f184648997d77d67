/**
 * @module Tests that the embedded engine leaves Node's thread pool to others: an acknowledgement
 * waits for fdatasync, and fdatasync must not wait for queries.
 */
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { CodedError } from "@turnproof/semconv";
import { expect, test } from "vitest";

import { openEngine } from "../../../packages/store/src/clickhouse/connection.ts";

test("six queries at once hold up no fdatasync, and one that is given up never runs", async () => {
  const directory = await mkdtemp(join(tmpdir(), "engine-"));
  const engine = await openEngine({ dataDir: directory });
  const file = await open(join(directory, "beside"), "w");
  const late = new AbortController();
  let answered = 0;
  try {
    const queries = Array.from({ length: 6 }, () =>
      engine
        .query("SELECT sleep(1.5) AS slept", {}, late.signal)
        .then(() => (answered += 1))
        .catch((error: unknown) => error),
    );
    await file.write("frame");
    await file.datasync();
    expect(answered).toBe(0);
    late.abort();
    const ends = await Promise.all(queries);
    expect(answered).toBeLessThanOrEqual(1);
    expect(ends.filter((end) => CodedError.is(end)).length).toBeGreaterThanOrEqual(5);
    const after = await engine.query("SELECT 1 AS one");
    expect(after.columns.get("one")?.[0]).toBe(1);
  } finally {
    await file.close();
    await engine.close();
    await rm(directory, { recursive: true, force: true });
  }
});
