/**
 * @module Every span that leaves names its producer: evidence, mere structure and the start marker
 * of what is still open. Only evidence has a number.
 */
import { turnproofProcessor } from "@turnproof/exporter";
import type { ReadableSpanLike } from "@turnproof/exporter";
import { attribute } from "@turnproof/semconv";
import { expect, test } from "vitest";

import { createProvider } from "#sdk";

const { producer_id: producer, producer_seq: seq, phase } = attribute;

test("structure and markers name their producer and have no number", async () => {
  const accepted: ReadableSpanLike[] = [];
  const exporter = {
    export(spans: ReadableSpanLike[], done: (result: { code: number }) => void): void {
      accepted.push(...spans);
      done({ code: 0 });
    },
    shutdown: async (): Promise<void> => {},
  };
  const processor = turnproofProcessor({ exporter, markerDelayMs: 0 });
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
