/** @module Bundles: spans of either SDK line into a store. */
import { BundleExporter, turnproofProcessor } from "@turnproof/exporter";
import { attribute, CodedError } from "@turnproof/semconv";
import { ephemeral } from "@turnproof/store";
import type { EvidenceBatch } from "@turnproof/store";
import { describe, expect, test } from "vitest";

import { createProvider, line, simpleProcessor } from "#sdk";

const chat = { [attribute.genai_operation.span]: "chat", [attribute.model.span]: "m" };

/** A writer that fails this often, then keeps batches. */
function writer(failures: CodedError[]) {
  const batches: EvidenceBatch[] = [];
  return {
    batches,
    async append(batch: EvidenceBatch): Promise<void> {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      batches.push(batch);
    },
  };
}

describe(`bundles on line ${line}`, () => {
  test("spans become events of one batch, and the same spans make the same batch id", async () => {
    const store = writer([]);
    const exporter = new BundleExporter({ store });
    const spans: never[] = [];
    const provider = createProvider({
      spanProcessors: [
        simpleProcessor({
          export: (batch, done) => {
            spans.push(...(batch as never[]));
            done({ code: 0 });
          },
          shutdown: async () => {},
        }),
      ],
    });
    const tracer = provider.getTracer("app");
    tracer.startSpan("CANARY", { attributes: chat }).end();
    tracer.startSpan("CANARY").end();
    await provider.forceFlush();
    exporter.export(spans, () => {});
    exporter.export(spans, () => {});
    await exporter.forceFlush();
    expect(store.batches.map((batch) => batch.events.length)).toEqual([2, 2]);
    expect(store.batches[0]?.batchId).toMatch(/^[0-9a-f]{64}$/);
    expect(store.batches[1]?.batchId).toBe(store.batches[0]?.batchId);
    expect(JSON.stringify(store.batches)).not.toContain("CANARY");
    expect(exporter.health).toEqual({ written: 4, write_failures: 0 });
  });

  test("what may pass later is tried again, what may not is counted", async () => {
    const store = writer([new CodedError("store_busy"), new CodedError("store_rejected_row")]);
    const exporter = new BundleExporter({ store });
    const processor = turnproofProcessor({ exporter });
    const tracer = createProvider({ spanProcessors: [processor] }).getTracer("app");
    tracer.startSpan("x", { attributes: chat }).end();
    await processor.forceFlush();
    expect(processor.health.dropped).toEqual({ export_failed: 1 });
    expect(exporter.health.write_failures).toBe(1);
    tracer.startSpan("x", { attributes: chat }).end();
    await processor.forceFlush();
    expect(processor.health).toMatchObject({ created: 2, exported: 1, write_failures: 1 });
  });

  test("strict tells the host, once", async () => {
    const store = writer([new CodedError("store_rejected_row")]);
    const exporter = new BundleExporter({ store, strict: true });
    const tracer = createProvider({
      spanProcessors: [simpleProcessor(exporter)],
    }).getTracer("app");
    tracer.startSpan("x", { attributes: chat }).end();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await expect(exporter.forceFlush()).rejects.toMatchObject({ code: "write_failed" });
    await exporter.forceFlush();
  });
});

test("a strict store is heard through the processor, at a flush and not at a shutdown", async () => {
  const failures = [new CodedError("store_rejected_row"), new CodedError("store_rejected_row")];
  const exporter = new BundleExporter({ store: writer(failures), strict: true });
  const processor = turnproofProcessor({ exporter });
  const tracer = createProvider({ spanProcessors: [processor] }).getTracer("app");
  tracer.startSpan("x", { attributes: chat }).end();
  await expect(processor.forceFlush()).rejects.toMatchObject({ code: "write_failed" });
  tracer.startSpan("x", { attributes: chat }).end();
  await processor.shutdown();
  expect(processor.health.created).toBe(2);
});

test("a store answers for what was exported in process", async () => {
  const store = ephemeral();
  const processor = turnproofProcessor({ exporter: new BundleExporter({ store }) });
  const tracer = createProvider({ spanProcessors: [processor] }).getTracer("app");
  const user = { [attribute.user_id.span]: "u-1", [attribute.thread_id.span]: "t-1" };
  const span = tracer.startSpan("x", { attributes: { ...chat, ...user } });
  span.end();
  await processor.forceFlush();
  const root = span.spanContext().traceId;
  const slice = await store.root({ tenant: "u-1" }, root, { limit: 10 });
  expect(slice.events.map((event) => [event.operation, event.thread_id])).toEqual([
    ["chat m", "t-1"],
  ]);
  const other = await store.root({ tenant: "u-2" }, root, { limit: 10 });
  expect(other.events).toEqual([]);
});
