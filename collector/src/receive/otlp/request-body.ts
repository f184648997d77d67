/**
 * @module Request body: reads a body under the byte budget, which is reserved before the first
 * byte. A declared length is reserved at once; otherwise the reservation grows with the body.
 */
import type { IncomingMessage } from "node:http";

import { CodedError, limits } from "@turnproof/semconv";

import type { BudgetLease } from "./byte-budget.ts";

/** First reservation for a body of unknown length. */
export const undeclaredBytes = 65_536;
/** A body of which so much has come gets a buffer of its declared length. */
const firstBytes = 65_536;

/** The declared length, undefined without one; throws 400 and 413. */
export function declaredBytes(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (!/^\d+$/.test(header)) throw new CodedError("bad_request");
  const bytes = Number(header);
  if (bytes > limits.otlpBodyBytesMax) throw new CodedError("body_too_large");
  return bytes;
}

/**
 * Collects chunks under the reservation; throws the error for the request. A large body of declared
 * length is written to its own buffer, so that it is in memory once; the buffer is not allocated
 * before the first part has come, so a client that only declares a length costs nothing but its
 * reservation.
 */
export class BodyCollector {
  private chunks: Uint8Array[] = [];
  private target: Uint8Array<ArrayBuffer> | undefined;
  private readonly declared: number | undefined;
  private readonly lease: BudgetLease;
  private length = 0;

  constructor(declared: number | undefined, lease: BudgetLease) {
    this.declared = declared;
    this.lease = lease;
  }

  add(chunk: Uint8Array): void {
    const from = this.length;
    this.length += chunk.byteLength;
    if (this.length > limits.otlpBodyBytesMax) throw new CodedError("body_too_large");
    if (this.declared === undefined) {
      if (this.length > this.lease.bytes) this.lease.growTo(grown(this.length));
    } else {
      if (this.length > this.declared) throw new CodedError("bad_request");
      if (this.target === undefined && this.length > firstBytes) {
        this.target = joined(this.chunks, this.declared);
        this.chunks = [];
      }
    }
    if (this.target === undefined) this.chunks.push(chunk);
    else this.target.set(chunk, from);
  }

  /** The body in its own buffer, which can be transferred to a worker. */
  whole(): Uint8Array<ArrayBuffer> {
    const { target } = this;
    if (target !== undefined) {
      // A body shorter than declared gets a buffer of its own length.
      return this.length === target.byteLength ? target : target.slice(0, this.length);
    }
    const body = joined(this.chunks, this.length);
    this.chunks = [];
    return body;
  }
}

/** The chunks one after another, at the beginning of a buffer of that length. */
function joined(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const body = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    body.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return body;
}

/**
 * Reads Node's request. Throws `body_too_large`, `overloaded`, and `bad_request` when the client
 * disconnects in the middle; the request stays open, so that it can be answered.
 */
export function readIncoming(
  incoming: IncomingMessage,
  declared: number | undefined,
  lease: BudgetLease,
): Promise<Uint8Array<ArrayBuffer>> {
  const collector = new BodyCollector(declared, lease);
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      incoming.off("data", onData);
      incoming.off("end", onEnd);
      incoming.off("error", onGone);
      incoming.off("close", onGone);
      incoming.off("aborted", onGone);
    };
    const onData = (chunk: Buffer): void => {
      try {
        collector.add(chunk);
      } catch (error) {
        stop();
        incoming.pause();
        reject(error);
      }
    };
    const onEnd = (): void => {
      stop();
      resolve(collector.whole());
    };
    const onGone = (): void => {
      stop();
      reject(new CodedError("bad_request"));
    };
    incoming.on("data", onData);
    incoming.on("end", onEnd);
    incoming.on("error", onGone);
    incoming.on("close", onGone);
    // A body that came too slowly is cut before its connection closes.
    incoming.on("aborted", onGone);
  });
}

/** Reads the body of a Fetch request without a Node request. */
export async function readStream(
  body: ReadableStream<Uint8Array> | null,
  declared: number | undefined,
  lease: BudgetLease,
): Promise<Uint8Array<ArrayBuffer>> {
  const collector = new BodyCollector(declared, lease);
  if (body !== null) {
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) collector.add(chunk);
  }
  return collector.whole();
}

/** Doubles, so that a long body calls the budget a few times and not for every chunk. */
function grown(length: number): number {
  return Math.min(length * 2, limits.otlpBodyBytesMax);
}
