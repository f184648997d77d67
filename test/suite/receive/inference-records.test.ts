/**
 * Log records with the details of a model call: readable where an SDK sends nothing else,
 * counted once where it sends the span as well, and never their content.
 */
import { ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-grpc";
import { LoggerProvider, SimpleLogRecordProcessor } from "@opentelemetry/sdk-logs";
import { readMetrics } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { countUsage } from "../../../packages/evidence/src/normalize/usage.ts";
import { reportedModelCalls } from "../../../packages/evidence/src/normalize/reported-model-calls.ts";
import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import { chat, json } from "./harness.ts";
import { openGrpcHarness } from "./grpc-harness.ts";
import type { GrpcHarness } from "./grpc-harness.ts";

const span = chat(7, { "gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 20 });
const stated = {
  "gen_ai.operation.name": "chat",
  "gen_ai.request.model": "m-1",
  "gen_ai.response.id": "resp-1",
  "gen_ai.usage.input_tokens": 100,
  "gen_ai.usage.output_tokens": 20,
  "gen_ai.input.messages": "SECRET words of a person",
};

/** Sends one record by OpenTelemetry's own SDK, in the context of a span or of none. */
async function emit(harness: GrpcHarness, inSpan: boolean, attributes = {}): Promise<void> {
  const exporter = new OTLPLogExporter({ url: harness.grpc.url });
  const provider = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter })] });
  const spanContext = { traceId: span.traceId, spanId: span.spanId, traceFlags: 1 };
  const context = inSpan ? trace.setSpanContext(ROOT_CONTEXT, spanContext) : ROOT_CONTEXT;
  provider.getLogger("stranger").emit({
    eventName: "gen_ai.client.inference.operation.details",
    context,
    timestamp: [1_790_000_000, 5],
    attributes: { ...stated, ...attributes },
  });
  await provider.forceFlush();
  await provider.shutdown();
}

const tokensOf = (events: readonly TurnEvent[]) => {
  const { input_tokens: input, output_tokens: output, usage_state: state } = countUsage(events);
  return { input, output, state };
};

test("an SDK that sends only records is readable, without their content", async () => {
  const harness = await openGrpcHarness();
  await emit(harness, false);
  await emit(harness, true, { "error.type": "timeout" });
  const events = await harness.events();
  expect(events.map((event) => event.event_kind)).toEqual(["model_call", "model_call"]);
  for (const event of events) {
    expect(event).toMatchObject({
      phase: "event",
      attributes: { model: "m-1", input_tokens: 100, output_tokens: 20, genai_operation: "chat" },
    });
    expect(event.root_trace_id).toMatch(/^[0-9a-f]{32}$/);
  }
  expect(events.map((event) => event.status).toSorted()).toContain("error");
  expect(events.some((event) => event.parent_span_id === span.spanId)).toBe(true);
  expect(JSON.stringify(events)).not.toContain("SECRET");
  expect(reportedModelCalls(events).size).toBe(0);
  await harness.close();
});

test("a record beside the span of its call counts once, in either order; a retry is one", async () => {
  const harness = await openGrpcHarness();
  await emit(harness, true);
  await harness.post(encodeProtobuf(traceRequest([span])));
  await emit(harness, true);
  const events = await harness.events();
  expect(events).toHaveLength(2);
  expect(tokensOf(events)).toEqual({ input: 100, output: 20, state: "known" });
  expect([...reportedModelCalls(events)].map((event) => event.phase)).toEqual(["event"]);
  const { observed } = readMetrics(events, { partial: false, failed: false });
  expect(observed.model_results).toBe(1);
  await harness.close();
});

test("several calls in one span that is none of them count each", async () => {
  const harness = await openGrpcHarness();
  await harness.post(encodeProtobuf(traceRequest([{ ...span, attributes: {} }])));
  await emit(harness, true);
  await emit(harness, true, { "gen_ai.response.id": "resp-2" });
  const events = await harness.events();
  expect(tokensOf(events)).toEqual({ input: 200, output: 40, state: "known" });
  expect(reportedModelCalls(events).size).toBe(0);
  await harness.close();
});

test("the older spelling and JSON say the same", async () => {
  const harness = await openGrpcHarness();
  await emit(harness, true);
  const attributes = Object.entries(stated).map(([key, value]) => ({
    key,
    value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
  }));
  const named = "gen_ai.client.inference.operation.details";
  const record = {
    timeUnixNano: "1790000000000000005",
    traceId: span.traceId,
    spanId: span.spanId,
    attributes: [{ key: "event.name", value: { stringValue: named } }, ...attributes],
  };
  const body = { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] };
  expect((await harness.post(JSON.stringify(body), json, "/v1/logs")).status).toBe(200);
  // Both are the same event.
  expect(await harness.events()).toHaveLength(1);
  expect(harness.receiver.conservation()).toMatchObject({ received: 2, rejected: 0 });
  await harness.close();
});
