/**
 * @module gRPC call: one HTTP/2 stream for a method. Headers are validated, a deadline runs, and
 * the call always ends with a status (gRPC over HTTP/2).
 */
import { constants } from "node:http2";
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";

import type { ContentCoding } from "../otlp/inflate.ts";
import { contentCoding } from "../otlp/inflate.ts";
import { framed } from "./grpc-message.ts";
import { grpcCode, trailersOf } from "./grpc-status.ts";
import type { GrpcStatus } from "./grpc-status.ts";

/** Accepted codings of a message, as listed in the answer. */
const accepted = "identity,gzip,deflate,zstd";

/** Milliseconds in which a refused client may finish. */
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

  /** The coding in `grpc-encoding`, or undefined when it is not supported. */
  get coding(): ContentCoding | undefined {
    return contentCoding(this.metadata("grpc-encoding"));
  }

  /** The caller's timeout in milliseconds, by `grpc-timeout`; undefined without one. */
  private get timeoutMs(): number | undefined {
    const [, digits, unit] =
      /^(\d{1,8})([HMSmun])$/.exec(this.metadata("grpc-timeout") ?? "") ?? [];
    if (digits === undefined || unit === undefined) return undefined;
    return Number(digits) * (unitMs[unit] as number);
  }

  /** The shorter of our timeout and the caller's; then the call ends and nothing more is read. */
  limit(mostMs: number): void {
    const late = (): void => {
      // An answer that its client does not read is dropped.
      if (this.over) this.stream.destroy();
      else this.end({ code: grpcCode.deadlineExceeded, message: "The request took too long." });
    };
    this.timer = setTimeout(late, Math.min(this.timeoutMs ?? mostMs, mostMs));
    this.stream.once("close", () => clearTimeout(this.timer));
  }

  /** True when no answer can be sent any more. */
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

  /** A status and no message; the rest of the request is not read. */
  end(status: GrpcStatus): void {
    if (this.over) return;
    this.answered = true;
    this.stream.respond({ ...answerHeaders, ...trailersOf(status) }, { endStream: true });
    this.leave();
  }

  /** Refuses a request that is not gRPC. */
  refuseHttp(status: number): void {
    if (this.over) return;
    this.answered = true;
    this.stream.respond({ ":status": status }, { endStream: true });
    this.leave();
  }

  /**
   * Reads and drops the rest for a moment: a reset that overtakes the answer would hide it. A
   * client that keeps sending is disconnected.
   */
  private leave(): void {
    const { stream } = this;
    stream.resume();
    const cut = setTimeout(() => stream.close(constants.NGHTTP2_NO_ERROR), leaveMs);
    stream.once("close", () => clearTimeout(cut));
  }

  /**
   * Begins a stream of messages without a time limit; `write` sends one, and returns whether the
   * client keeps up.
   */
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
