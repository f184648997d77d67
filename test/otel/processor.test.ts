/** @module Processor: numbers, markers, losses to the unit, spool and sampling. */
import { context, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { evidenceSampler, turnproofProcessor } from "@turnproof/exporter";
import type { ExportHealth, ReadableSpanLike } from "@turnproof/exporter";
import { openJournal } from "@turnproof/journal";
import type { Journal } from "@turnproof/journal";
import { attribute, CodedError } from "@turnproof/semconv";
import { afterEach, describe, expect, test } from "vitest";

import { alwaysOff, createProvider, line } from "#sdk";

const chat = { [attribute.genai_operation.span]: "chat", [attribute.model.span]: "m" };
const turn = { [attribute.genai_operation.span]: "invoke_agent" };

/** An exporter with a given answer that keeps what it accepted. */
function scripted(answer: (call: number) => "done" | "failed" | "throw" | "silent" | "late") {
  const accepted: ReadableSpanLike[] = [];
  let calls = 0;
  return {
    accepted,
    shutdowns: 0,
    export(spans: ReadableSpanLike[], done: (result: { code: number }) => void): void {
      const word = answer(calls++);
      if (word === "throw") throw new Error("CANARY");
      if (word === "silent") return;
      const finish = (): void => {
        if (word === "done") accepted.push(...spans);
        done({ code: word === "done" ? 0 : 1 });
      };
      setTimeout(finish, word === "late" ? 60 : 0);
    },
    async shutdown(): Promise<void> {
      this.shutdowns++;
    },
  };
}

const lost = (health: ExportHealth): number =>
  Object.values(health.dropped).reduce((sum, count) => sum + count, 0);

function balance(health: ExportHealth): void {
  expect(health.exported + health.spooled + health.queued + lost(health)).toBe(health.created);
}

const evidenceOf = (spans: readonly ReadableSpanLike[]): ReadableSpanLike[] =>
  spans.filter((span) => span.attributes[attribute.producer_seq.span] !== undefined);

const reportsOf = (spans: readonly ReadableSpanLike[]): ReadableSpanLike[] =>
  spans.filter((span) => span.attributes[attribute.quality_code.span] === "loss_report");

/** A small generator with a seed, so that a failing run can be played again. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

let folder: string | undefined;
afterEach(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  folder = undefined;
});

describe(`the processor on line ${line}`, () => {
  test("numbers evidence at its end, without a gap, and leaves structure unnumbered", async () => {
    const exporter = scripted(() => "done");
    const processor = turnproofProcessor({ exporter, delayMs: 5 });
    const tracer = createProvider({ spanProcessors: [processor] }).getTracer("app");
    const outer = tracer.startSpan("outer", { attributes: turn });
    tracer.startSpan("inner", { attributes: chat }).end();
    tracer.startSpan("plain").end();
    outer.end();
    await processor.forceFlush();
    const numbers = evidenceOf(exporter.accepted).map((span) => [
      span.name,
      span.attributes[attribute.producer_seq.span],
      span.attributes[attribute.producer_id.span],
    ]);
    expect(numbers).toEqual([
      ["chat m", 1, processor.producerId],
      ["invoke_agent", 2, processor.producerId],
    ]);
    expect(processor.health).toMatchObject({
      created: 2,
      exported: 2,
      structure: { created: 1, exported: 1, dropped: 0 },
    });
    expect(exporter.accepted.map((span) => span.name)).toContain("internal");
  });

  test("nothing that leaves holds content", async () => {
    const exporter = scripted(() => "done");
    const processor = turnproofProcessor({ exporter, markerDelayMs: 0 });
    const tracer = createProvider({ spanProcessors: [processor] }).getTracer("CANARY scope");
    const span = tracer.startSpan("CANARY name", {
      attributes: { ...turn, "gen_ai.input.messages": "CANARY prompt" },
    });
    await processor.forceFlush();
    span.end();
    await processor.shutdown();
    const stated = exporter.accepted.map((item) => [item.name, item.attributes, item.events]);
    expect(JSON.stringify(stated)).not.toContain("CANARY");
    expect(stated.length).toBeGreaterThanOrEqual(3);
  });

  test("a span that stays open leaves a marker, one that ends in time does not", async () => {
    const exporter = scripted(() => "done");
    const processor = turnproofProcessor({ exporter, delayMs: 20 });
    const tracer = createProvider({ spanProcessors: [processor] }).getTracer("app");
    const long = tracer.startSpan("turn", { attributes: turn });
    const parent = trace.setSpan(ROOT_CONTEXT, long);
    const nested = tracer.startSpan("tool", { attributes: { ...chat } }, parent);
    tracer.startSpan("quick", { attributes: chat }).end();
    await expect.poll(() => exporter.accepted.length, { timeout: 10_000 }).toBe(3);
    const markers = exporter.accepted.filter(
      (span) => span.attributes[attribute.phase.span] === "start",
    );
    expect(markers.map((span) => span.attributes[attribute.event_id.span])).toEqual([
      `${long.spanContext().spanId}:start`,
      `${nested.spanContext().spanId}:start`,
    ]);
    expect(markers[0]?.spanContext().traceId).toBe(long.spanContext().traceId);
    expect(markers[0]?.spanContext().spanId).not.toBe(long.spanContext().spanId);
    expect(markers[0]?.parentSpanContext).toBeUndefined();
    expect(markers[1]?.parentSpanContext?.spanId).toBe(long.spanContext().spanId);
    const producers = exporter.accepted.map((s) => s.attributes[attribute.producer_id.span]);
    expect(new Set(producers).size).toBe(1);
    long.end();
    nested.end();
    await processor.shutdown();
    expect(processor.health.markers).toEqual({ created: 2, exported: 2, dropped: 0 });
    expect(processor.health.created).toBe(3);
  });

  test("a flush reports the losses, and only when there is news", async () => {
    const exporter = scripted((call) => (call === 0 ? "failed" : "done"));
    const processor = turnproofProcessor({ exporter });
    const tracer = createProvider({
      spanProcessors: [processor],
      resource: { "service.name": "desk" },
    }).getTracer("app");
    tracer.startSpan("a", { attributes: chat }).end();
    await processor.forceFlush();
    await processor.forceFlush();
    expect(reportsOf(exporter.accepted)).toHaveLength(1);
    const [report] = reportsOf(exporter.accepted);
    expect(report?.attributes).toMatchObject({
      [attribute.event_kind.span]: "data_quality",
      [attribute.producer_id.span]: processor.producerId,
      [attribute.last_seq.span]: 1,
      [attribute.loss_created.span]: 1,
      [attribute.loss_exported.span]: 0,
      [attribute.loss_dropped.span]: 1,
      [attribute.loss_reasons.span]: ["export_failed"],
      [attribute.loss_reason_counts.span]: [1],
    });
    expect(report?.resource.attributes).toEqual({ "service.name": "desk" });
    tracer.startSpan("b", { attributes: chat }).end();
    await processor.forceFlush();
    expect(reportsOf(exporter.accepted)).toHaveLength(2);
  });

  test("an exporter that never answers costs time, not the process, and is counted", async () => {
    const exporter = scripted(() => "silent");
    const processor = turnproofProcessor({
      exporter,
      exportTimeoutMs: 40,
      shutdownDeadlineMs: 20,
    });
    const tracer = createProvider({ spanProcessors: [processor] }).getTracer("app");
    tracer.startSpan("a", { attributes: chat }).end();
    await processor.forceFlush();
    expect(processor.health.dropped).toEqual({ export_timeout: 1 });
    tracer.startSpan("b", { attributes: chat }).end();
    tracer.startSpan("c", { attributes: chat }).end();
    await processor.shutdown();
    expect(processor.health).toMatchObject({
      created: 3,
      queued: 0,
      dropped: { export_timeout: 1, shutdown_deadline: 2 },
    });
    tracer.startSpan("d", { attributes: chat }).end();
    balance(processor.health);
    await new Promise((resolve) => setTimeout(resolve, 60));
    balance(processor.health);
  });

  test("a full queue drops and counts, structure never at the cost of evidence", async () => {
    const exporter = scripted(() => "done");
    const processor = turnproofProcessor({ exporter, queueMax: 10, batchMax: 1_000 });
    const tracer = createProvider({ spanProcessors: [processor] }).getTracer("app");
    for (let at = 0; at < 50; at++) tracer.startSpan("plain").end();
    for (let at = 0; at < 25; at++) tracer.startSpan("x", { attributes: chat }).end();
    await processor.forceFlush();
    expect(processor.health).toMatchObject({
      created: 25,
      exported: 10,
      dropped: { queue_full: 15 },
      structure: { created: 50, exported: 10, dropped: 40 },
    });
  });

  test("counters are right to the unit under random failures", async () => {
    const runs = Number(process.env["LOSS_RUNS"] ?? 12);
    for (let seed = 1; seed <= runs; seed++) {
      const random = randomOf(seed);
      const words = ["done", "done", "failed", "throw", "late", "silent"] as const;
      const exporter = scripted(() => words[Math.floor(random() * words.length)] ?? "done");
      const processor = turnproofProcessor({
        exporter,
        queueMax: 40,
        batchMax: 7,
        delayMs: 1,
        exportTimeoutMs: 30,
        shutdownDeadlineMs: 50,
      });
      const tracer = createProvider({ spanProcessors: [processor] }).getTracer("app");
      for (let at = 0; at < 150; at++) {
        const attributes = random() < 0.6 ? chat : {};
        tracer.startSpan("x", { attributes }).end();
        if (random() < 0.1) await new Promise((resolve) => setTimeout(resolve, 2));
        balance(processor.health);
      }
      await processor.shutdown();
      const { health } = processor;
      balance(health);
      expect([seed, health.queued]).toEqual([seed, 0]);
      const arrived = evidenceOf(exporter.accepted);
      expect([seed, arrived.length >= health.exported]).toEqual([seed, true]);
      const numbers = arrived.map((span) => span.attributes[attribute.producer_seq.span]);
      expect(new Set(numbers).size).toBe(numbers.length);
    }
  });

  test("what cannot be delivered waits on the disk and is delivered once", async () => {
    folder = await mkdtemp(join(tmpdir(), "turnproof-spool-"));
    const spool = await openJournal({ directory: folder });
    let up = false;
    const exporter = scripted(() => (up ? "done" : "failed"));
    const first = turnproofProcessor({ exporter, spool, delayMs: 5, shutdownDeadlineMs: 200 });
    const tracer = createProvider({ spanProcessors: [first] }).getTracer("app");
    for (let at = 0; at < 20; at++) tracer.startSpan("x", { attributes: chat }).end();
    await first.forceFlush();
    expect(first.health).toMatchObject({ created: 20, exported: 0, spooled: 20, dropped: {} });
    await first.shutdown();
    await spool.close();
    up = true;
    const reopened = await openJournal({ directory: folder });
    const second = turnproofProcessor({ exporter, spool: reopened });
    await expect.poll(() => evidenceOf(exporter.accepted).length, { timeout: 10_000 }).toBe(20);
    await expect.poll(() => reopened.stats().pendingFrames, { timeout: 10_000 }).toBe(0);
    expect(second.health).toMatchObject({ created: 0, exported: 0, spooled: 0 });
    const numbers = evidenceOf(exporter.accepted).map(
      (span) => span.attributes[attribute.producer_seq.span],
    );
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
    expect(exporter.accepted[0]?.attributes[attribute.producer_id.span]).toBe(first.producerId);
    await second.shutdown();
    await reopened.close();
  });

  test("a shutdown while nobody answers leaves everything on the disk", async () => {
    folder = await mkdtemp(join(tmpdir(), "turnproof-spool-"));
    const spool = await openJournal({ directory: folder });
    const silent = scripted(() => "silent");
    const sizes = { batchMax: 8, delayMs: 5, shutdownDeadlineMs: 100 };
    const first = turnproofProcessor({ exporter: silent, spool, ...sizes });
    const tracer = createProvider({ spanProcessors: [first] }).getTracer("app");
    for (let at = 0; at < 20; at++) tracer.startSpan("x", { attributes: chat }).end();
    await first.shutdown();
    expect(first.health).toMatchObject({ created: 20, exported: 0, spooled: 20, dropped: {} });
    balance(first.health);
    await spool.close();

    const exporter = scripted(() => "done");
    const reopened = await openJournal({ directory: folder });
    const second = turnproofProcessor({ exporter, spool: reopened });
    await expect.poll(() => reopened.stats().pendingFrames, { timeout: 10_000 }).toBe(0);
    const numbers = evidenceOf(exporter.accepted).map(
      (span) => span.attributes[attribute.producer_seq.span],
    );
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
    await second.shutdown();
    await reopened.close();
  });

  test("while nobody answers, new spans go to the disk at once instead of filling the queue", async () => {
    folder = await mkdtemp(join(tmpdir(), "turnproof-spool-"));
    const spool = await openJournal({ directory: folder });
    let requested = 0;
    const silent = scripted(() => {
      requested++;
      return "silent";
    });
    const sizes = { batchMax: 10, queueMax: 50, delayMs: 5, exportTimeoutMs: 300 };
    const processor = turnproofProcessor({ exporter: silent, spool, ...sizes });
    const tracer = createProvider({ spanProcessors: [processor] }).getTracer("app");
    for (let round = 1; round <= 20; round++) {
      for (let at = 0; at < 20; at++) tracer.startSpan("x", { attributes: chat }).end();
      await expect.poll(() => processor.health.spooled, { timeout: 10_000 }).toBe(round * 20);
    }
    // One export fails before the failure is known; a few more belong to the disk's own tries.
    expect(requested).toBeLessThan(20);
    expect(processor.health).toMatchObject({ created: 400, spooled: 400, dropped: {} });
    await processor.shutdown();
    await spool.close();
  });

  test("a full disk is counted as loss, and is no reason to stop asking the exporter", async () => {
    let up = false;
    const exporter = scripted(() => (up ? "done" : "failed"));
    const spool: Pick<Journal, "append" | "read" | "checkpoint" | "stats"> = {
      append: () => Promise.reject(new CodedError("journal_full")),
      read: async function* () {},
      checkpoint: () => Promise.resolve(),
      stats: () => ({ pendingFrames: 0 }) as never,
    };
    const processor = turnproofProcessor({ exporter, spool, delayMs: 5 });
    const tracer = createProvider({ spanProcessors: [processor] }).getTracer("app");
    tracer.startSpan("x", { attributes: chat }).end();
    await processor.forceFlush();
    expect(processor.health).toMatchObject({
      exported: 0,
      spooled: 0,
      dropped: { export_failed: 1 },
    });
    up = true;
    tracer.startSpan("x", { attributes: chat }).end();
    await processor.forceFlush();
    expect(processor.health).toMatchObject({ exported: 1, dropped: { export_failed: 1 } });
    balance(processor.health);
    await processor.shutdown();
  });

  test("written through, every batch is durable before it is sent", async () => {
    folder = await mkdtemp(join(tmpdir(), "turnproof-spool-"));
    const spool = await openJournal({ directory: folder });
    const exporter = scripted(() => "done");
    const processor = turnproofProcessor({ exporter, spool, writeThrough: true });
    const tracer = createProvider({ spanProcessors: [processor] }).getTracer("app");
    for (let at = 0; at < 5; at++) tracer.startSpan("x", { attributes: chat }).end();
    await processor.forceFlush();
    expect(spool.stats().appendedSpans).toBe(5);
    await expect.poll(() => processor.health.exported, { timeout: 10_000 }).toBe(5);
    expect(evidenceOf(exporter.accepted)).toHaveLength(5);
    balance(processor.health);
    await processor.shutdown();
    await spool.close();
  });
});

describe(`sampling on line ${line}`, () => {
  test("evidence is recorded whatever the sampler says, and other exporters leave it alone", async () => {
    const exporter = scripted(() => "done");
    const processor = turnproofProcessor({ exporter });
    const provider = createProvider({
      spanProcessors: [processor],
      sampler: processor.sampler(alwaysOff()),
    });
    const tracer = provider.getTracer("app");
    const span = tracer.startSpan("x", { attributes: turn });
    expect(span.spanContext().traceFlags & 1).toBe(0);
    expect(span.isRecording()).toBe(true);
    span.end();
    tracer.startSpan("plain").end();
    await processor.forceFlush();
    expect(processor.health).toMatchObject({ created: 1, exported: 1, sampled_out: 0 });
    expect(processor.health.structure.created).toBe(0);
  });

  test("evidence that the app wants sampled is counted and reported", async () => {
    const exporter = scripted(() => "done");
    const processor = turnproofProcessor({ exporter });
    const keep = (kind: string): boolean => kind === "turn";
    const provider = createProvider({
      spanProcessors: [processor],
      sampler: processor.sampler(alwaysOff(), { keep }),
    });
    const tracer = provider.getTracer("app");
    tracer.startSpan("turn", { attributes: turn }).end();
    for (let at = 0; at < 3; at++) tracer.startSpan("x", { attributes: chat }).end();
    await processor.forceFlush();
    expect(processor.health).toMatchObject({ created: 1, exported: 1, sampled_out: 3 });
    const [report] = reportsOf(exporter.accepted);
    expect(report?.attributes[attribute.sampled_out.span]).toBe(3);
  });

  test("the wrapped sampler is asked as the SDK asks it", () => {
    const sampler = evidenceSampler(alwaysOff());
    expect(sampler.toString()).toContain("AlwaysOff");
    const answer = sampler.shouldSample(context.active(), "a".repeat(32), "x", 0, {}, []);
    expect(answer.decision).toBe(0);
  });
});
