/**
 * @module Recording by the text: the requirements of recording, response metadata,
 * validation, limits and errors, against the published exports and what a store holds afterwards.
 */
import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { normalizeEvents, reconcileOutcome } from "@turnproof/evidence";
import { storeSink } from "@turnproof/exporter";
import { ObservabilityRecorder, TraceContext } from "@turnproof/instrumentation";
import type { ModelResponse, ResourceRef } from "@turnproof/instrumentation";
import { ephemeral } from "@turnproof/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { codeOf, notes, only, page, play, unsafe } from "./played-turn.ts";

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterAll(() => context.disable());

describe("Recording rules", () => {
  const artifact = (
    recorder: ObservabilityRecorder,
    externalId: string,
    version = "r1",
  ): Promise<void> =>
    recorder.recordArtifact(
      { ...notes, version },
      { inputRefs: [page], producingSpanId: "1".repeat(16), persistenceVerified: true, externalId },
    );

  test("a stable external id is one event, with what was said last; a new one is another", async () => {
    const { events } = await play(async (_, recorder) => {
      await artifact(recorder, "job_1", "r1");
      await artifact(recorder, "job_1", "r2");
      await artifact(recorder, "job_2", "r3");
    });
    const versions = events
      .filter(({ event_kind }) => event_kind === "artifact")
      .map(({ output_refs }) => output_refs?.[0]?.version ?? "");
    expect(new Set(versions)).toEqual(new Set(["r2", "r3"]));
    expect(versions).toHaveLength(2);
  });

  test("external ids of tenants, turns and roots never meet, also under one root", async () => {
    const store = ephemeral();
    const sink = storeSink({ store });
    const identity = { agentId: "a", threadId: "t", runId: "r" };
    const at = (traceId: string): { traceId: string; spanId: string; traceFlags: number } => ({
      traceId,
      spanId: "2".repeat(16),
      traceFlags: 1,
    });
    const one = "1".repeat(32);
    const turns = [
      new TraceContext({ ...identity, userId: "u", turnId: "x" }, at(one)),
      new TraceContext({ ...identity, userId: "u", turnId: "y" }, at(one)),
      new TraceContext({ ...identity, userId: "v", turnId: "x" }, at(one)),
      new TraceContext({ ...identity, userId: null, turnId: "x" }, at(one)),
      new TraceContext({ ...identity, userId: "u", turnId: "x" }, at("3".repeat(32))),
    ];
    for (const turn of turns) await artifact(new ObservabilityRecorder(sink, turn), "job_1");
    const ids: string[] = [];
    for (const tenant of ["u", "v", null]) {
      const { events } = await store.page({ tenant }, {}, { limit: 100 });
      ids.push(...events.map(({ event_id }) => event_id));
    }
    expect(new Set(ids).size).toBe(turns.length);
    expect(ids).toHaveLength(turns.length);
  });

  test("an artifact without sources is recorded, and is a P0 finding unless it needs none", async () => {
    for (const [sourceIndependent, codes] of [
      [false, ["artifact_provenance_invalid"]],
      [true, []],
    ] as const) {
      const { events } = await play(async (_, recorder) => {
        await recorder.recordIntent("x", { expectedArtifactTypes: ["study_notes"] });
        const span = recorder.startSpan("notes.write");
        await span.succeed();
        await recorder.recordArtifact(notes, {
          inputRefs: [],
          producingSpanId: span.spanId,
          persistenceVerified: true,
          sourceIndependent,
        });
      });
      const { findings } = reconcileOutcome([...events]);
      const found = findings.filter(({ code }) => code === "artifact_provenance_invalid");
      expect(found.map(({ code }) => code)).toEqual(codes);
      for (const { priority } of found) expect(priority).toBe(0);
    }
  });
});

describe("Provider response metadata", () => {
  test("what a provider says is kept, and nothing is made of what it does not", async () => {
    const whole: ModelResponse = {
      requestId: "req_1",
      finishReason: "length",
      usage: { inputTokens: 5, outputTokens: 7, totalTokens: 12 },
      responseChars: 31,
    };
    const stated = await only("model_call", (turn) =>
      turn.modelCall({ model: "m", maxOutputTokens: 100 }, async (call) => {
        call.firstChunk();
        await call.respond(whole);
      }),
    );
    expect(stated.attributes).toMatchObject({
      request_id: "req_1",
      finish_reason: ["length"],
      input_tokens: 5,
      output_tokens: 7,
      total_tokens: 12,
      response_chars: 31,
      max_output_tokens: 100,
    });
    expect(stated.attributes["ttft_ms"]).toBeGreaterThanOrEqual(0);
    expect(stated.attributes["provider_time_ms"]).toBeGreaterThanOrEqual(0);
    const silent = await only("model_call", (turn) =>
      turn.modelCall({ model: "m" }, (call) => call.respond()),
    );
    const unknown = [
      "request_id",
      "finish_reason",
      "input_tokens",
      "output_tokens",
      "total_tokens",
    ];
    for (const name of [...unknown, "response_chars", "retry_count", "ttft_ms"]) {
      expect(Object.keys(silent.attributes)).not.toContain(name);
    }
  });
});

