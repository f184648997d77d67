/**
 * @module Request: what the gate writes as bytes is what it lets through as an object, field by
 * field and refusal by refusal; read back by protobufjs and by the collector's own decoder.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { ROOT_CONTEXT, SpanKind, trace } from "@opentelemetry/api";
import type { HrTime, Link } from "@opentelemetry/api";
import { spanToEvent, turnproofProcessor } from "@turnproof/exporter";
import type { ReadableSpanLike } from "@turnproof/exporter";
import { otlpExporter } from "@turnproof/exporter/register";
import { attribute, registryRows, sourceAttributeNames } from "@turnproof/semconv";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { decodeProtobufSpans } from "../../collector/src/receive/otlp/decode-protobuf.ts";
import { scanProtobuf } from "../../collector/src/receive/otlp/scan-protobuf.ts";
import { compileSourceTables } from "../../collector/src/receive/otlp/source-tables.ts";
import { createGate } from "../../packages/exporter/src/gate/gate.ts";
import { takesRequests, RequestWriter } from "../../packages/exporter/src/wire/trace-request.ts";
import { decodeProtobuf } from "../otlp/encode.ts";
import { createProvider, installFolder, line } from "#sdk";

type Plain = Record<string, unknown>;
const runs = Number(process.env["TURNPROOF_PROPERTY_RUNS"] ?? 300);
const received = { receivedAt: "2026-11-21T00:00:00.000000Z" };

const hex = (bytes: unknown): string => Buffer.from(bytes as Uint8Array).toString("hex");

function plainValue(value: Plain): unknown {
  const list = value["arrayValue"] as { values?: Plain[] } | undefined;
  if (list !== undefined) return (list.values ?? []).map(plainValue);
  if (value["intValue"] !== undefined) return Number(value["intValue"]);
  return value["stringValue"] ?? value["boolValue"] ?? value["doubleValue"];
}

const plainAttributes = (pairs: unknown): Plain =>
  Object.fromEntries(
    ((pairs ?? []) as { key: string; value: Plain }[]).map(({ key, value }) => [
      key,
      plainValue(value),
    ]),
  );

/** Every span of a request as protobufjs reads it, with its resource and scope. */
function read(bytes: Uint8Array): Plain[] {
  const { resourceSpans = [] } = decodeProtobuf(bytes) as { resourceSpans?: Plain[] };
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    (scopeSpans as Plain[]).flatMap(({ scope, spans }) =>
      ((spans ?? []) as Plain[]).map((span) => ({
        resource: plainAttributes((resource as Plain)["attributes"]),
        scope: {
          name: (scope as Plain)["name"] ?? "",
          ...((scope as Plain)["version"] === undefined
            ? {}
            : { version: (scope as Plain)["version"] }),
        },
        ids: [hex(span["traceId"]), hex(span["spanId"])],
        parent: span["parentSpanId"] === undefined ? undefined : hex(span["parentSpanId"]),
        name: span["name"] ?? "",
        kind: span["kind"],
        times: [span["startTimeUnixNano"] ?? "0", span["endTimeUnixNano"] ?? "0"],
        attributes: plainAttributes(span["attributes"]),
        events: ((span["events"] ?? []) as Plain[]).map((event) => [
          event["name"],
          event["timeUnixNano"] ?? "0",
          plainAttributes(event["attributes"]),
          event["droppedAttributesCount"] ?? 0,
        ]),
        links: ((span["links"] ?? []) as Plain[]).map((link) => [
          hex(link["traceId"]),
          hex(link["spanId"]),
          link["attributes"],
          link["traceState"],
        ]),
        status: (span["status"] as Plain | undefined) ?? {},
        flags: span["flags"],
        dropped: ["Attributes", "Events", "Links"].map((of) => span[`dropped${of}Count`] ?? 0),
      })),
    ),
  );
}

const nanos = ([seconds, rest]: HrTime): string =>
  String(BigInt(seconds) * 1_000_000_000n + BigInt(rest));

