/** @module Tests of the record that span after span is read into. */
import type { SpanRecord } from "@turnproof/exporter";
import { attribute } from "@turnproof/semconv";
import { expect, test } from "vitest";

import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import { decodeProtobufSpans } from "../../../collector/src/receive/otlp/decode-protobuf.ts";
import { compileSourceTables } from "../../../collector/src/receive/otlp/source-tables.ts";
import { keptSpan } from "../../../collector/src/receive/otlp/span-builder.ts";

const rich = {
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  parentSpanId: "b7ad6b7169203330",
  flags: 0x301,
  name: "turnproof.model_call",
  kind: 3,
  startTimeUnixNano: "1793491200000000001",
  endTimeUnixNano: "1793491200250000001",
  status: { code: 2 },
  attributes: { [attribute.event_kind.span]: "model_call", "foreign.key": "dropped" },
  events: [{ name: "exception", attributes: { "exception.type": "TimeoutError" } }],
  links: [{ traceId: "0af7651916cd43dd8448eb211c80319d", spanId: "b7ad6b7169203332" }],
  scope: { name: "@turnproof/instrumentation", version: "0.1.0" },
};
const bare = {
  traceId: rich.traceId,
  spanId: "b7ad6b7169203339",
  name: "SELECT",
  startTimeUnixNano: "0",
  endTimeUnixNano: "0",
  attributes: {},
};

/** The spans of a body, each copied while it was handed on. */
function handedOn(spans: readonly object[]): SpanRecord[] {
  const kept: SpanRecord[] = [];
  const body = encodeProtobuf(traceRequest(spans as never, { "service.name": "support-desk" }));
  decodeProtobufSpans(Buffer.from(body), compileSourceTables(), (span) => {
    kept.push(keptSpan(span));
  });
  return kept;
}

test("a span that says nothing is the same after one that said everything", () => {
  const [before, after] = handedOn([rich, bare]);
  expect(before).toMatchObject({
    parentSpanId: rich.parentSpanId,
    parentRemote: true,
    name: rich.name,
    kind: 3,
    startTimeUnixNano: rich.startTimeUnixNano,
    endTimeUnixNano: rich.endTimeUnixNano,
    statusCode: 2,
    exceptionType: "TimeoutError",
    dropped: { attribute_unknown: 1 },
  });
  expect(before?.links).toHaveLength(1);
  expect({ ...before?.attributes }).toEqual({ [attribute.event_kind.span]: "model_call" });
  expect(after).toEqual(handedOn([bare])[0]);
});
