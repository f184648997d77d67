/** The journal on a real disk: order, checkpoints, the bound, one owner. */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { inspectJournal } from "./inspect.ts";
import { openJournal } from "./open-journal.ts";
import type { Journal } from "./contract.ts";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "journal-"));
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

async function contents(journal: Journal): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const frame of journal.read()) texts.push(Buffer.from(frame.payload).toString());
  return texts;
}

const payload = (text: string): Uint8Array => Buffer.from(text);

describe("a journal", () => {
  test("gives back what it acknowledged, in order, after it was opened again", async () => {
    const first = await openJournal({ directory });
    const sent = Array.from({ length: 500 }, (_, index) => `frame ${index}`);
    await Promise.all(sent.map((text) => first.append({ payload: payload(text), spans: 2 })));
    expect(await contents(first)).toEqual(sent);
    await first.close();

    const second = await openJournal({ directory });
    expect(await contents(second)).toEqual(sent);
    expect(second.stats()).toMatchObject({ pendingFrames: 500, pendingSpans: 1000, healthy: true });
    await second.close();
  });

  test("is not inspected while it is open", async () => {
    const journal = await openJournal({ directory });
    await journal.append({ payload: payload("a"), spans: 1 });
    expect(await inspectJournal(directory)).toBeUndefined();
    await journal.close();
    const whole = { ranges: 0, lostFrames: 0, missingSegments: 0, segments: [] };
    expect(await inspectJournal(directory)).toEqual(whole);
  });

  test("forgets what was checkpointed and unlinks whole segments", async () => {
    const journal = await openJournal({ directory, segmentBytes: 2_000, bytesMax: 1_000_000 });
    for (let index = 0; index < 100; index += 1) {
      await journal.append({ payload: payload(`${index}`.padEnd(100)), spans: 1 });
    }
    const segments = journal.stats().segments;
    expect(segments).toBeGreaterThan(5);
    await journal.checkpoint(60);
    expect(journal.stats()).toMatchObject({ pendingFrames: 40, pendingSpans: 40 });
    expect(journal.stats().segments).toBeLessThan(segments);
    await journal.close();

    const again = await openJournal({ directory });
    expect((await contents(again)).map(Number)).toEqual(
      Array.from({ length: 40 }, (_, index) => index + 60),
    );
    await again.checkpoint(100);
    expect(again.stats().pendingFrames).toBe(0);
    await again.close();
    const left = (await readdir(directory)).filter((name) => name.endsWith(".segment"));
    expect(left).toEqual([]);
  });

  test("refuses at its bound before anything is written, and takes again after a drain", async () => {
    const journal = await openJournal({ directory, bytesMax: 10_000, segmentBytes: 2_000 });
    let taken = 0;
    for (;;) {
      const append = journal.append({ payload: payload("x".repeat(300)), spans: 1 });
      const outcome = await append.then(
        () => "taken",
        (error: unknown) => (error as { code: string }).code,
      );
      if (outcome !== "taken") {
        expect(outcome).toBe("journal_full");
        break;
      }
      taken += 1;
    }
    expect(journal.stats().diskBytes).toBeLessThanOrEqual(10_000);
    expect(journal.stats().pendingFrames).toBe(taken);
    await journal.checkpoint(taken);
    await journal.append({ payload: payload("again"), spans: 1 });
    expect(await contents(journal)).toEqual(["again"]);
    await journal.close();
  });

  test("has one owner", async () => {
    const journal = await openJournal({ directory });
    await expect(openJournal({ directory })).rejects.toMatchObject({ code: "journal_locked" });
    await journal.close();
    const next = await openJournal({ directory });
    await next.close();
  });
});
