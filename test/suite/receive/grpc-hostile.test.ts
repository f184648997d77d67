/**
 * Slow and hostile HTTP/2 clients, by Node's own client and by raw bytes: each costs a bounded
 * amount, is cut off, and the receiver answers others as before.
 */
import { once } from "node:events";
import type { EventEmitter } from "node:events";
import { connect as connectHttp2, constants } from "node:http2";
import type { ClientHttp2Session, ClientHttp2Stream, OutgoingHttpHeaders } from "node:http2";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync, zstdCompressSync } from "node:zlib";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import { traceService } from "./grpc-client.ts";
import { openGrpcHarness } from "./grpc-harness.ts";
import type { GrpcHarness } from "./grpc-harness.ts";
import { chat } from "./harness.ts";

let harness: GrpcHarness;
beforeAll(async () => {
  harness = await openGrpcHarness({
    grpc: { prefaceTimeoutMs: 400, requestTimeoutMs: 4_000, connectionsPerAddressMax: 200 },
  });
});
afterAll(() => harness.close());

const good = encodeProtobuf(traceRequest([chat(1)]));
const usual = {
  ":method": "POST",
  ":path": traceService,
  "content-type": "application/grpc",
  te: "trailers",
};

/** A message in its frame; the length may lie. */
function frame(body: Uint8Array, flag = 0, length = body.byteLength): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = flag;
  prefix.writeUInt32BE(length >>> 0, 1);
  return Buffer.concat([prefix, body]);
}

interface RawAnswer {
  readonly http: number | undefined;
  readonly status: string | undefined;
}

/** One call with any headers and bytes. */
async function raw(
  headers: OutgoingHttpHeaders,
  bytes: Uint8Array | undefined,
): Promise<RawAnswer> {
  const session = connectHttp2(harness.grpc.url);
  session.on("error", () => {});
  const stream = session.request({ ...usual, ...headers });
  const answer = answerOf(stream);
  if (bytes !== undefined) stream.end(bytes);
  const stated = await answer;
  session.destroy();
  return stated;
}

function answerOf(stream: ClientHttp2Stream): Promise<RawAnswer> {
  return new Promise((resolve) => {
    let http: number | undefined;
    let status: string | undefined;
    stream.on("response", (headers) => {
      http = headers[":status"];
      status ??= headers["grpc-status"] as string | undefined;
    });
    stream.on("trailers", (headers) => (status = headers["grpc-status"] as string));
    stream.on("error", () => {});
    stream.on("close", () => resolve({ http, status }));
    stream.resume();
  });
}

/** A good call is answered as before. */
async function stillServes(): Promise<void> {
  const answer = await harness.call(traceService, good);
  expect(answer.code).toBe(0);
  expect(harness.receiver.conservation().balanced).toBe(true);
}

describe("a call", () => {
  type Row = readonly [string, OutgoingHttpHeaders, Uint8Array, number, string?];
  const rows: readonly Row[] = [
    ["as it should be", {}, frame(good), 200, "0"],
    ["with the longer type", { "content-type": "application/grpc+proto" }, frame(good), 200, "0"],
    ["compressed with gzip", { "grpc-encoding": "gzip" }, frame(gzipSync(good), 1), 200, "0"],
    [
      "compressed with zstd",
      { "grpc-encoding": "zstd" },
      frame(zstdCompressSync(good), 1),
      200,
      "0",
    ],
    ["that may be compressed and is not", { "grpc-encoding": "gzip" }, frame(good), 200, "0"],
    ["flagged as compressed, and is not", { "grpc-encoding": "gzip" }, frame(good, 1), 200, "3"],
    ["in a coding nobody knows", { "grpc-encoding": "snappy" }, frame(good, 1), 200, "12"],
    [
      "with a bomb",
      { "grpc-encoding": "gzip" },
      frame(gzipSync(Buffer.alloc(2 ** 26)), 1),
      200,
      "3",
    ],
    ["with a flag that does not exist", {}, frame(good, 2), 200, "3"],
    ["without a message", {}, Buffer.alloc(0), 200, "3"],
    ["with half a prefix", {}, Buffer.from([0, 0]), 200, "3"],
    ["with half a message", {}, frame(good, 0, good.length + 9), 200, "3"],
    ["with two messages", {}, Buffer.concat([frame(good), frame(good)]), 200, "3"],
    ["that promises 4 GiB", {}, frame(good, 0, 2 ** 32 - 1), 200, "3"],
    ["of nothing, which is a message", {}, frame(Buffer.alloc(0)), 200, "0"],
    ["by GET", { ":method": "GET" }, Buffer.alloc(0), 405],
    ["in JSON", { "content-type": "application/grpc+json" }, frame(good), 415],
    ["in a page's form", { "content-type": "text/plain" }, frame(good), 415],
    ["from a page", { origin: "https://example.com" }, frame(good), 403],
    ["for nothing that is here", { ":path": "/shop.Orders/Get" }, frame(good), 200, "12"],
  ];
  for (const [name, headers, bytes, http, status] of rows) {
    test(`${name} → ${http} ${status ?? ""}`, async () => {
      const answer = await raw(headers, headers[":method"] === "GET" ? undefined : bytes);
      expect(answer).toEqual({ http, status });
    });
  }

  test("with headers beyond 8 KiB or 64 pairs is refused", async () => {
    const big = await raw({ "x-big": "x".repeat(20_000) }, frame(good));
    expect(big.status).toBeUndefined();
    const pairs = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`x-${at}`, "1"]));
    expect((await raw(pairs, frame(good))).status).toBeUndefined();
    await stillServes();
  });

  test("that never ends is ended, and its budget given back", async () => {
    const session = connectHttp2(harness.grpc.url);
    const stream = session.request(usual);
    const answer = answerOf(stream);
    stream.write(frame(good, 0, 50_000_000));
    expect(await answer).toEqual({ http: 200, status: "4" });
    session.destroy();
    // Had it kept its lease, the next of this size would be refused.
    const again = await raw({ "grpc-timeout": "200m" }, undefined).catch(() => undefined);
    expect(again?.status).toBe("4");
    await stillServes();
  });
});

