/**
 * @module gRPC call: one HTTP/2 stream that asks for a method. Headers are checked, a deadline runs,
 * and whatever happens the call ends with a status (gRPC over HTTP/2).
 */
import { constants } from "node:http2";
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";

import type { ContentCoding } from "../otlp/inflate.ts";
import { contentCoding } from "../otlp/inflate.ts";
import { framed } from "./grpc-message.ts";
import { grpcCode, trailersOf } from "./grpc-status.ts";
import type { GrpcStatus } from "./grpc-status.ts";

/** Codings that a message may have, as the answer names them. */
const accepted = "identity,gzip,deflate,zstd";

/** Milliseconds for which a refused client may finish. */
const leaveMs = 1_000;

/** One call; it answers at most once. */
export class GrpcCall {
  readonly path: string;
  readonly stream: ServerHttp2Stream;
  private readonly headers: IncomingHttpHeaders;
  private answered = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders) {
    this.stream = stream;
    this.headers = headers;
    this.path = String(headers[":path"] ?? "");
  }

  /** Characters of all headers; HTTP/2 itself bounds them only at 64 KiB. */
  get headerChars(): number {
    return Object.entries(this.headers).reduce(
      (sum, [name, value]) => sum + name.length + String(value).length,
      0,
    );
  }

  /** The first value of a metadata entry. */
  metadata(name: string): string | undefined {
    const value = this.headers[name];
    return typeof value === "string" ? value : value?.[0];
  }

  /** What `grpc-encoding` names, or undefined when it is none of ours. */
  get coding(): ContentCoding | undefined {
    return contentCoding(this.metadata("grpc-encoding"));
  }

  /** Milliseconds that the caller waits, by `grpc-timeout`; undefined when it does not say. */
  private get timeoutMs(): number | undefined {
    const [, digits, unit] =
      /^(\d{1,8})([HMSmun])$/.exec(this.metadata("grpc-timeout") ?? "") ?? [];
    if (digits === undefined || unit === undefined) return undefined;
    return Number(digits) * (unitMs[unit] as number);
  }

  /** The shorter of our time and the caller's; then the call ends and nothing more is read. */
  limit(mostMs: number): void {
    const late = (): void => {
      // An answer that its client does not read is thrown away.
      if (this.over) this.stream.destroy();
      else this.end({ code: grpcCode.deadlineExceeded, message: "The request took too long." });
    };
    this.timer = setTimeout(late, Math.min(this.timeoutMs ?? mostMs, mostMs));
    this.stream.once("close", () => clearTimeout(this.timer));
  }

  /** True when the answer cannot be given any more. */
  get over(): boolean {
    return this.answered || this.stream.closed || this.stream.destroyed;
  }

  /** One message and OK. */
  reply(message: Uint8Array): void {
    if (this.over) return;
    this.answered = true;
    const { stream } = this;
    stream.respond(answerHeaders, { waitForTrailers: true });
    stream.once("wantTrailers", () =>
      stream.sendTrailers(trailersOf({ code: grpcCode.ok, message: "" })),
    );
    stream.end(framed(message));
  }

  /** A status and no message; what is left of the request is not read. */
  end(status: GrpcStatus): void {
    if (this.over) return;
    this.answered = true;
    this.stream.respond({ ...answerHeaders, ...trailersOf(status) }, { endStream: true });
    this.leave();
  }

  /** Refuses what is no gRPC at all. */
  refuseHttp(status: number): void {
    if (this.over) return;
    this.answered = true;
    this.stream.respond({ ":status": status }, { endStream: true });
    this.leave();
  }

  /**
   * What is still sent is thrown away for a moment: a reset that overtakes the answer hides it. A
   * client that goes on sending is cut off.
   */
  private leave(): void {
    const { stream } = this;
    stream.resume();
    const cut = setTimeout(() => stream.close(constants.NGHTTP2_NO_ERROR), leaveMs);
    stream.once("close", () => clearTimeout(cut));
  }

  /** Begins a stream of messages, which no time limits; `write` sends one, and says whether the caller keeps up. */
  begin(): (message: Uint8Array) => boolean {
    this.answered = true;
    clearTimeout(this.timer);
    this.stream.respond(answerHeaders);
    return (message) => this.stream.write(framed(message));
  }
}

const unitMs: { readonly [unit: string]: number } = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 0.001,
  n: 0.000_001,
};

const answerHeaders = {
  ":status": 200,
  "content-type": "application/grpc",
  "grpc-accept-encoding": accepted,
} as const;
