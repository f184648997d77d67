/**
 * OTLP/gRPC by strangers: `@grpc/grpc-js` and OpenTelemetry's own exporters. The same receiver, the
 * same limits and principals as over HTTP, and statuses as OTLP and gRPC name them.
 */
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-grpc";
import { Metadata, credentials } from "@grpc/grpc-js";
import { ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-grpc";
import { LoggerProvider, SimpleLogRecordProcessor } from "@opentelemetry/sdk-logs";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { attribute } from "@turnproof/semconv";
import { expect, test } from "vitest";

import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import { chat, openHarness } from "./harness.ts";
import { clientOf, healthCheck, metricsService, traceService, unary } from "./grpc-client.ts";
import { openGrpcHarness } from "./grpc-harness.ts";
import { bytes, number, request, span, text } from "./wire-writer.ts";

test("spans over gRPC are the events that they are over HTTP", async () => {
  const over = await openGrpcHarness();
  const plain = await openHarness();
  const body = encodeProtobuf(
    traceRequest([chat(1, { [attribute.input_tokens.span]: 7 }), chat(2)]),
  );
  expect(await over.call(traceService, body)).toMatchObject({ code: 0, body: Buffer.alloc(0) });
  await plain.post(body);
  const stated = (events: Awaited<ReturnType<typeof plain.events>>) =>
    events
      .map((event) => ({ ...event, received_at: "" }))
      .toSorted((a, b) => (a.span_id! < b.span_id! ? -1 : 1));
  expect(stated(await over.events())).toEqual(stated(await plain.events()));
  expect(await over.events()).toHaveLength(2);
  await over.close();
  await plain.close();
});

test.each(["none", "gzip"])("OpenTelemetry's exporter, compression %s", async (compression) => {
  const harness = await openGrpcHarness({ tokens: [{ name: "shop", token: "t".repeat(20) }] });
  const metadata = new Metadata();
  metadata.set("authorization", `Bearer ${"t".repeat(20)}`);
  const exporter = new OTLPTraceExporter({
    url: harness.grpc.url,
    credentials: credentials.createInsecure(),
    compression: compression as never,
    metadata,
  });
  const provider = new TracerProvider({
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer("stranger");
  for (let index = 0; index < 300; index++) {
    tracer
      .startSpan("chat", {
        attributes: { "gen_ai.operation.name": "chat", "app.text": "secret" },
      })
      .end();
  }
  await provider.forceFlush();
  await provider.shutdown();
  const events = await harness.events();
  expect(events).toHaveLength(300);
  expect(new Set(events.map((event) => event.event_kind))).toEqual(new Set(["model_call"]));
  expect(new Set(events.map((event) => event.ingest_principal))).toEqual(new Set(["shop"]));
  expect(JSON.stringify(events)).not.toContain("secret");
  await harness.close();
});

test("OpenTelemetry's log exporter: evaluations are kept, other records rejected", async () => {
  const harness = await openGrpcHarness();
  const exporter = new OTLPLogExporter({ url: harness.grpc.url });
  const provider = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter })] });
  const logger = provider.getLogger("stranger");
  const spanContext = { traceId: "a".repeat(32), spanId: "b".repeat(16), traceFlags: 1 };
  const context = trace.setSpanContext(ROOT_CONTEXT, spanContext);
  logger.emit({
    eventName: "gen_ai.evaluation.result",
    context,
    body: "the answer was rude",
    attributes: { "gen_ai.evaluation.name": "politeness", "gen_ai.evaluation.score.value": 0.5 },
  });
  logger.emit({ body: "a line of a log", context });
  await provider.forceFlush();
  await provider.shutdown();
  const events = await harness.events();
  expect(events).toHaveLength(1);
  expect(events[0]).toMatchObject({ event_kind: "feedback", parent_span_id: "b".repeat(16) });
  expect(JSON.stringify(events)).not.toContain("rude");
  expect(harness.receiver.conservation().rejected_reasons).toEqual({ log_not_evidence: 1 });
  await harness.close();
});

test("a partial success, and metrics that nobody keeps", async () => {
  const harness = await openGrpcHarness();
  const answer = await harness.call(traceService, request(span(), span(number(5, 1))));
  expect(answer.code).toBe(0);
  expect(answer.body.subarray(2, 4)).toEqual(Buffer.from([8, 1]));
  expect(answer.body.toString("latin1")).toContain("span_malformed 1");
  // One gauge with two points.
  const point = bytes(1);
  const metrics = bytes(1, bytes(2, bytes(2, text(1, "m"), bytes(5, point, point))));
  const refused = await harness.call(metricsService, metrics);
  expect(refused.code).toBe(0);
  expect(refused.body.subarray(2, 4)).toEqual(Buffer.from([8, 2]));
  expect(harness.receiver.conservation()).toMatchObject({ received: 4, rejected: 3 });
  await harness.close();
});

/** Seconds of google.rpc.RetryInfo in a google.rpc.Status, by its bytes. */
function retrySeconds(details: Buffer | undefined): number {
  const at = details?.indexOf("google.rpc.RetryInfo") ?? -1;
  if (details === undefined || at < 0) return 0;
  // value = 2 { retry_delay = 1 { seconds = 1 } } behind the type's name.
  const rest = details.subarray(at + "google.rpc.RetryInfo".length);
  expect([...rest.subarray(0, 5)]).toEqual([0x12, 4, 0x0a, 2, 8]);
  return rest[5] as number;
}

