/**
 * @module gRPC message: reads the only message of a unary call from its frame (a flag, a length of
 * four bytes, the bytes). The byte budget is reserved when the length is known, before the first
 * byte.
 */
import type { ServerHttp2Stream } from "node:http2";

import { CodedError, limits } from "@turnproof/semconv";

import type { BudgetLease } from "../otlp/byte-budget.ts";
import type { ContentCoding } from "../otlp/inflate.ts";
import { BodyCollector } from "../otlp/request-body.ts";

/** A message as received. */
export interface GrpcMessage {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly coding: ContentCoding;
}

/** Flag and length before a message. */
const prefixBytes = 5;

/**
 * Reads the message; `coding` is the call's `grpc-encoding`, which applies to a message flagged as
 * compressed. Throws `bad_request` for a call without a message, with a partial or second one, or
 * that is cancelled, `body_too_large`, and the errors of `reserve`.
 */
export function readMessage(
  stream: ServerHttp2Stream,
  coding: ContentCoding,
  reserve: (bytes: number) => BudgetLease,
): Promise<GrpcMessage> {
  const reading = new MessageReading(coding, reserve);
  return new Promise((resolve, reject) => {
    const stop = (error: unknown): void => {
      stream.off("data", onData);
      stream.pause();
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      try {
        reading.add(chunk);
      } catch (error) {
        stop(error);
      }
    };
    const onGone = (): void => stop(new CodedError("bad_request"));
    // A stream without a byte ends without a reader, before a call that waited for its turn.
    if (stream.readableEnded || stream.closed) {
      onGone();
      return;
    }
    stream.on("data", onData);
    stream.once("end", () => {
      try {
        resolve(reading.whole());
      } catch (error) {
        stop(error);
      }
    });
    stream.once("aborted", onGone);
    stream.once("close", onGone);
  });
}

/** A message being received. */
class MessageReading {
  private readonly named: ContentCoding;
  private readonly reserve: (bytes: number) => BudgetLease;
  private readonly prefix = Buffer.alloc(prefixBytes);
  private seen = 0;
  private length = 0;
  private received = 0;
  private body: BodyCollector | undefined;

  constructor(named: ContentCoding, reserve: (bytes: number) => BudgetLease) {
    this.named = named;
    this.reserve = reserve;
  }

  add(chunk: Buffer): void {
    const head = Math.min(prefixBytes - this.seen, chunk.length);
    chunk.copy(this.prefix, this.seen, 0, head);
    this.seen += head;
    if (this.seen < prefixBytes) return;
    this.body ??= this.open();
    const rest = chunk.subarray(head);
    this.received += rest.length;
    // A unary call has one message.
    if (this.received > this.length) throw new CodedError("bad_request");
    if (rest.length > 0) this.body.add(rest);
  }

  private open(): BodyCollector {
    this.length = this.prefix.readUInt32BE(1);
    if ((this.prefix[0] as number) > 1) throw new CodedError("bad_request");
    if (this.length > limits.otlpBodyBytesMax) throw new CodedError("body_too_large");
    return new BodyCollector(this.length, this.reserve(this.length));
  }

  whole(): GrpcMessage {
    if (this.body === undefined || this.received < this.length) throw new CodedError("bad_request");
    return { bytes: this.body.whole(), coding: this.prefix[0] === 1 ? this.named : "identity" };
  }
}

/** A message in its frame, not compressed. */
export function framed(bytes: Uint8Array): Buffer {
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt32BE(bytes.byteLength, 1);
  return Buffer.concat([prefix, bytes]);
}
