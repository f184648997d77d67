/**
 * @module A second producer: what real libraries of other dialects sent, replayed as of now. Odd
 * recordings go as protobuf, even ones as JSON, gzipped or not, as SDKs differ in that too.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { encodeProtobuf, traceRequest } from "../otlp/encode.ts";
import type { PlainAttributes, PlainSpan } from "../otlp/encode.ts";

/** A recording as `test/dialects` writes it. */
export interface Recording {
  readonly dialect: string;
  readonly resource: PlainAttributes;
  readonly spans: readonly PlainSpan[];
}

const folder = join(import.meta.dirname, "../fixtures/dialects");

/** Every recording, by file name. */
function recordings(): readonly Recording[] {
  return (
    readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .toSorted()
      .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Partial<Recording>)
      // What the mapping is expected to make of them lies beside the recordings.
      .filter((file): file is Recording => file.spans !== undefined && file.resource !== undefined)
  );
}

/** The recording with ids of its own and its end at `endMs`, its order and durations kept. */
function replayed(recording: Recording, endMs: number, salt: string): readonly PlainSpan[] {
  const last = recording.spans.reduce((most, span) => {
    const end = BigInt(span.endTimeUnixNano);
    return end > most ? end : most;
  }, 0n);
  const shift = BigInt(endMs) * 1_000_000n - last;
  const moved = (time: string): string => String(BigInt(time) + shift);
  const renamed = (id: string): string =>
    createHash("sha256").update(`${salt}:${id}`).digest("hex").slice(0, id.length);
  return recording.spans.map((span) => ({
    ...span,
    traceId: renamed(span.traceId),
    spanId: renamed(span.spanId),
    ...(span.parentSpanId ? { parentSpanId: renamed(span.parentSpanId) } : {}),
    startTimeUnixNano: moved(span.startTimeUnixNano),
    endTimeUnixNano: moved(span.endTimeUnixNano),
    events: (span.events ?? []).map((event) => ({
      ...event,
      ...(event.timeUnixNano === undefined ? {} : { timeUnixNano: moved(event.timeUnixNano) }),
    })),
  }));
}

/** Sends every recording once; returns how many spans were accepted. */
export async function sendRecordings(
  endpoint: string,
  options: { readonly endMs: number; readonly salt: string; readonly token?: string },
): Promise<number> {
  let sent = 0;
  const all = recordings();
  for (const [index, recording] of all.entries()) {
    // The last one sent is the newest, as it would be had they happened here.
    const endMs = options.endMs - (all.length - index) * 1_000;
    const spans = replayed(recording, endMs, options.salt);
    const request = traceRequest(spans, recording.resource);
    const binary = index % 2 === 1;
    const body = binary ? encodeProtobuf(request) : Buffer.from(JSON.stringify(request));
    const response = await fetch(`${endpoint}/v1/traces`, {
      method: "POST",
      headers: {
        "content-type": binary ? "application/x-protobuf" : "application/json",
        ...(index % 3 === 2 ? { "content-encoding": "gzip" } : {}),
        ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
      },
      body: index % 3 === 2 ? gzipSync(body) : Buffer.from(body),
    });
    if (!response.ok)
      throw new Error(`${recording.dialect}: the collector answered ${response.status}`);
    sent += spans.length;
  }
  return sent;
}
