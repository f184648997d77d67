/**
 * @module Journal bench: what an acknowledgement costs and how long a restart takes. Prints one
 * table; figures are of one run on this machine. Sizes by environment: JOURNAL_BENCH_MIB for the
 * restart (default 256), JOURNAL_BENCH_APPENDS (default 2,000).
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openJournal } from "@turnproof/journal";
import type { Journal } from "@turnproof/journal";

const appends = Number(process.env["JOURNAL_BENCH_APPENDS"] ?? "2000");
const restartMiB = Number(process.env["JOURNAL_BENCH_MIB"] ?? "256");
const rows: Record<string, unknown>[] = [];

async function withJournal(
  options: { readonly groupCommitMs?: number },
  work: (journal: Journal, directory: string) => Promise<void>,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "bench-"));
  const journal = await openJournal({ directory, ...options });
  try {
    await work(journal, directory);
  } finally {
    await journal.close();
    await rm(directory, { recursive: true, force: true });
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Number(
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(3),
  );
}

async function measureAppends(
  bytes: number,
  writers: number,
  groupCommitMs: number,
): Promise<void> {
  await withJournal({ groupCommitMs }, async (journal) => {
    const payload = Buffer.alloc(bytes, 7);
    const took: number[] = [];
    let left = appends;
    const started = performance.now();
    const writer = async (): Promise<void> => {
      while ((left -= 1) >= 0) {
        const start = performance.now();
        await journal.append({ payload, spans: 1 });
        took.push(performance.now() - start);
      }
    };
    await Promise.all(Array.from({ length: writers }, writer));
    const seconds = (performance.now() - started) / 1_000;
    rows.push({
      measure: `append ${bytes} B, ${writers} writers, wait ${groupCommitMs} ms`,
      "p50 ms": quantile(took, 0.5),
      "p99 ms": quantile(took, 0.99),
      "MB/s": Number(((took.length * bytes) / 1e6 / seconds).toFixed(1)),
      "appends/s": Math.round(took.length / seconds),
      "frames/sync": Number((took.length / Math.max(1, journal.stats().groups)).toFixed(1)),
    });
  });
}

async function measureRestart(frameBytes: number): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "bench-"));
  try {
    const writing = await openJournal({ directory });
    const payload = Buffer.alloc(frameBytes, 7);
    const frames = Math.floor((restartMiB * 1024 * 1024) / frameBytes);
    for (let index = 0; index < frames;) {
      const group: Promise<unknown>[] = [];
      for (let count = 0; count < 1_000 && index < frames; count += 1, index += 1) {
        group.push(writing.append({ payload, spans: 1 }));
      }
      await Promise.all(group);
    }
    await writing.close();
    const memory = process.memoryUsage().rss;
    const started = performance.now();
    const journal = await openJournal({ directory });
    const readyMs = performance.now() - started;
    const reading = performance.now();
    let read = 0;
    for await (const frame of journal.read()) read += frame.spans;
    rows.push({
      measure: `restart ${restartMiB} MiB of ${frameBytes} B frames`,
      "ready ms": Math.round(readyMs),
      "ready MB/s": Math.round((frames * frameBytes) / 1e3 / readyMs),
      "read ms": Math.round(performance.now() - reading),
      frames: read,
      "RSS + MiB": Math.round((process.memoryUsage().rss - memory) / 1024 / 1024),
    });
    await journal.close();
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

for (const bytes of [1_024, 65_536]) {
  for (const writers of [1, 8]) await measureAppends(bytes, writers, 0);
}
for (const wait of [1, 5]) await measureAppends(1_024, 8, wait);
await measureAppends(1_024, 64, 0);
await measureRestart(65_536);
await measureRestart(512);
console.table(rows);