describe("Metadata validation and limits", () => {
  const refused: readonly (readonly [what: string, attributes: object, code: string])[] = [
    ["a nested map", { fallback_reason: { why: "x" } }, "attribute_nested"],
    ["an unknown field", { favourite_colour: "red" }, "attribute_unknown"],
    ["a field of the prototype", { constructor: "x" }, "attribute_unknown"],
    ["a field of another kind", { parser_status: "success" }, "attribute_kind"],
    ["a number that is none", { retry_count: Number.NaN }, "attribute_"],
    ["an infinite number", { retry_count: Number.POSITIVE_INFINITY }, "attribute_"],
    ["an e-mail", { error_code: unsafe["an e-mail"] }, "attribute_"],
    ["a URL", { fallback_reason: unsafe["a URL"] }, "attribute_"],
    ["a credential", { fallback_reason: unsafe["a credential"] }, "attribute_"],
    ["a text of 241 characters", { fallback_reason: "a".repeat(241) }, "attribute_too_long"],
    ["a text where a flag belongs", { side_effect: "true" }, "attribute_type"],
  ];
  test.each(refused)("%s is refused, and nothing is stored", async (_, attributes, code) => {
    const { events } = await play(async (__, recorder) => {
      const stated = await codeOf(() => recorder.startSpan("notes.write", { attributes }));
      expect(stated.startsWith(code)).toBe(true);
    });
    expect(events.map(({ event_kind }) => event_kind)).toEqual(["turn"]);
  });

  test("240 characters and 32 entries pass, 33 do not", async () => {
    const many = (count: number): ResourceRef[] =>
      Array.from({ length: count }, (_, n) => ({ ...page, ref: `page_${n}` }));
    const event = await only("intent", (_, recorder) =>
      recorder.recordIntent("x", { inputRefs: many(32), taskId: "t".repeat(240) }),
    );
    expect(event.input_refs).toHaveLength(32);
    expect(event.task_id).toHaveLength(240);
    await play(async (_, recorder) => {
      const record = (): unknown => recorder.recordIntent("x", { inputRefs: many(33) });
      expect(await codeOf(record)).toBe("attribute_list_too_long");
    });
  });
});

/** What a host without types may pass. */
type Loose = Record<string, (...given: unknown[]) => unknown>;

describe("Errors", () => {
  const producer = { producingSpanId: "1".repeat(16), inputRefs: [page] };
  const misuse: readonly (readonly [what: string, record: (recorder: Loose) => unknown])[] = [
    [
      "an artifact without its sources",
      (r) => r["recordArtifact"]?.(notes, { ...producer, inputRefs: undefined }),
    ],
    [
      "an artifact without its producer",
      (r) => r["recordArtifact"]?.(notes, { inputRefs: [page] }),
    ],
    ["an artifact without anything", (r) => r["recordArtifact"]?.(notes)],
    ["an artifact that is none", (r) => r["recordArtifact"]?.(undefined, producer)],
    ["references that are no list", (r) => r["recordIntent"]?.("x", { inputRefs: "page_1" })],
    ["a reference that is none", (r) => r["recordDelivery"]?.("x", { inputRefs: [undefined] })],
    [
      "a reference without its ref",
      (r) => r["recordDelivery"]?.("x", { inputRefs: [{ resourceType: "page" }] }),
    ],
    ["an acknowledgement in words", (r) => r["recordDelivery"]?.("x", { acknowledged: "yes" })],
    ["a name that is no word", (r) => r["recordIntent"]?.("Write the notes!")],
    ["a name that is no text", (r) => r["startSpan"]?.(7)],
  ];
  test.each(misuse)("%s is refused by a code", async (_, record) => {
    const { events } = await play(async (__, recorder) => {
      expect(await codeOf(() => record(recorder as unknown as Loose))).toMatch(/^[a-z_]+$/);
    });
    expect(events.map(({ event_kind }) => event_kind)).toEqual(["turn"]);
  });

  test("a contract's record that says nothing is refused by a code", async () => {
    await play(async (_, recorder) => {
      const contract = recorder.contract("x");
      const record = (): unknown => contract.record(undefined as never);
      expect(await codeOf(record)).toBe("record_invalid");
    });
  });

  test("a carrier keeps root, turn, run, thread, memory and parent, and is refused otherwise", async () => {
    const { turn } = await play(() => undefined);
    const carrier = turn.toCarrier();
    const read = TraceContext.fromCarrier(carrier);
    expect(read.identity).toEqual(turn.identity);
    expect(read.rootTraceId).toBe(turn.rootTraceId);
    expect(read.spanContext.spanId).toBe(turn.spanContext.spanId);
    const { traceparent = "", baggage = "" } = carrier;
    for (const broken of [
      {},
      { traceparent },
      { baggage },
      { ...carrier, tenant: "u" },
      { traceparent, baggage: `${baggage},other=1` },
      { traceparent, baggage: baggage.replace(/turnproof\.run_id=[^,]+,/, "") },
      null,
      "text",
      [carrier],
    ]) {
      expect(await codeOf(() => TraceContext.fromCarrier(broken))).toMatch(/^carrier_/);
    }
  });

  test("what was recorded normalizes without an error", async () => {
    const { events } = await play(async (turn, recorder) => {
      await turn.supplied({ count: 1 });
      await recorder.recordIntent("x", { inputRefs: [page] });
    });
    expect(normalizeEvents([...events]).errors).toEqual([]);
  });
});