test("each refusal has OTLP's status; one that may pass later says when", async () => {
  const tokens = [
    { name: "shop", token: "t".repeat(20), applicationId: "shop" },
    { name: "other", token: "o".repeat(20) },
  ];
  const harness = await openGrpcHarness({
    tokens,
    receiver: { budgetBytes: 100_000, wrongCredential: () => 0 },
  });
  const good = { authorization: `Bearer ${"t".repeat(20)}` };
  const one = encodeProtobuf(traceRequest([chat(1)], { "service.name": "shop" }));
  const cases: readonly (readonly [string, Uint8Array, Record<string, string>, number, RegExp])[] =
    [
      ["no token", one, {}, 16, /^unauthenticated: /],
      [
        "a wrong token",
        one,
        { authorization: "Bearer nobody-has-this-one" },
        16,
        /^unauthenticated/,
      ],
      ["a token of ours", one, { "x-turnproof-token": "o".repeat(20) }, 0, /^$/],
      ["Basic", one, { authorization: `Basic ${btoa(`u:${"t".repeat(20)}`)}` }, 0, /^$/],
      ["no protobuf", Buffer.from("hello"), good, 3, /^otlp_malformed: /],
      ["more than the budget", Buffer.alloc(200_000), good, 14, /^overloaded: /],
      ["the good one", one, good, 0, /^$/],
    ];
  for (const [name, body, metadata, code, message] of cases) {
    const answer = await harness.call(traceService, body, metadata);
    expect(answer.code, name).toBe(code);
    expect(answer.message, name).toMatch(message);
    const seconds = retrySeconds(answer.details);
    if (code === 14 || code === 8) expect(seconds, name).toBeGreaterThan(0);
    else expect(seconds, name).toBe(0);
  }
  await harness.close();

  const throttled = await openGrpcHarness({ tokens, receiver: { wrongCredential: () => 9 } });
  const answer = await throttled.call(traceService, one, {
    authorization: "Bearer wrong-token-xyz",
  });
  expect(answer.code).toBe(8);
  expect(retrySeconds(answer.details)).toBeGreaterThan(0);
  await throttled.close();

  const off = await openGrpcHarness({ receiver: { enabled: false } });
  expect(await off.call(traceService, one)).toMatchObject({ code: 14 });
  expect((await off.call(healthCheck, Buffer.alloc(0))).body).toEqual(Buffer.from([8, 2]));
  await off.close();
});

test("a message beyond 64 MiB is refused for good, before it is read", async () => {
  const harness = await openGrpcHarness();
  const answer = await harness.call(traceService, Buffer.alloc(67_108_865));
  expect(answer.code).toBe(3);
  expect(answer.message).toMatch(/^body_too_large: /);
  expect(answer.details).toBeUndefined();
  await harness.close();
});

test("the health service answers for each service, and watches", async () => {
  const harness = await openGrpcHarness({ tokens: [{ name: "shop", token: "t".repeat(20) }] });
  const check = (name: string) =>
    harness.call(healthCheck, name === "" ? Buffer.alloc(0) : text(1, name));
  const serving = Buffer.from([8, 1]);
  expect((await check("")).body).toEqual(serving);
  const service = traceService.split("/")[1] as string;
  expect((await check(service)).body).toEqual(serving);
  expect((await check("shop.Nothing")).code).toBe(5);
  expect((await harness.call("/grpc.health.v1.Health/List", Buffer.alloc(0))).code).toBe(12);
  expect((await harness.call("/shop.Orders/Get", Buffer.alloc(0))).code).toBe(12);

  const same = (body: Buffer): Buffer => body;
  const watch = harness.client.makeServerStreamRequest(
    "/grpc.health.v1.Health/Watch",
    same,
    same,
    Buffer.alloc(0),
  );
  const states: Buffer[] = [];
  watch.on("error", () => {});
  watch.on("data", (state: Buffer) => states.push(state));
  while (states.length < 1) await new Promise((resolve) => setTimeout(resolve, 10));
  await harness.receiver.close(100);
  while (states.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(states).toEqual([Buffer.from([8, 1]), Buffer.from([8, 2])]);
  watch.cancel();
  await harness.close();
});

test("gRPC sent to the HTTP port, and HTTP to the gRPC port, are told where to go", async () => {
  const harness = await openGrpcHarness();
  const lost = clientOf(harness.server.port);
  const sent = encodeProtobuf(traceRequest([chat(1)]));
  for (let round = 0; round < 3; round++) {
    const answer = await unary(lost, traceService, sent);
    expect(answer.code).toBe(12);
    expect(answer.message).toBe(
      `This port takes OTLP/HTTP; send OTLP/gRPC to port ${harness.grpc.port}.`,
    );
  }
  lost.close();
  expect(harness.logged().match(/grpc_on_http_port/g)).toHaveLength(1);
  const answer = await fetch(`${harness.grpc.url}/v1/traces`, {
    method: "POST",
    body: sent as never,
  });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toBe(
    `This port takes OTLP/gRPC; send OTLP/HTTP to port ${harness.server.port}.\n`,
  );
  expect(harness.grpcLogged().match(/http_on_grpc_port/g)).toHaveLength(1);
  // The HTTP port serves as before.
  expect((await harness.post(sent)).status).toBe(200);
  await harness.close();
});

test("close lets a call finish and takes no more", async () => {
  const harness = await openGrpcHarness();
  const body = encodeProtobuf(traceRequest(Array.from({ length: 5_000 }, (_, id) => chat(id + 1))));
  const call = harness.call(traceService, body);
  while (harness.receiver.conservation().requests === 0) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const began = performance.now();
  const closing = harness.grpc.close(20_000);
  expect((await call).code).toBe(0);
  await closing;
  // Nothing waits for the deadline.
  expect(performance.now() - began).toBeLessThan(15_000);
  const late = clientOf(harness.grpc.port);
  expect((await unary(late, traceService, body)).code).toBe(14);
  late.close();
  await harness.close();
});
