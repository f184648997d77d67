/** @module What is recorded: identity on every event, steps under their parents, no content. */
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { attribute, CodedError } from "@turnproof/semconv";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import {
  forWorker,
  ObservabilityRecorder,
  otelSink,
  TraceContext,
  Turn,
  withTurn,
} from "./index.ts";
import type { EvidenceSink } from "./index.ts";
import { errorTypeOf } from "./error-type.ts";

const exporter = new InMemorySpanExporter();
const identity = { agentId: "helper", userId: "user_1", threadId: "thread_1" };
const spans = (): ReadableSpan[] => exporter.getFinishedSpans();
const named = (name: string): ReadableSpan[] => spans().filter((span) => span.name === name);
const codeOf = (error: unknown): string => (CodedError.is(error) ? error.code : String(error));

beforeAll(() => {
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  // The files of a worker share their modules, so each takes its globals away again.
  expect(trace.setGlobalTracerProvider(provider)).toBe(true);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
beforeEach(() => exporter.reset());
afterAll(() => {
  trace.disable();
  context.disable();
});

describe("a turn", () => {
  test("stamps its identity on everything recorded in it, and nests", async () => {
    await withTurn(
      { ...identity, memoryId: "m", coverageProfile: "chat_response" },
      async (turn) => {
        await turn.cacheDecided({ decision: "miss", fingerprint: "0f".repeat(16) });
        await turn.retrieved({ count: 3, scores: [0.9, 0.4, 0.1] });
        await turn.selected([
          { resource: { resourceType: "note", ref: "n_1" }, candidateRank: 1, selected: true },
        ]);
        await turn.supplied({ count: 1, historyCount: 1, preferenceNames: ["tone"] });
        await turn.modelCall({ model: "desk-1", provider: "openai" }, async (call) => {
          await turn.toolCall({ name: "lookup" }, (tool) => tool.result({ outcome: "empty" }));
          await call.respond({ usage: { inputTokens: 3, outputTokens: 1 }, finishReason: "stop" });
        });
        await turn.referenced({ count: 0 });
        await turn.feedback({ rating: -1, comment: "they were rude", verified: true });
      },
    );
    const root = named("invoke_agent helper")[0]!;
    expect(spans()).toHaveLength(9);
    for (const span of spans()) {
      expect(span.attributes[attribute.user_id.span], span.name).toBe("user_1");
      expect(span.attributes[attribute.thread_id.span], span.name).toBe("thread_1");
      expect(span.spanContext().traceId).toBe(root.spanContext().traceId);
    }
    const model = named("chat desk-1")[0]!;
    expect(model.parentSpanContext?.spanId).toBe(root.spanContext().spanId);
    expect(named("execute_tool lookup")[0]?.parentSpanContext?.spanId).toBe(
      model.spanContext().spanId,
    );
    expect(model.attributes[attribute.output_tokens.span]).toBe(1);
    expect(model.attributes[attribute.cached_tokens.span]).toBeUndefined();
    expect(JSON.stringify(spans().map(({ attributes }) => attributes))).not.toContain("rude");
  });

  test("says how it ended: success, error by class, unknown when nobody said", async () => {
    await withTurn(identity, () => undefined);
    await expect(
      withTurn(identity, () => Promise.reject(new RangeError("secret words"))),
    ).rejects.toThrow(RangeError);
    {
      await using turn = new Turn(identity);
      expect(turn.health.write_failures).toBe(0);
    }
    const statuses = spans().map(({ attributes }) => attributes[attribute.status.span]);
    expect(statuses).toEqual(["success", "error", "unknown"]);
    expect(spans()[1]?.attributes[attribute.error_type.span]).toBe("RangeError");
    expect(
      JSON.stringify(spans().map(({ attributes, events, status }) => [attributes, events, status])),
    ).not.toContain("secret");
  });

  test("sums split counts, and leaves what a provider hides unknown", async () => {
    await withTurn(identity, async (turn) => {
      const usage = { inputTokens: 10, cachedTokens: 5, cacheWriteTokens: 2, splitInput: true };
      await turn.modelCall({ model: "a" }, (call) => call.respond({ usage }));
      await turn.modelCall({ model: "b" }, (call) => call.respond());
      await turn.modelCall({ model: "c" }, () => undefined);
    });
    expect(named("chat a")[0]?.attributes[attribute.input_tokens.span]).toBe(17);
    expect(named("chat b")[0]?.attributes).not.toHaveProperty([attribute.input_tokens.span]);
    expect(named("chat c")[0]?.attributes[attribute.status.span]).toBe("unknown");
  });

  test("times a stream to its first chunk and leaves an abandoned one unknown", async () => {
    async function* chunks(): AsyncGenerator<string> {
      yield "a";
      yield "b";
    }
    await withTurn(identity, async (turn) => {
      await turn.modelCall({ model: "whole" }, async (call) => {
        for await (const chunk of call.stream(chunks())) expect(chunk).toMatch(/a|b/);
        await call.respond();
      });
      await turn.modelCall({ model: "left" }, async (call) => {
        for await (const _ of call.stream(chunks())) break;
      });
    });
    expect(named("chat whole")[0]?.attributes[attribute.ttft_ms.span]).toBeGreaterThanOrEqual(0);
    expect(named("chat left")[0]?.attributes[attribute.status.span]).toBe("unknown");
  });

  test("keeps three states of its tenant apart", async () => {
    const { userId: _, ...nobody } = identity;
    await withTurn({ ...nobody, userId: null }, () => undefined);
    await withTurn(nobody, () => undefined);
    const [anonymous, unattributed] = spans();
    expect(anonymous?.attributes[attribute.scope.span]).toBe("anonymous");
    expect(unattributed?.attributes).not.toHaveProperty([attribute.scope.span]);
    for (const userId of ["", "ada@shop.example", "https://a.example/x"]) {
      expect(() => new Turn({ ...nobody, userId, strict: true })).toThrow(CodedError);
    }
  });

  test("of another tenant, begun in a context that a turn left behind, has its own root", async () => {
    const [own, other, unlinked] = await withTurn(identity, () => [
      new Turn({ ...identity, agentId: "part" }),
      new Turn({ ...identity, userId: "user_2" }),
      new Turn({ agentId: "part", threadId: "thread_1" }),
    ]);
    const root = named("invoke_agent helper")[0]!.spanContext().traceId;
    expect(own.traceContext.rootTraceId).toBe(root);
    expect(unlinked.traceContext.rootTraceId).toBe(root);
    expect(other.traceContext.rootTraceId).not.toBe(root);
  });

  test("1,000 concurrent turns keep their events to themselves", async () => {
    const wait = (): Promise<void> =>
      new Promise((resolve) => {
        if (Math.random() < 0.5) setImmediate(resolve);
        else setTimeout(resolve, Math.random() * 5);
      });
    await Promise.all(
      Array.from({ length: 1_000 }, (_, n) =>
        withTurn({ ...identity, userId: `user_${n}`, turnId: `turn_${n}` }, async (turn) => {
          await wait();
          await Promise.all([
            turn.modelCall({ model: "m" }, async (call) => {
              await wait();
              await turn.supplied({ count: n });
              await call.respond();
            }),
            turn.recorder().span("host.step", async (span) => {
              await wait();
              const job = TraceContext.fromCarrier(span.toCarrier(), { userId: `user_${n}` });
              await job.with(async () => {
                await wait();
                await new ObservabilityRecorder(otelSink(), job).recordDelivery("chat");
              });
            }),
          ]);
        }),
      ),
    );
    const byTurn = Map.groupBy(spans(), ({ attributes }) => attributes[attribute.turn_id.span]);
    expect(byTurn.size).toBe(1_000);
    for (const [turnId, own] of byTurn) {
      const n = String(turnId).slice(5);
      expect(own).toHaveLength(5);
      expect(new Set(own.map((span) => span.spanContext().traceId)).size).toBe(1);
      expect(new Set(own.map(({ attributes }) => attributes[attribute.user_id.span]))).toEqual(
        new Set([`user_${n}`]),
      );
      expect(own.map(({ attributes }) => attributes[attribute.supplied_count.span])).toContain(
        Number(n),
      );
    }
  });
});

describe("a host's context", () => {
  test("keeps twelve fields, counts and fingerprints the rest, copies nothing", async () => {
    await withTurn(identity, (turn) =>
      turn.bindContext({
        requestId: "req_1",
        canonical_page_type: "order",
        threadBindingStatus: "matched",
        groundingSourceIds: ["s_1"],
        ownershipVerified: true,
        pageBody: "CANARY-body",
        clientPageId: "https://shop.example/CANARY",
        nested: { prompt: "CANARY-prompt" },
      }),
    );
    const { attributes } = named("turnproof.context.bind")[0]!;
    expect(attributes).toMatchObject({
      [attribute.provenance_request_id.span]: "req_1",
      [attribute.canonical_page_type.span]: "order",
      [attribute.ownership_verified.span]: true,
      [attribute.dropped_field_count.span]: 3,
    });
    expect(JSON.stringify(attributes)).not.toContain("CANARY");
  });
});

describe("a recorder", () => {
  const recorder = (): ObservabilityRecorder => new Turn(identity).recorder();

  test("records intent, artifact, contract and delivery of one turn with their references", async () => {
    const source = {
      resourceType: "page",
      ref: "p_1",
      version: "3",
      role: "authoritative_current_source",
    };
    const draft = { resourceType: "draft", ref: "d_1", version: "1", ownershipVerified: true };
    const own = recorder();
    await own.recordIntent("write_draft", {
      expectedArtifactTypes: ["draft"],
      inputRefs: [source],
      taskId: "t",
    });
    let producer = "";
    await own.span(
      "drafts.save",
      (span) => {
        producer = span.spanId;
      },
      { taskId: "t" },
    );
    await own.recordArtifact(draft, {
      inputRefs: [source],
      producingSpanId: producer,
      persistenceVerified: true,
      taskId: "t",
    });
    await own.contract("reply", { required: true, outputLimit: 2_200, taskId: "t" }).record({
      openingMarkerFound: true,
      closingMarkerFound: false,
      parserStatus: "partial",
      itemCounts: { block: 2 },
    });
    await own.recordDelivery("browser", {
      emitted: true,
      acknowledged: null,
      inputRefs: [draft],
      taskId: "t",
    });
    const artifact = named("turnproof.artifact.draft")[0]!;
    expect(artifact.attributes).toMatchObject({
      [attribute.output_refs.span]: ["d_1"],
      [attribute.output_ownership.span]: ["true"],
      [attribute.input_roles.span]: ["authoritative_current_source"],
      [attribute.producing_span_id.span]: producer,
      [attribute.artifact_status.span]: "created",
    });
    expect(named("turnproof.contract.reply")[0]?.attributes[attribute.status.span]).toBe("partial");
    expect(named("turnproof.delivery.browser")[0]?.attributes).not.toHaveProperty([
      attribute.acknowledged.span,
    ]);
    expect(own.health).toMatchObject({ recorded: 5, write_failures: 0 });
  });

  test("records an artifact without sources, which is for the judge to refuse", async () => {
    await recorder().recordArtifact(
      { resourceType: "draft", ref: "d_1" },
      { inputRefs: [], producingSpanId: "x" },
    );
    expect(named("turnproof.artifact.draft")[0]?.attributes).not.toHaveProperty([
      attribute.input_refs.span,
    ]);
  });

  test("refuses forbidden metadata before anything is recorded", async () => {
    const own = recorder();
    const attempts: readonly (() => unknown)[] = [
      () => own.startSpan("step", { attributes: { prompt: "words" } as never }),
      () => own.startSpan("step", { attributes: { error_code: { nested: 1 } } as never }),
      () => own.startSpan("step", { attributes: { iteration: Number.NaN } }),
      () => own.startSpan("Step With Words"),
      () =>
        own.recordDelivery("chat", {
          inputRefs: [{ resourceType: "page", ref: "https://a.example/b" }],
        }),
      () =>
        own.recordArtifact(
          { resourceType: "draft", ref: "ada@shop.example" },
          { inputRefs: [], producingSpanId: "x" },
        ),
      () => own.recordIntent("plan", { taskId: `sk-${"a1B2".repeat(8)}` }),
    ];
    for (const attempt of attempts) {
      const code = await Promise.resolve()
        .then(attempt)
        .then(() => "recorded", codeOf);
      expect(code).toMatch(/^(attribute|operation)_/);
    }
    expect(spans()).toHaveLength(0);
    expect(own.health.recorded).toBe(0);
  });

  test("gives one event id to what is recorded again, another to another turn", async () => {
    const ids = async (own: ObservabilityRecorder): Promise<unknown> => {
      exporter.reset();
      await own.recordDelivery("chat", { emitted: true, externalId: "d-1" });
      return spans()[0]?.attributes[attribute.event_id.span];
    };
    const own = recorder();
    const first = await ids(own);
    expect(await ids(own)).toBe(first);
    expect(await ids(recorder())).not.toBe(first);
  });

  test("counts a failed write and goes on, or throws when strict", async () => {
    const failing: EvidenceSink = {
      start: (draft) => ({
        ...otelSink().start(draft),
        end: () => Promise.reject(new Error("words")),
      }),
    };
    const { traceContext } = new Turn(identity);
    const codes: string[] = [];
    const lax = new ObservabilityRecorder(failing, traceContext, {
      log: (code) => codes.push(code),
    });
    await lax.recordDelivery("chat");
    expect(lax.health.write_failures).toBe(1);
    expect(codes).toEqual(["write_failed"]);
    const strict = new ObservabilityRecorder(failing, traceContext, { strict: true });
    await expect(strict.recordDelivery("chat")).rejects.toThrow(/^write_failed/);
  });

  test("a span left without a word is unknown, a throw fails it by class", async () => {
    const own = recorder();
    {
      using _ = own.startSpan("left.sync");
    }
    {
      await using _ = own.startSpan("left.async");
    }
    await expect(own.span("thrown", () => Promise.reject(new TypeError("words")))).rejects.toThrow(
      TypeError,
    );
    await own.span("partial", (span) => span.partial());
    const status = (name: string): unknown => named(name)[0]?.attributes[attribute.status.span];
    expect(["left.sync", "left.async", "thrown", "partial"].map(status)).toEqual([
      "unknown",
      "unknown",
      "error",
      "partial",
    ]);
    expect(named("thrown")[0]?.attributes[attribute.error_type.span]).toBe("TypeError");
  });

  test("an error of a class that a minifier shortened is known by its name", () => {
    class S extends Error {
      override name = "AI_APICallError";
    }
    class Own extends Error {}
    expect([new S("words"), new Own("words")].map(errorTypeOf)).toEqual(["AI_APICallError", "Own"]);
  });
});

describe("a worker", () => {
  const expected = { userId: "user_1" };
  const fallback = { ...identity, runId: "run_f", turnId: "turn_f" };

  test("goes on under its turn, or says that the carrier was missing", async () => {
    const carrier = new Turn(identity).traceContext.toCarrier();
    const turn = await forWorker(carrier, { sink: otelSink(), expected });
    expect(turn.toCarrier()).toEqual(carrier);
    const alone = await forWorker(undefined, { sink: otelSink(), expected, fallback });
    expect(alone.identity.turnId).toBe("turn_f");
    expect(spans()[0]?.attributes[attribute.quality_code.span]).toBe("trace_context_missing");
    await expect(forWorker(undefined, { sink: otelSink(), expected })).rejects.toThrow(
      "carrier_missing",
    );
  });

  test("never takes another tenant's carrier, fallback or not", async () => {
    const carrier = new Turn({ ...identity, userId: "user_2" }).traceContext.toCarrier();
    const options = { sink: otelSink(), expected, fallback };
    await expect(forWorker(carrier, options)).rejects.toThrow("carrier_scope_mismatch");
  });
});
