/** @module Attack bodies: requests that are small on the wire and large behind it. */
import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";

import { bytes, request, span } from "../../suite/receive/wire-writer.ts";

/** A body, and how it is sent. */
export interface AttackBody {
  readonly path: "/v1/traces" | "/v1/logs" | "/v1/metrics";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

const parts = (tag: number, count: number): Buffer =>
  Buffer.alloc(count * 2, Buffer.from([tag, 0x00]));

function of(
  path: AttackBody["path"],
  body: Uint8Array,
  { json = false, packed = false } = {},
): AttackBody {
  const type = json ? "application/json" : "application/x-protobuf";
  return {
    path,
    headers: { "content-type": type, ...(packed ? { "content-encoding": "gzip" } : {}) },
    body: Uint8Array.from(packed ? gzipSync(body) : body),
  };
}

/**
 * Bytes that do not compress, as a field that no decoder reads: the ratio stays within its bound.
 */
const padding = (count: number): Uint8Array => bytes(100, randomBytes(count));

const json = (before: string, item: string, count: number, after: string): Buffer =>
  Buffer.from(`${before}${Array.from({ length: count }, () => item).join(",")}${after}`);

/** Empty parts of spans in great numbers. */
export function emptyParts(): readonly AttackBody[] {
  const events = request(span(parts(0x5a, 20_000_000)));
  return [
    of("/v1/traces", events),
    of("/v1/traces", events, { packed: true }),
    of("/v1/traces", Buffer.concat([events, padding(210_000)]), { packed: true }),
    of("/v1/traces", request(parts(0x12, 5_000_000))),
    of("/v1/traces", request(span(parts(0x4a, 5_000_000)))),
    of("/v1/traces", request(span(Buffer.alloc(200_000, 0x1b)))),
    of("/v1/traces", Buffer.concat(Array.from({ length: 1_000_000 }, () => bytes(1)))),
    of(
      "/v1/traces",
      json('{"resourceSpans":[{"scopeSpans":[{"spans":[', "{}", 3_000_000, "]}]}]}"),
      {
        json: true,
      },
    ),
  ];
}

/** Log records and metric points in great numbers. */
export function emptyRecords(): readonly AttackBody[] {
  const logs = request(parts(0x12, 5_000_000));
  const metrics = bytes(1, bytes(2, bytes(2, bytes(5, parts(0x0a, 5_000_000)))));
  return [
    of("/v1/logs", logs),
    of("/v1/logs", Buffer.concat([logs, padding(60_000)]), { packed: true }),
    of("/v1/metrics", metrics),
    of("/v1/metrics", Buffer.concat([metrics, padding(60_000)]), { packed: true }),
    of(
      "/v1/logs",
      json('{"resourceLogs":[{"scopeLogs":[{"logRecords":[', "{}", 3_000_000, "]}]}]}"),
      {
        json: true,
      },
    ),
  ];
}

/** Bodies just below the sizes from which a thread reads them. */
export function justBelow(): readonly AttackBody[] {
  const wide = Array.from({ length: 860 }, (_, index) =>
    span(parts(0x5a, 120), bytes(5, Buffer.from(`name ${index}`))),
  );
  const attributes = Array.from({ length: 60 }, () => span(parts(0x4a, 2_000)));
  return [
    of("/v1/traces", request(span(Buffer.concat([parts(0x5a, 1_200_000), padding(12_800)]))), {
      packed: true,
    }),
    of("/v1/traces", request(span(parts(0x5a, 130_000)))),
    of("/v1/traces", request(...wide)),
    of("/v1/traces", request(...attributes)),
    of("/v1/traces", json('{"resourceSpans":[{"scopeSpans":[{"spans":[', "{}", 87_000, "]}]}]}"), {
      json: true,
    }),
    of("/v1/logs", json('{"resourceLogs":[{"scopeLogs":[{"logRecords":[', "{}", 87_000, "]}]}]}"), {
      json: true,
    }),
  ];
}
