/** @module Tests of the body threads: a thread that dies of one body does not lose the others. */
import { gzipSync } from "node:zlib";

import type { Code } from "@turnproof/semconv";
import { codeOf } from "@turnproof/semconv";
import { expect, test } from "vitest";

import { createBodyThreads } from "./body-threads.ts";
import type { IngestBody } from "./ingest-body.ts";

const settings = { identityKey: { kid: "k1", secret: Buffer.alloc(32, 7) } };

/** A thread that answers after a while, and dies of a body that begins with 1. */
const module: URL = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from "node:worker_threads";
    parentPort.on("message", ({ id, body }) => {
      if (body.bytes[0] === 1) throw new Error("of this body");
      const payload = new Uint8Array(0);
      const part = { items: 1, events: 0, rejected: {}, dropped: {}, payload };
      setTimeout(() => parentPort.postMessage({ id, part, more: false }), 200);
    });`)}`,
);

const keep = (): Promise<void> => Promise.resolve();

/** A body that is too large for the event loop. */
function body(first: number): IngestBody {
  const bytes = new Uint8Array(300_000);
  bytes[0] = first;
  return {
    signal: "traces",
    encoding: "protobuf",
    coding: "identity",
    bytes,
    principal: { name: "local", trusted: true },
    receivedAt: "2026-11-21T10:00:00.000000Z",
  };
}

const outcomeOf = (run: Promise<unknown>): Promise<Code | "taken"> =>
  run.then(
    () => "taken" as const,
    (error: unknown) => codeOf(error),
  );

test("the body a thread dies of is refused for ever, those behind it may come again", async () => {
  const threads = createBodyThreads({ settings, threads: 1, module });
  const bodies = [1, 0, 1, 0].map((first) => outcomeOf(threads.run(body(first), keep)));
  expect(await Promise.all(bodies)).toEqual([
    "internal_error",
    "overloaded",
    // These were in the queue: the next thread has them.
    "internal_error",
    "overloaded",
  ]);
  expect(await outcomeOf(threads.run(body(0), keep))).toBe("taken");
  await threads.close();
});

test("a body in the next thread is not refused by the end of the one before", async () => {
  const threads = createBodyThreads({ settings, threads: 1, module });
  // A thread's error event precedes its exit event: in between the next one is at work already.
  for (let round = 0; round < 3; round += 1) {
    expect(await outcomeOf(threads.run(body(1), keep))).toBe("internal_error");
    expect(await outcomeOf(threads.run(body(0), keep))).toBe("taken");
  }
  await threads.close();
});

test("a body that no thread takes in time is refused, and those before it are taken", async () => {
  const threads = createBodyThreads({ settings, threads: 1, module, queueMsMax: 1_000 });
  const all = Array.from({ length: 30 }, () => outcomeOf(threads.run(body(0), keep)));
  const outcomes = await Promise.all(all);
  expect(outcomes.slice(0, 2)).toEqual(["taken", "taken"]);
  // Limits of one moment may end on both sides of a body that a thread takes.
  expect(new Set(outcomes)).toEqual(new Set(["taken", "overloaded"]));
  expect(await outcomeOf(threads.run(body(0), keep))).toBe("taken");
  await threads.close();
});

test("a body in the queue is refused when the threads are closed", async () => {
  const threads = createBodyThreads({ settings, threads: 1, module });
  const all = Array.from({ length: 4 }, () => outcomeOf(threads.run(body(0), keep)));
  await threads.close();
  expect(await Promise.all(all)).toEqual(Array(4).fill("overloaded"));
});

/** A thread that returns how many bytes it got, as the number of items. */
const counting: URL = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from "node:worker_threads";
    parentPort.on("message", ({ id, body }) => {
      const part = { items: body.bytes.length, rejected: {}, payload: new Uint8Array(0) };
      parentPort.postMessage({ id, part, more: false });
    });`)}`,
);

/** JSON of so many empty spans. */
function emptySpans(count: number): IngestBody {
  const spans = Array.from({ length: count }, () => "{}").join(",");
  const text = `{"resourceSpans":[{"scopeSpans":[{"spans":[${spans}]}]}]}`;
  return { ...body(0), encoding: "json", bytes: new TextEncoder().encode(text) };
}

test("a body that decompresses to a large one is decompressed in the thread", async () => {
  const threads = createBodyThreads({ settings, threads: 1, module: counting });
  const bytes = new Uint8Array(gzipSync(Buffer.alloc(900_000)));
  const packed = { ...body(0), coding: "gzip" as const, bytes };
  const { byteLength } = bytes;
  expect(byteLength).toBeLessThan(2_000);
  expect(await threads.run(packed, keep)).toMatchObject({ items: byteLength });
  await threads.close();
});

test("JSON of very many objects is processed in the thread, of fewer on the event loop", async () => {
  const threads = createBodyThreads({ settings, threads: 1, module: counting });
  const [many, few] = [emptySpans(80_000), emptySpans(100)];
  const { byteLength } = many.bytes;
  expect(await threads.run(many, keep)).toMatchObject({ items: byteLength });
  expect(await threads.run(few, keep)).toMatchObject({ items: 100 });
  await threads.close();
});

test("of small bodies that come at once a part is processed in a turn of the event loop", async () => {
  const threads = createBodyThreads({ settings, threads: 1, module: counting });
  let done = 0;
  const all = Array.from({ length: 60 }, async () => {
    await threads.run(emptySpans(15_000), keep);
    done += 1;
  });
  await new Promise((resolve) => setImmediate(resolve));
  const doneInTurn = done;
  await Promise.all(all);
  expect(doneInTurn).toBeLessThan(30);
  expect(done).toBe(60);
  await threads.close();
});