/** The same of a screened span. */
function reported(span: ReadableSpanLike): Plain {
  const { traceId, spanId, traceFlags } = span.spanContext();
  const { name, version } = span.instrumentationScope;
  return {
    resource: span.resource.attributes,
    scope: { name, ...(version === undefined || version === "" ? {} : { version }) },
    ids: [traceId, spanId],
    parent: span.parentSpanId,
    name: span.name,
    kind: span.kind + 1,
    times: [nanos(span.startTime), nanos(span.endTime)],
    attributes: Object.fromEntries(
      // A number that is minus nothing arrives as nothing.
      Object.entries(span.attributes).map(([key, value]) => [key, value === 0 ? 0 : value]),
    ),
    events: span.events.map((event) => [
      event.name,
      nanos(event.time),
      event.attributes ?? {},
      event.droppedAttributesCount,
    ]),
    links: span.links.map(({ context }) => [context.traceId, context.spanId, undefined, undefined]),
    status: span.status.code === 0 ? {} : { code: span.status.code },
    flags: traceFlags | 0x100 | (span.parentSpanContext?.isRemote === true ? 0x200 : 0),
    dropped: [span.droppedAttributesCount, span.droppedEventsCount, span.droppedLinksCount],
  };
}

const names = [...sourceAttributeNames, ...registryRows.map((row) => row.span), "note", "é"];
const texts = fc.oneof(
  fc.constantFrom("", "stop", "success", "chat", "Zoë", "日本", "m", "a@b.co", "model_call"),
  fc.string({ maxLength: 12, unit: "binary" }),
  fc.stringMatching(/^[A-Za-z0-9_.-]{1,240}$/),
);
const numbers = fc.oneof(
  fc.maxSafeInteger(),
  fc.double(),
  fc.constantFrom(0, -0, -1, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 53)),
);
const values = fc.oneof(
  texts,
  numbers,
  fc.boolean(),
  fc.array(texts, { maxLength: 40 }),
  fc.array(numbers, { maxLength: 40 }),
  fc.array(fc.boolean(), { maxLength: 4 }),
);
const ids = (digits: number): fc.Arbitrary<string> =>
  fc.string({
    unit: fc.constantFrom(..."0123456789abcdef".split("")),
    minLength: digits,
    maxLength: digits,
  });
const contexts = fc.record({
  traceId: fc.oneof({ weight: 9, arbitrary: ids(32) }, { weight: 1, arbitrary: fc.string() }),
  spanId: ids(16),
  traceFlags: fc.constantFrom(0, 1, 3),
  isRemote: fc.boolean(),
});
const times: fc.Arbitrary<HrTime> = fc.tuple(
  fc.integer({ min: 0, max: 9_000_000_000 }),
  fc.integer({ min: 0, max: 999_999_999 }),
);
const attributes = fc.dictionary(fc.constantFrom(...names), values, { maxKeys: 40 });
const resources = [
  { attributes: { "service.name": "desk", "host.name": "x" } },
  { attributes: {} },
];
const scopes = [{ name: "@turnproof/instrumentation", version: "1" }, { name: "app" }];

const spans: fc.Arbitrary<ReadableSpanLike> = fc
  .record({
    name: texts,
    kind: fc.integer({ min: 0, max: 4 }),
    context: contexts,
    parentSpanContext: fc.option(contexts, { nil: undefined }),
    startTime: times,
    endTime: times,
    duration: times,
    code: fc.constantFrom(0, 1, 2),
    message: texts,
    attributes,
    events: fc.array(
      fc.record({
        name: texts,
        time: times,
        attributes: fc.dictionary(fc.constantFrom("exception.type", "note"), texts),
      }),
      { maxLength: 3 },
    ),
    links: fc.array(fc.record({ context: contexts, attributes }), { maxLength: 3 }),
    resource: fc.constantFrom(...resources),
    instrumentationScope: fc.constantFrom(...scopes),
    droppedAttributesCount: fc.nat(300),
    droppedEventsCount: fc.nat(3),
    droppedLinksCount: fc.nat(3),
  })
  .map(({ context, code, message, links, ...rest }) => ({
    ...rest,
    links: links as Link[],
    spanContext: () => context,
    status: { code, message },
    ended: true,
  }));