const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");
const settingsFrame = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);

/** The first of some events; an error is none of them. */
function eitherOf(emitter: EventEmitter, ...events: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    for (const event of events) emitter.once(event, () => resolve());
  });
}

/** Writes bytes again and again until the connection is closed; how many of the writes got out. */
async function flood(first: Uint8Array, again: Uint8Array, most: number): Promise<number> {
  const socket = connect(harness.grpc.port, "127.0.0.1");
  socket.on("error", () => {});
  let closed = false;
  socket.on("close", () => (closed = true));
  socket.resume();
  socket.write(first);
  let written = 0;
  while (!closed && written < most) {
    if (!socket.write(again)) await eitherOf(socket, "drain", "close");
    written++;
    if (written % 32 === 0) await sleep(1);
  }
  for (let wait = 0; !closed && wait < 300; wait++) await sleep(10);
  socket.destroy();
  return closed ? written : Number.POSITIVE_INFINITY;
}

describe("a connection", () => {
  const ping = Buffer.from([0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
  const start = Buffer.concat([preface, settingsFrame]);

  test.each([
    ["pings", ping],
    ["settings", settingsFrame],
    ["frames of a stream that is none", Buffer.from([0, 0, 1, 0, 0, 0, 0, 0, 7, 0])],
    ["resets of a stream that is none", Buffer.from([0, 0, 4, 3, 0, 0, 0, 0, 9, 0, 0, 0, 8])],
    ["window updates of zero", Buffer.from([0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0])],
  ])("that floods with %s is cut", async (_name, bytes) => {
    expect(
      await flood(start, Buffer.concat(Array.from({ length: 16 }, () => bytes)), 4_000),
    ).toBeLessThan(4_000);
    await stillServes();
  });

  test("that says nothing, or half of the preface, is closed", async () => {
    for (const bytes of [Buffer.alloc(0), preface.subarray(0, 10), preface]) {
      const socket = connect(harness.grpc.port, "127.0.0.1");
      socket.on("error", () => {});
      socket.resume();
      if (bytes.length > 0) socket.write(bytes);
      const began = performance.now();
      await eitherOf(socket, "close");
      expect(performance.now() - began).toBeLessThan(10_000);
    }
    await stillServes();
  });

  test("that sends its preface by single bytes is closed, however long it goes on", async () => {
    const socket = connect(harness.grpc.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.resume();
    let closed = false;
    void eitherOf(socket, "close").then(() => (closed = true));
    let sent = 0;
    // Slower than the time that a connection has for its first bytes.
    for (; !closed && sent < preface.length; sent += 1) {
      socket.write(preface.subarray(sent, sent + 1));
      await sleep(500);
    }
    expect(closed).toBe(true);
    expect(sent).toBeLessThan(preface.length);
    await stillServes();
  });

  test("opens at most so many streams, and rapid resets end it", async () => {
    const session: ClientHttp2Session = connectHttp2(harness.grpc.url);
    session.on("error", () => {});
    await once(session, "remoteSettings");
    expect(session.remoteSettings.maxConcurrentStreams).toBe(32);
    expect(session.remoteSettings.maxHeaderListSize).toBe(8_192);
    let code: number | undefined;
    session.on("goaway", (stated) => (code = stated));
    const gone = eitherOf(session, "close");
    for (let round = 0; round < 2_000 && !session.closed && !session.destroyed; round++) {
      const stream = session.request(usual);
      stream.on("error", () => {});
      stream.close(constants.NGHTTP2_CANCEL);
      if (round % 50 === 0) await sleep(1);
    }
    await Promise.race([gone, sleep(5_000)]);
    expect(session.destroyed || session.closed).toBe(true);
    expect(code ?? constants.NGHTTP2_ENHANCE_YOUR_CALM).toBeGreaterThan(0);
    await stillServes();
  });

  test("that sends many bodies and reads no answer is served no further than its window", async () => {
    const session = connectHttp2(harness.grpc.url, { settings: { initialWindowSize: 0 } });
    session.on("error", () => {});
    const streams = Array.from({ length: 100 }, () => {
      const stream = session.request(usual);
      stream.on("error", () => {});
      stream.end(frame(good));
      return stream;
    });
    // The answers cannot leave; the calls end at their time all the same.
    for (const stream of streams) if (!stream.closed) await eitherOf(stream, "close");
    session.destroy();
    await stillServes();
  });

  test("is one of so many from one address", async () => {
    const sockets = Array.from({ length: 260 }, () => {
      const socket = connect(harness.grpc.port, "127.0.0.1");
      socket.on("error", () => {});
      // Who reads nothing does not see the end.
      socket.resume();
      return socket;
    });
    const cut = (): number => sockets.filter((one) => one.closed || one.destroyed).length;
    await expect.poll(cut, { timeout: 10_000 }).toBeGreaterThan(0);
    for (const socket of sockets) socket.destroy();
    await sleep(100);
    await stillServes();
  });
});
