/**
 * The two decoders share the builder of a span and nothing else: whatever a span holds, both give
 * the same events, the same rejections and the same counts of what was left out (vocabulary: From a
 * span to an event).
 */
import fc from "fast-check";
import { expect, test } from "vitest";

import { ingestBody } from "../../../collector/src/receive/otlp/ingest-body.ts";
import type { IngestBody } from "../../../collector/src/receive/otlp/ingest-body.ts";
import { compileSourceTables } from "../../../collector/src/receive/otlp/source-tables.ts";
import { createSpanMapper } from "../../../collector/src/receive/otlp/span-mapper.ts";
import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import { generatedAttributes, generatedSpan } from "./generated-spans.ts";

const tables = compileSourceTables();
const mapSpan = createSpanMapper({ identityKey: { kid: "k1", secret: Buffer.alloc(32, 7) } });

function outcomeOf(encoding: IngestBody["encoding"], bytes: Uint8Array): unknown {
  const outcome = ingestBody(
    {
      signal: "traces",
      encoding,
      coding: "identity",
      bytes,
      principal: { name: "local", trusted: true },
      receivedAt: "2026-11-21T10:00:00.000001Z",
    },
    tables,
    mapSpan,
    () => {},
  );
  const payload = Buffer.from(outcome.payload).toString();
  return { ...outcome, payload: payload === "" ? [] : (JSON.parse(payload) as unknown) };
}

test("protobuf and JSON say the same", { timeout: 120_000 }, () => {
  fc.assert(
    fc.property(
      fc.array(generatedSpan, { minLength: 1, maxLength: 3 }),
      generatedAttributes,
      (spans, resource) => {
        const request = traceRequest(spans, resource);
        const json = outcomeOf("json", Buffer.from(JSON.stringify(request)));
        expect(outcomeOf("protobuf", encodeProtobuf(request))).toEqual(json);
      },
    ),
    { numRuns: Number(process.env["TURNPROOF_TEST_ENCODINGS"] ?? 1_000) },
  );
});