describe(`requests of the gate on line ${line}`, () => {
  test("bytes and objects say the same of any span, and refuse the same", () => {
    let kept = 0;
    fc.assert(
      fc.property(fc.array(spans, { minLength: 1, maxLength: 8 }), (batch) => {
        const [asBytes, asObjects] = [createGate(), createGate()];
        const writer = new RequestWriter();
        const written = batch.map((span) => asBytes.write(span, writer, undefined));
        const { bytes, length } = writer.finish();
        const objects = batch.map((span) => asObjects.screen(span));
        expect(written).toEqual(objects.map((span) => span !== undefined));
        const through = objects.filter((span) => span !== undefined);
        expect(length).toBe(through.length);
        const byIds = (items: Plain[]): Plain[] =>
          items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
        expect(byIds(read(bytes))).toEqual(byIds(through.map(reported)));
        expect({ ...asBytes.dropped }).toEqual({ ...asObjects.dropped });
        kept += through.length;
      }),
      { numRuns: runs },
    );
    expect(kept).toBeGreaterThan(runs / 2);
  });

  test("a span that cannot be screened leaves no byte behind", () => {
    const [span] = fc.sample(spans, 1) as [ReadableSpanLike];
    const gate = createGate();
    const writer = new RequestWriter();
    const odd = { ...span, spanContext: () => ({ traceId: "words", spanId: "x", traceFlags: 1 }) };
    expect(gate.write(odd, writer, undefined)).toBe(false);
    const request = writer.finish();
    expect([request.length, request.bytes.length]).toEqual([0, 0]);
    expect(gate.dropped["span_unmapped"]).toBe(1);
  });

  test("an exporter that takes requests sends what the collector reads as the same events", async () => {
    const bodies: Buffer[] = [];
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        bodies.push(Buffer.concat(parts));
        response.writeHead(200).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const exporter = otlpExporter({ url: `http://127.0.0.1:${port}/v1/traces` }, installFolder);
    const processor = turnproofProcessor({ exporter });
    const tracer = createProvider({
      spanProcessors: [processor],
      resource: { "service.name": "desk" },
    }).getTracer("@turnproof/instrumentation", "1.2.3");
    const own: string[] = [];
    for (const kind of ["turn", "model_call", "application_action"]) {
      const span = tracer.startSpan(
        "work",
        {
          kind: SpanKind.CLIENT,
          attributes: {
            [attribute.event_kind.span]: kind,
            [attribute.user_id.span]: "u-1",
            [attribute.status.span]: "success",
            "gen_ai.input.messages": "secret words",
          },
        },
        trace.setSpan(ROOT_CONTEXT, trace.wrapSpanContext({ ...parentContext })),
      );
      span.end();
      own.push(span.spanContext().spanId);
    }
    await processor.shutdown();
    server.close();
    const tables = compileSourceTables();
    const events = bodies.flatMap((body) => {
      scanProtobuf(body, "traces");
      const records = decodeProtobufSpans(body, tables).spans as never[];
      return records.map((record) => spanToEvent(record, received));
    });
    const sent = events.filter((event) => event.event_kind !== "data_quality");
    expect(sent.map((event) => event.span_id)).toEqual(own);
    expect(sent.map((event) => event.event_kind)).toEqual([
      "turn",
      "model_call",
      "application_action",
    ]);
    expect(Buffer.concat(bodies).includes("secret")).toBe(false);
    expect(processor.health).toMatchObject({ created: 3, exported: 3, queued: 0 });
    expect(takesRequests(exporter)).toBe(true);
  });
});

const parentContext = {
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  traceFlags: 1,
};
