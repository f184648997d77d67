/** @module Span watch: markers that leave at once, and the heartbeat of what stays open. */
import { turnproofProcessor } from "@turnproof/exporter";
import type { ReadableSpanLike, TurnproofProcessorOptions } from "@turnproof/exporter";
import { attribute, producerReports } from "@turnproof/semconv";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { createProvider, line } from "#sdk";

const turn = { [attribute.genai_operation.span]: "invoke_agent" };
const chat = { [attribute.genai_operation.span]: "chat", [attribute.model.span]: "m" };
const action = { [attribute.event_kind.span]: "application_action" };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watched(options: Partial<TurnproofProcessorOptions<ReadableSpanLike>> = {}) {
  const batches: ReadableSpanLike[][] = [];
  const exporter = {
    export(spans: ReadableSpanLike[], done: (answer: { code: number }) => void): void {
      batches.push(spans);
      done({ code: 0 });
    },
    shutdown: async (): Promise<void> => {},
  };
  const processor = turnproofProcessor({ exporter, reportEveryMs: 1e9, ...options });
  const tracer = createProvider({
    spanProcessors: [processor],
    resource: { "service.name": "desk" },
  }).getTracer("app");
  const stated = (name: string): unknown[] =>
    batches.flat().flatMap(({ attributes }) => attributes[name] ?? []);
  return { batches, processor, tracer, stated };
}

const codes = attribute.quality_code.span;

describe(`what is open on line ${line}`, () => {
  test("a turn and an action say at once that they began; a call when it takes long", async () => {
    const { tracer, stated } = watched();
    const spans = [turn, action, chat].map((attributes) => tracer.startSpan("x", { attributes }));
    const [first, second, third] = spans.map((span) => `${span.spanContext().spanId}:start`);
    await vi.advanceTimersByTimeAsync(110);
    expect(stated(attribute.event_id.span)).toEqual([first, second]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(stated(attribute.event_id.span)).toEqual([first, second, third]);
  });

  test("a turn that ends in time says nothing of its begin", async () => {
    const { tracer, stated, batches } = watched();
    tracer.startSpan("x", { attributes: turn }).end();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(stated(attribute.phase.span)).toEqual([]);
    expect(batches).toHaveLength(1);
  });

  test("many turns that begin share their exports", async () => {
    const { tracer, stated, batches } = watched();
    for (let at = 0; at < 100; at++) {
      setTimeout(() => tracer.startSpan("x", { attributes: turn }), at * 10);
    }
    await vi.advanceTimersByTimeAsync(1_500);
    expect(stated(attribute.event_id.span)).toHaveLength(100);
    expect(batches.length).toBeLessThanOrEqual(6);
  });

  test("a producer beats each 30 s while something is open, and falls silent after", async () => {
    const { tracer, stated, batches, processor } = watched();
    const open = [turn, chat].map((attributes) => tracer.startSpan("x", { attributes }));
    await vi.advanceTimersByTimeAsync(95_000);
    const { heartbeat } = producerReports;
    expect(stated(codes)).toEqual([heartbeat, heartbeat, heartbeat]);
    expect(stated(attribute.open_spans.span)).toEqual([2, 2, 2]);
    open[0]?.end();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(stated(attribute.open_spans.span)).toEqual([2, 2, 2, 1]);
    open[1]?.end();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(stated(codes)).toHaveLength(4);
    const beat = batches.flat().find(({ attributes }) => attributes[codes] === heartbeat);
    expect(beat?.attributes).toEqual({
      [attribute.event_kind.span]: "data_quality",
      [attribute.phase.span]: "event",
      [attribute.status.span]: "success",
      [codes]: heartbeat,
      [attribute.producer_id.span]: processor.producerId,
      [attribute.open_spans.span]: 2,
    });
    expect(beat?.resource.attributes).toEqual({ "service.name": "desk" });
    expect(processor.health).toMatchObject({ created: 2, exported: 2 });
  });

  test("without markers there is neither", async () => {
    const { tracer, batches } = watched({ markerDelayMs: false });
    tracer.startSpan("x", { attributes: turn });
    await vi.advanceTimersByTimeAsync(70_000);
    expect(batches).toEqual([]);
  });
});
