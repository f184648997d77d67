/**
 * @module gRPC status: the final status of a call. A refusal becomes the status that OTLP/gRPC
 * defines for it; a retryable one has a RetryInfo, and only then may a client retry
 * (opentelemetry-proto, OTLP/gRPC response; google.rpc.Status).
 */
import { codes } from "@turnproof/semconv";
import type { CodeRow, CodedError } from "@turnproof/semconv";

import { retrySeconds } from "../otlp/otlp-response.ts";
import { bytesField, uintField } from "../otlp/proto-writer.ts";

/** Status codes of gRPC that are used here. */
export const grpcCode = {
  ok: 0,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** By the HTTP status of the same refusal on 4318. */
const byHttpStatus: { readonly [status: number]: number } = {
  400: grpcCode.invalidArgument,
  401: grpcCode.unauthenticated,
  403: grpcCode.permissionDenied,
  408: grpcCode.deadlineExceeded,
  // Not RESOURCE_EXHAUSTED, which older clients retry.
  413: grpcCode.invalidArgument,
  415: grpcCode.unimplemented,
  429: grpcCode.resourceExhausted,
  500: grpcCode.internal,
  503: grpcCode.unavailable,
};

/** End of a call: a status, a sentence without content, and the delay before a retry. */
export interface GrpcStatus {
  readonly code: number;
  readonly message: string;
  readonly retrySeconds?: number;
}

/** The status of a refusal. */
export function statusOf(error: CodedError): GrpcStatus {
  const row: CodeRow = codes[error.code];
  const code = byHttpStatus[error.status] ?? grpcCode.internal;
  const message = `${error.code}: ${row.sentence}`;
  const later = error.status === 429 || error.status === 503;
  return { code, message, ...(later ? { retrySeconds: retrySeconds() } : {}) };
}

/**
 * Trailers of a status: number, percent-encoded message, and google.rpc.Status where it has more.
 */
export function trailersOf(status: GrpcStatus): Record<string, string> {
  const trailers: Record<string, string> = { "grpc-status": String(status.code) };
  if (status.message !== "") trailers["grpc-message"] = percentEncoded(status.message);
  if (status.retrySeconds !== undefined) {
    trailers["grpc-status-details-bin"] = details(status, status.retrySeconds).toString("base64");
  }
  return trailers;
}

/**
 * google.rpc.Status { code = 1, message = 2, details = 3 { type_url = 1, value = 2 RetryInfo } }.
 */
function details({ code, message }: GrpcStatus, seconds: number): Buffer {
  const duration = bytesField(1, uintField(1, seconds));
  const any = [
    bytesField(1, Buffer.from("type.googleapis.com/google.rpc.RetryInfo")),
    bytesField(2, duration),
  ];
  return Buffer.concat([
    uintField(1, code),
    bytesField(2, Buffer.from(message)),
    bytesField(3, Buffer.concat(any)),
  ]);
}

function percentEncoded(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) =>
      byte >= 0x20 && byte <= 0x7e && byte !== 0x25
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
    )
    .join("");
}
