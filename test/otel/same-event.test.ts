/** @module Same event: in process and over a real OTLP exporter, byte for byte. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { contentFree, spanRecordOf, spanToEvent } from "@turnproof/exporter";
import { attribute, refsToAttributes, sourceAttributeNames } from "@turnproof/semconv";
import { describe, expect, test } from "vitest";

import { decodeJsonSpans } from "../../collector/src/receive/otlp/decode-json.ts";
import { decodeProtobufSpans } from "../../collector/src/receive/otlp/decode-protobuf.ts";
import { scanJson } from "../../collector/src/receive/otlp/scan-json.ts";
import { scanProtobuf } from "../../collector/src/receive/otlp/scan-protobuf.ts";
import { compileSourceTables } from "../../collector/src/receive/otlp/source-tables.ts";
import { createProvider, line, otlpExporters, simpleProcessor } from "#sdk";
import type { ReadableSpan } from "#sdk";

const received = { receivedAt: "2026-11-21T00:00:00.000000Z" };
const eventText = (record: never): string => JSON.stringify(spanToEvent(record, received));

/** Spans as different as one SDK can make them. */
function play(processor: never): void {
  const provider = createProvider({
    spanProcessors: [processor],
    resource: { "service.name": "desk", "host.name": "secret host" },
  });
  const tracer = provider.getTracer("@arizeai/openinference-vercel-of-somebody", "1.2.3");
  const plain = provider.getTracer("somebody");
  const remote = trace.setSpanContext(ROOT_CONTEXT, {
    traceId: "0af7651916cd43dd8448eb211c80319c",
    spanId: "b7ad6b7169203331",
    traceFlags: 1,
    isRemote: true,
  });
  const odd = plain.startSpan("odd", { kind: SpanKind.PRODUCER, startTime: [0, 0] });
  for (const name of sourceAttributeNames) odd.setAttribute(name, "x".repeat(name.length * 13));
  odd.setAttribute("gen_ai.usage.input_tokens", 1.5);
  odd.setAttribute("gen_ai.usage.output_tokens", 2 ** 53);
  odd.setAttribute(
    "gen_ai.response.finish_reasons",
    Array.from({ length: 40 }, () => "stop"),
  );
  odd.end();
  const turn = plain.startSpan(
    "invoke_agent Desk",
    {
      attributes: {
        [attribute.event_kind.span]: "turn",
        [attribute.agent_name.span]: "Desk",
        [attribute.user_id.span]: "u-1",
      },
    },
    remote,
  );
  const inner = trace.setSpan(ROOT_CONTEXT, turn);
  const chat = tracer.startSpan(
    "chat",
    {
      kind: SpanKind.CLIENT,
      attributes: {
        "openinference.span.kind": "LLM",
        "llm.token_count.prompt": 12,
        "gen_ai.response.finish_reasons": ["tool-calls"],
        "gen_ai.response.time_to_first_chunk": 0.25,
        "gen_ai.input.messages": "secret prompt",
      },
    },
    inner,
  );
  chat.recordException(new RangeError("secret message"));
  chat.setStatus({ code: SpanStatusCode.ERROR, message: "secret status" });
  chat.end();
  plain
    .startSpan(
      "turnproof.artifact.card",
      {
        attributes: {
          [attribute.event_kind.span]: "artifact",
          [attribute.phase.span]: "event",
          [attribute.persistence_verified.span]: true,
          ...refsToAttributes("output", [{ resource_type: "card", ref: "c-1", version: "2" }]),
        },
        links: [{ context: chat.spanContext(), attributes: { why: "secret" } }],
      },
      inner,
    )
    .end();
  turn.end();
}

/** Sends the spans by a real exporter to loopback and answers with the bodies. */
async function overTheWire(
  make: (url: string) => { export: unknown; shutdown(): Promise<void> },
  use: (exporter: never) => void | Promise<void>,
): Promise<Buffer[]> {
  const bodies: Buffer[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts);
      bodies.push(request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body);
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const exporter = make(`http://127.0.0.1:${port}/v1/traces`);
  try {
    await use(exporter as never);
    await exporter.shutdown();
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return bodies;
}

function decoded(encoding: string, body: Buffer): readonly never[] {
  const tables = compileSourceTables();
  if (encoding === "json") {
    scanJson(body, "traces");
    return decodeJsonSpans(body, tables).spans as never;
  }
  scanProtobuf(body, "traces");
  return decodeProtobufSpans(body, tables).spans as never;
}

const byTime = (a: string, b: string): number => (a < b ? -1 : 1);

describe.each(otlpExporters)(`line ${line}, OTLP/%s`, (encoding, make) => {
  test.each([["as the app sends it"], ["behind the gate"]])(
    "a span exported in process and one received are the same event: %s",
    async (how) => {
      const gated = how === "behind the gate";
      const here: string[] = [];
      const bodies = await overTheWire(make, async (exporter: never) => {
        const sink = gated ? contentFree(exporter) : (exporter as ReturnType<typeof make>);
        const sent: Promise<void>[] = [];
        play(
          simpleProcessor({
            export: (spans: ReadableSpan[], done: (answer: { code: number }) => void) => {
              if (!gated) here.push(...spans.map((span) => eventText(spanRecordOf(span) as never)));
              sent.push(new Promise((resolve) => sink.export(spans, () => resolve())));
              done({ code: 0 });
            },
            shutdown: async () => {},
          }) as never,
        );
        await Promise.all(sent);
      });
      const records = bodies.flatMap((body) => decoded(encoding, body));
      const there = records.map(eventText);
      expect(there).toHaveLength(4);
      expect(Buffer.concat(bodies).includes("secret")).toBe(!gated);
      expect(JSON.stringify(there)).not.toContain("secret");
      if (!gated) expect(there.toSorted(byTime)).toEqual(here.toSorted(byTime));
      const kinds = records.map((record) => spanToEvent(record, received).event_kind);
      expect(kinds.toSorted()).toEqual(["artifact", "model_call", "span", "turn"]);
    },
  );
});
