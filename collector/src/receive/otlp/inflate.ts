/**
 * @module Inflate: decompresses bodies under one cap. A body may grow to a mebibyte without a
 * ratio check, beyond that to 200 times its size, and never beyond 64 MiB; the engine stops at the
 * bound, so that a decompression bomb costs no more than the bound (faults H1).
 */
import { constants, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";

import { CodedError, limits } from "@turnproof/semconv";

/** Content codings of a body; `identity` means none. */
const contentCodings = ["identity", "gzip", "deflate", "zstd"] as const;
export type ContentCoding = (typeof contentCodings)[number];

/** Size up to which no ratio is checked. */
const freeBytes = 1_048_576;
/** Largest zstd window, by its logarithm: 8 MiB, the default of encoders. */
const windowLogMax = 23;

/** The coding in a Content-Encoding header, or undefined when it is not supported. */
export function contentCoding(header: string | undefined): ContentCoding | undefined {
  const name = (header ?? "").trim().toLowerCase();
  if (name === "") return "identity";
  if (name === "x-gzip") return "gzip";
  return contentCodings.find((coding) => coding === name);
}

/** Largest decompressed size of a body of this length. */
function inflatedBytesMax(compressedBytes: number): number {
  const byRatio = Math.max(freeBytes, compressedBytes * limits.inflateRatioMax);
  return Math.min(limits.otlpBodyBytesMax, byRatio);
}

interface WithEngine {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/**
 * The decompressed body. Throws `otlp_inflate_limit` (413) at the cap, or at `bytesMax` where that
 * is less, and `otlp_compression_invalid` (400) for a damaged, truncated or extended stream.
 */
export function inflate(
  body: Buffer,
  coding: ContentCoding,
  bytesMax: number = limits.otlpBodyBytesMax,
): Buffer {
  if (coding === "identity" || body.length === 0) return body;
  const options = {
    maxOutputLength: Math.min(inflatedBytesMax(body.length), bytesMax),
    chunkSize: Math.min(Math.max(body.length * 4, 16_384), 1_048_576),
    info: true as const,
  };
  let result: WithEngine;
  try {
    if (coding === "gzip") result = gunzipSync(body, options) as unknown as WithEngine;
    else if (coding === "deflate") result = inflateSync(body, options) as unknown as WithEngine;
    else {
      const params = { [constants.ZSTD_d_windowLogMax]: windowLogMax };
      result = zstdDecompressSync(body, { ...options, params }) as unknown as WithEngine;
    }
  } catch (error) {
    const full = (error as { readonly code?: string }).code === "ERR_BUFFER_TOO_LARGE";
    throw new CodedError(full ? "otlp_inflate_limit" : "otlp_compression_invalid");
  }
  // zlib silently stops before bytes that follow the stream; they make the body invalid.
  if (result.engine.bytesWritten !== body.length) throw new CodedError("otlp_compression_invalid");
  return result.buffer;
}
