/** @module OneTrace: a request that is small on the wire and one large turn once it is decoded. */
import { gzipSync } from "node:zlib";

import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";

const hex = (value: number): string => value.toString(16).padStart(16, "0");

/** The gzipped body of a trace of so many spans, each but the first a child of another. */
export function oneTrace(root: string, spans: number): Uint8Array<ArrayBuffer> {
  const now = BigInt(Date.now()) * 1_000_000n;
  const all = Array.from({ length: spans }, (_, index) => ({
    traceId: root,
    spanId: hex(index + 1),
    ...(index === 0 ? {} : { parentSpanId: hex(Math.ceil(index / 6)) }),
    name: index === 0 ? "invoke_agent a" : "chat",
    startTimeUnixNano: String(now + BigInt(index)),
    endTimeUnixNano: String(now + BigInt(index + 1_000)),
    attributes: {
      "gen_ai.operation.name": index === 0 ? "invoke_agent" : "chat",
      "gen_ai.agent.name": "a",
      "gen_ai.conversation.id": "t",
    },
  }));
  return Uint8Array.from(gzipSync(encodeProtobuf(traceRequest(all, { "service.name": "stall" }))));
}

/** Headers of such a request. */
export const oneTraceHeaders = {
  "content-type": "application/x-protobuf",
  "content-encoding": "gzip",
} as const;
