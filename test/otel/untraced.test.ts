/** @module Untraced: whatever ours calls out to is called where the SDK records no span. */
import { context } from "@opentelemetry/api";
import { isTracingSuppressed } from "@opentelemetry/core";
import { BundleExporter, contentFree, storeSink, turnproofProcessor } from "@turnproof/exporter";
import type { ReadableSpanLike, SpoolJournal } from "@turnproof/exporter";
import { attribute } from "@turnproof/semconv";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { contextManager, createProvider, line } from "#sdk";

const chat = { [attribute.genai_operation.span]: "chat", [attribute.model.span]: "m" };
/** What was called, and whether anything that it does would be traced. */
let traced: [what: string, traced: boolean][] = [];

beforeEach(() => {
  traced = [];
  context.setGlobalContextManager(contextManager().enable());
});
afterEach(() => context.disable());

/** Notes the call now, and once more after a turn of the event loop. */
function note(what: string): void {
  traced.push([what, !isTracingSuppressed(context.active())]);
}

const watchedExporter = (code = 0) => ({
  export(_: ReadableSpanLike[], done: (answer: { code: number }) => void): void {
    note("export");
    setTimeout(() => {
      note("export later");
      done({ code });
    });
  },
  async forceFlush(): Promise<void> {
    note("forceFlush");
  },
  async shutdown(): Promise<void> {
    note("shutdown");
  },
});

const watchedJournal = (): SpoolJournal => {
  const frames: unknown[] = [];
  return {
    async append({ payload }) {
      note("append");
      frames.push({ sequence: frames.length + 1, payload, position: {} });
      return { sequence: frames.length };
    },
    async *read() {
      note("read");
      for (const frame of frames.splice(0)) yield frame as never;
      note("read on");
    },
    async checkpoint() {
      note("checkpoint");
    },
    stats: () => ({ pendingFrames: frames.length }) as never,
  };
};

const watchedStore = {
  async append(): Promise<never> {
    note("store");
    return undefined as never;
  },
};

const refused = (): unknown => traced.filter(([, bad]) => bad);
const called = (): unknown => [...new Set(traced.map(([what]) => what))].toSorted();

describe(`calls of ours on line ${line}`, () => {
  test("to an exporter and to a spool", async () => {
    for (const [code, writeThrough] of [
      [0, true],
      [1, false],
    ] as const) {
      const spool = watchedJournal();
      const exporter = watchedExporter(code);
      const processor = turnproofProcessor({ exporter, spool, writeThrough, delayMs: 5 });
      const tracer = createProvider({ spanProcessors: [processor] }).getTracer("app");
      tracer.startSpan("x", { attributes: chat }).end();
      await new Promise((resolve) => setTimeout(resolve, 50));
      tracer.startSpan("y", { attributes: chat }).end();
      await processor.forceFlush();
      await processor.shutdown();
    }
    expect(refused()).toEqual([]);
    const port = ["append", "checkpoint", "read", "read on"];
    const calls = ["export", "export later", "forceFlush", "shutdown"];
    expect(called()).toEqual([...calls, ...port].toSorted());
  });

  test("to an exporter behind the gate alone, and to a store", async () => {
    const spans: ReadableSpanLike[] = [];
    const keep = { onStart() {}, onEnd: (span: ReadableSpanLike) => void spans.push(span) };
    const ends = { forceFlush: async () => {}, shutdown: async () => {} };
    const provider = createProvider({ spanProcessors: [{ ...keep, ...ends }] });
    provider.getTracer("app").startSpan("x", { attributes: chat }).end();
    const gated = contentFree(watchedExporter());
    await new Promise<void>((resolve) => gated.export(spans, () => resolve()));
    await gated.forceFlush?.();
    await gated.shutdown();
    const bundles = new BundleExporter({ store: watchedStore });
    await new Promise<void>((resolve) => bundles.export(spans, () => resolve()));
    const open = storeSink({ store: watchedStore }).start({
      name: "turnproof.intent.plan",
      kind: 0,
      attributes: { [attribute.event_kind.span]: "intent" },
      parent: context.active(),
    });
    await open.end({ status: "success" });
    expect(traced.filter(([what]) => what === "store")).toHaveLength(2);
    expect(refused()).toEqual([]);
  });
});
