/**
 * @module Batching: our processor calls its exporter about as often as the SDK's batch processor,
 * both fed by the same spans in one run: steadily, in bursts, and in random patterns of both.
 */
import { turnproofProcessor } from "@turnproof/exporter";
import { attribute } from "@turnproof/semconv";
import { afterEach, describe, expect, test, vi } from "vitest";

import { batchProcessor, createProvider, line } from "#sdk";

const chat = { [attribute.genai_operation.span]: "chat", [attribute.model.span]: "m" };
const turn = { [attribute.genai_operation.span]: "invoke_agent" };

/** Answers after so long, and counts. */
function slow(answerMs: number) {
  const seen = { exports: 0, spans: 0 };
  return {
    seen,
    export(spans: unknown[], done: (answer: { code: number }) => void): void {
      seen.exports++;
      seen.spans += spans.length;
      setTimeout(() => done({ code: 0 }), answerMs);
    },
    shutdown: async (): Promise<void> => {},
  };
}

interface Counts {
  readonly exports: number;
  readonly spans: number;
}

/** Feeds both: pairs of a time in milliseconds and a number of spans that end then. */
async function fed(
  answerMs: number,
  pattern: readonly (readonly [at: number, spans: number])[],
  untilMs: number,
): Promise<{ readonly ours: Counts; readonly theirs: Counts }> {
  vi.useFakeTimers();
  const [mine, plain] = [slow(answerMs), slow(answerMs)];
  const long = { reportEveryMs: 1e9, shutdownDeadlineMs: 60_000 };
  const processor = turnproofProcessor({ exporter: mine, delayMs: 1_000, ...long });
  const delay = { maxQueueSize: 8_192, maxExportBatchSize: 512, scheduledDelayMillis: 1_000 };
  const sdk = batchProcessor(plain, delay);
  const tracer = createProvider({ spanProcessors: [processor, sdk] }).getTracer("app");
  let count = 0;
  for (const [at, spans] of pattern) {
    setTimeout(() => {
      for (let left = spans; left > 0; left--) {
        tracer.startSpan("x", { attributes: ++count % 8 === 0 ? turn : chat }).end();
      }
    }, at);
  }
  await vi.advanceTimersByTimeAsync(untilMs);
  const [ours, theirs] = [{ ...mine.seen }, { ...plain.seen }];
  const ended = Promise.all([processor.shutdown(), sdk.shutdown()]);
  await vi.runAllTimersAsync();
  await ended;
  expect(mine.seen.spans).toBeGreaterThanOrEqual(count);
  expect(processor.health).toMatchObject({ created: count, exported: count, dropped: {} });
  return { ours, theirs };
}

/** Spans that end evenly. */
const steady = (perSecond: number, seconds: number): [number, number][] =>
  Array.from({ length: perSecond * seconds }, (_, at) => [(at * 1_000) / perSecond, 1]);

afterEach(() => void vi.useRealTimers());

describe(`exports beside the SDK's batch processor, on line ${line}`, () => {
  test("160 spans a second, an exporter of 20 ms, a delay of 1 s", async () => {
    const { ours, theirs } = await fed(20, steady(160, 6), 6_500);
    expect(theirs.exports).toBeLessThanOrEqual(7);
    expect(ours.exports).toBeLessThanOrEqual(theirs.exports * 1.1);
    expect(ours.spans).toBeGreaterThanOrEqual(theirs.spans);
  });

  test.each([
    ["small bursts", 20, 200, 700],
    ["bursts that fill a batch", 20, 600, 700],
    ["bursts that fill many", 20, 3_000, 1_500],
    ["bursts and a slow exporter", 700, 600, 400],
  ] as const)("%s", async (_, answerMs, size, everyMs) => {
    const bursts = Array.from({ length: 10 }, (__, at): [number, number] => [at * everyMs, size]);
    const { ours, theirs } = await fed(answerMs, bursts, 10 * everyMs + 2_000);
    expect(ours.exports).toBeLessThanOrEqual(theirs.exports * 1.1);
  });

  test("random patterns", async () => {
    let seed = 1;
    const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
    const sums = { ours: 0, theirs: 0 };
    for (let run = 0; run < 30; run++) {
      const pattern = Array.from({ length: 60 }, (): [number, number] => [
        Math.floor(random() * 6_000),
        random() < 0.2 ? Math.floor(random() * 900) : 1,
      ]);
      const { ours, theirs } = await fed(Math.floor(random() * 200), pattern, 8_000);
      sums.ours += ours.exports;
      sums.theirs += theirs.exports;
    }
    expect(sums.ours).toBeLessThanOrEqual(sums.theirs * 1.1);
  });
});
