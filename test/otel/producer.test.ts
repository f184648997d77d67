/**
 * @module Every span that leaves names its producer: evidence, mere structure and the start marker
 * of what is still open. Only evidence has a number. A report has since when there is evidence.
 */
import { turnproofProcessor } from "@turnproof/exporter";
import type { ReadableSpanLike } from "@turnproof/exporter";
import { attribute } from "@turnproof/semconv";
import { expect, test } from "vitest";

import { alwaysOff, createProvider } from "#sdk";

const { producer_id: producer, producer_seq: seq, phase } = attribute;

/** An exporter that takes everything. */
function collecting(accepted: ReadableSpanLike[]) {
  return {
    export(spans: ReadableSpanLike[], done: (result: { code: number }) => void): void {
      accepted.push(...spans);
      done({ code: 0 });
    },
    shutdown: async (): Promise<void> => {},
  };
}

test("structure and markers name their producer and have no number", async () => {
  const accepted: ReadableSpanLike[] = [];
  const processor = turnproofProcessor({ exporter: collecting(accepted), markerDelayMs: 0 });
  const tracer = createProvider({ spanProcessors: [processor] }).getTracer("app");
  const turn = { [attribute.genai_operation.span]: "invoke_agent" };
  const open = tracer.startSpan("turn", { attributes: turn });
  tracer.startSpan("SELECT").end();
  await processor.forceFlush();
  open.end();
  await processor.shutdown();
  const stated = accepted.map(({ attributes }) => attributes);
  expect(stated.filter((of) => of[phase.span] === "start")).toHaveLength(1);
  expect(stated.filter((of) => of[phase.span] === undefined)).toHaveLength(2);
  const [first] = stated;
  expect(first?.[producer.span]).toMatch(/^[0-9a-f]{16}$/);
  expect(new Set(stated.map((of) => of[producer.span])).size).toBe(1);
  expect(stated.flatMap((of) => of[seq.span] ?? [])).toEqual([1]);
});

test("a report covers the time since the start of the earliest evidence", async () => {
  const accepted: ReadableSpanLike[] = [];
  const processor = turnproofProcessor({ exporter: collecting(accepted) });
  const tracer = createProvider({ spanProcessors: [processor] }).getTracer("app");
  const attributes = { [attribute.genai_operation.span]: "chat" };
  const hourAgo = Date.now() - 3_600_000;
  tracer.startSpan("past", { attributes, startTime: hourAgo }).end(hourAgo + 1_000);
  tracer.startSpan("now", { attributes }).end();
  await processor.shutdown();
  const covered = accepted.flatMap((span) => span.attributes[attribute.loss_covers_ms.span] ?? []);
  expect(covered).toHaveLength(1);
  expect(covered[0]).toBeGreaterThanOrEqual(3_600_000);
  expect(covered[0]).toBeLessThan(3_660_000);
});

test("a report of sampled evidence does not cover a time: when it began is not known", async () => {
  const accepted: ReadableSpanLike[] = [];
  const processor = turnproofProcessor({ exporter: collecting(accepted) });
  const spanProcessors = [processor];
  const sampler = processor.sampler(alwaysOff(), { keep: () => false });
  const tracer = createProvider({ spanProcessors, sampler }).getTracer("app");
  tracer.startSpan("x", { attributes: { [attribute.genai_operation.span]: "chat" } }).end();
  await processor.shutdown();
  const [report] = accepted.map(({ attributes }) => attributes);
  expect(report?.[attribute.sampled_out.span]).toBe(1);
  expect(report).not.toHaveProperty(attribute.loss_covers_ms.span);
});
