/**
 * @module StrictReceiver: an OTLP/HTTP endpoint that is not ours: it decodes by protobufjs and
 * holds each span to the protocol. It answers as a test sets.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { decodeProtobuf } from "../../otlp/encode.ts";

/** A span as it arrived. */
export interface StrictSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly name: string;
}

/** How a request is answered: a status, headers, a body. */
export interface StrictAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** A listening receiver. */
export interface StrictReceiver {
  readonly url: string;
  /** Spans of requests that were answered with 200. */
  readonly spans: StrictSpan[];
  /** What was against the protocol. */
  readonly faults: string[];
  /** All bodies as text, for canaries. */
  readonly bodies: string[];
  readonly headers: Record<string, string | string[] | undefined>[];
  answer: (spans: readonly StrictSpan[]) => StrictAnswer;
  close(): Promise<void>;
}

/** Opens one on a free port of loopback. */
export async function openStrictReceiver(): Promise<StrictReceiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      receiver.bodies.push(body.toString("latin1"));
      receiver.headers.push(request.headers);
      const spans = strictSpans(body, receiver.faults);
      const { status, headers = {}, body: answered } = receiver.answer(spans);
      if (status === 200) receiver.spans.push(...spans);
      response.writeHead(status, { "content-type": "application/x-protobuf", ...headers });
      response.end(answered);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const receiver: StrictReceiver = {
    url: `http://127.0.0.1:${port}/v1/traces`,
    spans: [],
    faults: [],
    bodies: [],
    headers: [],
    answer: () => ({ status: 200 }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

interface Decoded {
  readonly resourceSpans?: readonly {
    readonly scopeSpans?: readonly { readonly spans?: readonly Record<string, unknown>[] }[];
  }[];
}

function strictSpans(body: Uint8Array, faults: string[]): readonly StrictSpan[] {
  const decoded = decodeProtobuf(body) as Decoded;
  const spans = (decoded.resourceSpans ?? []).flatMap(({ scopeSpans = [] }) =>
    scopeSpans.flatMap(({ spans: held = [] }) => held),
  );
  const seen = new Set<string>();
  return spans.map((span) => {
    const [traceId, spanId] = [hexOf(span["traceId"]), hexOf(span["spanId"])];
    const name = typeof span["name"] === "string" ? span["name"] : "";
    const hold = (isSo: boolean, fault: string): void => {
      if (!isSo) faults.push(`${fault}: ${name}`);
    };
    hold(/^[0-9a-f]{32}$/.test(traceId) && !/^0+$/.test(traceId), "trace id");
    hold(/^[0-9a-f]{16}$/.test(spanId) && !/^0+$/.test(spanId), "span id");
    hold(name !== "", "name");
    const [start, end] = [span["startTimeUnixNano"], span["endTimeUnixNano"]].map((time) =>
      BigInt(typeof time === "string" ? time : 0),
    );
    hold((start ?? 0n) > 0n && (end ?? 0n) >= (start ?? 0n), "times");
    const keys = ((span["attributes"] ?? []) as readonly { readonly key: string }[]).map(
      ({ key }) => key,
    );
    hold(new Set(keys).size === keys.length, "attribute twice");
    hold(!seen.has(`${traceId}${spanId}`), "span twice");
    seen.add(`${traceId}${spanId}`);
    return { traceId, spanId, name };
  });
}

function hexOf(id: unknown): string {
  if (id instanceof Uint8Array) return Buffer.from(id).toString("hex");
  const text = typeof id === "string" ? id : "";
  return /^[0-9a-f]+$/.test(text) ? text : Buffer.from(text, "base64").toString("hex");
}
