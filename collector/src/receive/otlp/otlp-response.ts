/**
 * @module OtlpResponse: export responses and google.rpc.Status in the request's own media type.
 * They contain one of our codes and its sentence, and no content of the request.
 */
import { randomInt } from "node:crypto";

import { codes } from "@turnproof/semconv";
import type { Code, CodeRow, CodedError } from "@turnproof/semconv";

import { bytesField, uintField } from "./proto-writer.ts";
import type { RejectionCounts } from "./span-builder.ts";
import type { Signal } from "./wire-schema.ts";

/** The two encodings of OTLP/HTTP. */
export const mediaTypes = { protobuf: "application/x-protobuf", json: "application/json" } as const;
export type OtlpEncoding = keyof typeof mediaTypes;

/** Status codes of google.rpc, by HTTP status. */
const rpcCodes: { readonly [status: number]: number } = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  405: 12,
  408: 4,
  413: 3,
  415: 3,
  429: 8,
  500: 13,
  503: 14,
};

/** The encoding in a Content-Type header, or undefined when it is not one of OTLP's. */
export function otlpEncoding(header: string | undefined): OtlpEncoding | undefined {
  const [name = "", ...parameters] = (header ?? "").toLowerCase().split(";");
  const charset = parameters.map((part) => part.trim()).find((part) => part.startsWith("charset="));
  if (charset !== undefined && !/^charset="?utf-8"?$/.test(charset)) return undefined;
  if (name.trim() === mediaTypes.protobuf) return "protobuf";
  return name.trim() === mediaTypes.json ? "json" : undefined;
}

/** Name of the rejected count in each signal's partial success. */
const rejectedNames: { readonly [S in Signal]: string } = {
  traces: "rejectedSpans",
  logs: "rejectedLogRecords",
  metrics: "rejectedDataPoints",
};

/**
 * Body of a 200: empty when everything was accepted, else the number of rejected items, and the
 * reason.
 */
export function exportResponse(
  encoding: OtlpEncoding,
  signal: Signal,
  rejected: RejectionCounts,
): Uint8Array<ArrayBuffer> {
  const entries = Object.entries(rejected) as [Code, number][];
  const count = entries.reduce((sum, [, number]) => sum + number, 0);
  if (count === 0) return encode(encoding === "json" ? "{}" : "");
  const reasons = entries.map(([code, number]) => `${code} ${number}: ${codes[code].sentence}`);
  const text = reasons.join(" ");
  if (encoding === "json") {
    const partialSuccess = { [rejectedNames[signal]]: String(count), errorMessage: text };
    return encode(JSON.stringify({ partialSuccess }));
  }
  const inner = [uintField(1, count), bytesField(2, encode(text))];
  return new Uint8Array(bytesField(1, Buffer.concat(inner)));
}

/** Body of a 4xx or 5xx: google.rpc.Status with the code's sentence. */
export function statusBody(encoding: OtlpEncoding, error: CodedError): Uint8Array<ArrayBuffer> {
  const row: CodeRow = codes[error.code];
  const code = rpcCodes[error.status] ?? 2;
  const message = `${error.code}: ${row.sentence}`;
  if (encoding === "json") return encode(JSON.stringify({ code, message }));
  return new Uint8Array(Buffer.concat([uintField(1, code), bytesField(2, encode(message))]));
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** Seconds until a refused client should retry; jitter spreads a crowd (faults R21). */
export function retrySeconds(): number {
  return randomInt(1, 6);
}
