/** @module No harm: whatever an exporter or a span does, nothing of ours throws into the host. */
import { turnproofProcessor } from "@turnproof/exporter";
import type { ReadableSpanLike } from "@turnproof/exporter";
import { attribute } from "@turnproof/semconv";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { alwaysOff, createProvider, line } from "#sdk";

const turn = { [attribute.genai_operation.span]: "invoke_agent" };
const rejected: unknown[] = [];
const note = (error: unknown): void => void rejected.push(error);

beforeEach(() => {
  rejected.length = 0;
  process.on("unhandledRejection", note);
});
afterEach(() => void process.off("unhandledRejection", note));

const bad = (): never => {
  throw new Error("CANARY");
};

/** An exporter that throws at once, or rejects. */
const exporters = {
  throwing: { export: bad, forceFlush: bad, shutdown: bad },
  rejecting: {
    export: () => Promise.reject(new Error("CANARY")) as never,
    forceFlush: () => Promise.reject(new Error("CANARY")),
    shutdown: () => Promise.reject(new Error("CANARY")),
  },
} as const;

describe(`no harm on line ${line}`, () => {
  test.each(["throwing", "rejecting"] as const)("of an exporter that is %s", async (how) => {
    const processor = turnproofProcessor({
      exporter: exporters[how],
      delayMs: 5,
      exportTimeoutMs: 50,
      flushDeadlineMs: 100,
      shutdownDeadlineMs: 100,
    });
    const tracer = createProvider({ spanProcessors: [processor] }).getTracer("app");
    tracer.startSpan("x", { attributes: turn }).end();
    await processor.forceFlush();
    const open = tracer.startSpan("x", { attributes: turn });
    await processor.shutdown();
    open.end();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(rejected).toEqual([]);
    const { created, exported, queued, dropped } = processor.health;
    const lost = Object.values(dropped).reduce((sum, count) => sum + count, 0);
    expect([created, exported, queued, lost]).toEqual([2, 0, 0, 2]);
  });

  test("of a span or of attributes that cannot be read", () => {
    const processor = turnproofProcessor({ exporter: exporters.throwing });
    const hostile = new Proxy({}, { get: bad, ownKeys: bad }) as ReadableSpanLike;
    expect(() => processor.onStart(hostile)).not.toThrow();
    expect(() => processor.onEnd(hostile)).not.toThrow();
    const sampler = processor.sampler(alwaysOff());
    const attributes = hostile as never;
    expect(sampler.shouldSample({} as never, "1", "x", 0, attributes, [])).toMatchObject({
      decision: 0,
    });
  });
});
