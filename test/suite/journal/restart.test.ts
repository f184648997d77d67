/**
 * A restart streams: whatever the size of the backlog, it is read through windows of a mebibyte and
 * is ready in a fraction of the 5 s that a gibibyte may take (the figures are the bench's).
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "vitest";

import { nodeFileSystem, openJournal } from "@turnproof/journal";
import type { JournalFileSystem } from "@turnproof/journal";

const mebibyte = 1024 * 1024;

test("a backlog of 64 MiB is ready within 5 s, window by window", async () => {
  const directory = await mkdtemp(join(tmpdir(), "restart-"));
  try {
    const first = await openJournal({ directory });
    const payload = Buffer.alloc(16 * 1024, 7);
    for (let group = 0; group < 64; group += 1) {
      await Promise.all(Array.from({ length: 64 }, () => first.append({ payload, spans: 3 })));
    }
    await first.close();

    let largestRead = 0;
    const fileSystem: JournalFileSystem = {
      ...nodeFileSystem,
      async open(path, mode) {
        const file = await nodeFileSystem.open(path, mode);
        return {
          ...file,
          read(into, position) {
            largestRead = Math.max(largestRead, into.byteLength);
            return file.read(into, position);
          },
        };
      },
    };
    const started = performance.now();
    const journal = await openJournal({ directory, fileSystem });
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(journal.stats()).toMatchObject({ pendingFrames: 4_096, pendingSpans: 12_288 });
    let spans = 0;
    for await (const frame of journal.read()) spans += frame.spans;
    expect(spans).toBe(12_288);
    expect(largestRead).toBeLessThanOrEqual(mebibyte);
    await journal.close();
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
