/**
 * @module Tests of the block thread: one that dies, hangs, fails to start, or is closed while
 * working.
 */
import type { TurnEvent } from "@turnproof/evidence";
import type { SentFrame } from "@turnproof/journal";
import { expect, test } from "vitest";

import { createBlockThread } from "./block-thread.ts";
import { encodeFrame } from "./frame-codec.ts";

/** A thread's module from its source text. */
const moduleOf = (text: string): URL => new URL(`data:text/javascript,${encodeURIComponent(text)}`);

const worker = (onMessage: string): URL =>
  moduleOf(`import { parentPort } from "node:worker_threads";
    parentPort.on("message", ({ id, frames }) => { ${onMessage} });`);

const event: TurnEvent = {
  schema_version: 3,
  event_id: "b7ad6b7169203331:result",
  event_kind: "span",
  phase: "result",
  status: "success",
  timestamp: "2026-11-21T10:00:00Z",
  received_at: "2026-11-21T10:00:00.000000Z",
  span_id: "b7ad6b7169203331",
  root_trace_id: "0af7651916cd43dd8448eb211c80319c",
  attributes: {},
};

/** Frames with payloads in shared memory, as from the journal's reader. */
function frame(sequence: number, payload: Uint8Array = encodeFrame([event])): SentFrame {
  const shared = Buffer.from(new SharedArrayBuffer(payload.byteLength));
  shared.set(payload);
  return { sequence, payload: shared, spans: 1, appendedAtMs: 0 };
}

test("a thread makes blocks, and says which frames nobody can read and which rows are refused", async () => {
  const thread = createBlockThread();
  const broken = frame(2, Buffer.from("{"));
  expect(await thread.prepare([frame(1), broken], "blocks")).toMatchObject({
    parts: [{ events: 1, receivedAt: event.received_at }],
    unreadable: [1],
  });
  const refused = frame(3, encodeFrame([{ ...event, operation: "x".repeat(241) }]));
  expect(await thread.prepare([frame(1), refused], "blocks")).toEqual({
    parts: [null],
    unreadable: [],
  });
  await thread.close();
});

test.each([
  ["a thread that cannot be loaded", moduleOf("throw new Error('no')")],
  ["a thread that is not there", new URL("file:///nowhere/block-worker.js")],
  ["a thread that ends at once", moduleOf("process.exit(0)")],
  ["a thread that throws", worker("throw new Error('of these frames')")],
  ["a thread that exits", worker("process.exit(3)")],
  ["a thread that says it could not", worker("parentPort.postMessage({ id, prepared: null })")],
  [
    "a thread that runs out of memory",
    worker("const held = []; for (;;) held.push(new Array(1e6).fill(0.5))"),
  ],
])("%s leaves the frames to who asked, each time", async (_, module) => {
  const thread = createBlockThread({ module });
  expect(
    await Promise.all([thread.prepare([frame(1)], "blocks"), thread.prepare([frame(2)], "blocks")]),
  ).toEqual([undefined, undefined]);
  expect(await thread.prepare([frame(3)], "blocks")).toBeUndefined();
  await thread.close();
});

test.each([
  ["never answers", worker("")],
  ["never yields", worker("for (;;);")],
])("a thread that %s is given up, and closing does not wait for it", async (_, module) => {
  const impatient = createBlockThread({ module, answerMsMax: 20 });
  expect(await impatient.prepare([frame(1)], "blocks")).toBeUndefined();
  await impatient.close();
  const patient = createBlockThread({ module });
  const answer = patient.prepare([frame(1)], "blocks");
  await patient.close();
  expect(await answer).toBeUndefined();
  expect(await patient.prepare([frame(2)], "blocks")).toBeUndefined();
});

test("the end of one thread does not answer for the next one", async () => {
  // A thread's error event precedes its exit event: in between the next one is at work already.
  const module = worker(`
    if (frames[0].sequence === 1) throw new Error("of the first");
    setTimeout(() => parentPort.postMessage({ id, prepared: { parts: [], unreadable: [] } }), 200);`);
  const thread = createBlockThread({ module });
  expect(await thread.prepare([frame(1)], "blocks")).toBeUndefined();
  expect(await thread.prepare([frame(2)], "blocks")).toEqual({ parts: [], unreadable: [] });
  await thread.close();
});

test("rows are packed in the thread where there are many spans, and on the event loop where there are few", async () => {
  const thread = createBlockThread();
  const many = encodeFrame(
    Array.from({ length: 600 }, (_, index) => ({ ...event, event_id: `${index}:result` })),
  );
  const [part] = (await thread.prepare([{ ...frame(1, many), spans: 600 }], "rows"))?.parts ?? [];
  expect(part).toMatchObject({
    events: 600,
    rows: [{ events: 600, root_trace_id: expect.any(String) }],
  });
  expect(await thread.prepare([frame(2)], "rows")).toBeUndefined();
  await thread.close();
});
