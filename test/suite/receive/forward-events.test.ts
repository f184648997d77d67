/**
 * Forwarded events: whatever a span holds, the next collector makes the same event of what is sent
 * on, but for what the guide of forwarding names.
 */
import type { TurnEvent } from "@turnproof/evidence";
import { eventRequest } from "@turnproof/exporter";
import fc from "fast-check";
import { expect, test } from "vitest";

import { ingestBody } from "../../../collector/src/receive/otlp/ingest-body.ts";
import { compileSourceTables } from "../../../collector/src/receive/otlp/source-tables.ts";
import { createSpanMapper } from "../../../collector/src/receive/otlp/span-mapper.ts";
import { decodeFrame } from "../../../collector/src/receive/otlp/frame-codec.ts";
import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import { generatedAttributes, generatedSpan } from "./generated-spans.ts";

const tables = compileSourceTables();
const mapSpan = createSpanMapper({ identityKey: { kid: "k1", secret: Buffer.alloc(32, 7) } });

/** The events that a collector makes of a request. */
function received(bytes: Uint8Array, trusted: boolean): readonly TurnEvent[] {
  const { payload } = ingestBody(
    {
      signal: "traces",
      encoding: "protobuf",
      coding: "identity",
      bytes,
      principal: { name: "local", trusted },
      receivedAt: "2026-11-21T10:00:00.000001Z",
    },
    tables,
    mapSpan,
    () => {},
  );
  return payload.length === 0 ? [] : decodeFrame(payload);
}

/** What both collectors must agree on; a start without a time has that of its receipt there. */
const stated = (events: readonly TurnEvent[]): readonly unknown[] =>
  events.map(({ dropped: _dropped, ...event }) =>
    event.phase === "start" ? { started_at: event.timestamp, ...event } : event,
  );

test("every generated span gives the next collector the same event", { timeout: 120_000 }, () => {
  let compared = 0;
  fc.assert(
    fc.property(
      fc.array(generatedSpan, { minLength: 1, maxLength: 3 }),
      generatedAttributes,
      fc.boolean(),
      (spans, resource, trusted) => {
        const events = received(encodeProtobuf(traceRequest(spans, resource)), trusted);
        const { bytes, skipped } = eventRequest(events);
        expect(skipped).toBe(0);
        const again = received(bytes, true);
        const order = (all: readonly TurnEvent[]): readonly unknown[] =>
          stated(all).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
        expect(order(again)).toEqual(order(events));
        compared += events.length;
      },
    ),
    { numRuns: Number(process.env["TURNPROOF_TEST_ENCODINGS"] ?? 1_000) },
  );
  expect(compared).toBeGreaterThan(0);
});
