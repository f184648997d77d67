/**
 * Each refused client reads a status: of a thousand sockets that are slow in several ways over
 * HTTP, each is closed after its client has read the reason (faults H10).
 */
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

import { expect, test, vi } from "vitest";

import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import { chat, openHarness } from "./harness.ts";
import { exchange, open, statuses } from "./raw-socket.ts";

const head =
  "POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\n";
const lengthy = `${head}Content-Length: 100000\r\n`;
const health = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

/** What each kind of client sends first, and what it then sends again and again. */
const moods = {
  plain: [`${lengthy}\r\nabc`, "x"],
  chunked: [`${head}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`, "1\r\nx\r\n"],
  expecting: [`${lengthy}Expect: 100-continue\r\n\r\n`, ""],
  closing: [`${lengthy}Connection: close\r\n\r\nabc`, "x"],
  reused: [`${health}${lengthy}\r\nabc`, "x"],
  pipelined: [`${lengthy}\r\nabc`, health],
  large: [`${head}Content-Length: 99000000\r\n\r\n`, "x".repeat(16_384)],
  headless: ["POST /v1/tra", "c"],
  silent: ["", ""],
} as const;
type Mood = keyof typeof moods;

/** What a client of a mood came to read, and the failure of its socket, if any. */
interface Read {
  readonly mood: Mood;
  readonly text: string;
  readonly error: string | undefined;
}

/** Sends slowly until the server ends the connection; writes on whatever has been answered. */
async function sendSlowly(port: number, mood: Mood, from: string): Promise<Read> {
  const [first, again] = moods[mood];
  const socket = await open(port, from);
  let [text, error]: [string, string | undefined] = ["", undefined];
  socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
  socket.on("error", (failure: NodeJS.ErrnoException) => (error = failure.code));
  socket.write(first);
  const timer = setInterval(() => again !== "" && socket.writable && socket.write(again), 150);
  await new Promise<void>((resolve) => socket.once("close", () => resolve()));
  clearInterval(timer);
  // A body without a line's end is followed by the next answer.
  return { mood, text: text.replaceAll("HTTP/1.1 ", "\r\nHTTP/1.1 "), error };
}

test("a thousand slow clients of an address, in every mood, read a status", async () => {
  const timeouts = { headersTimeoutMs: 6_000, requestTimeoutMs: 8_000, checkIntervalMs: 500 };
  // Few enough that a slow machine, on which they come one after another, is overloaded as well.
  const bounds = { connectionsMax: 400, connectionsPerAddressMax: 300 };
  const listen = { ...timeouts, ...bounds };
  const { server, receiver, ...harness } = await openHarness({ listen });
  try {
    const names = Object.keys(moods) as Mood[];
    const reads = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) =>
        sendSlowly(server.port, names[index % names.length] as Mood, "127.0.0.2"),
      ),
    );
    for (const { mood, text, error } of reads) {
      const answers = statuses(text).filter((status) => status !== 100);
      const last = answers.at(-1);
      expect([mood, error, answers.length > 0]).toEqual([mood, undefined, true]);
      expect([mood, [408, 413, 503].includes(last ?? 0)]).toEqual([mood, true]);
      if (last === 503) expect(text).toMatch(/^retry-after: [1-5]\r$/im);
      // An answer is to one request: the rest of a refused one has none.
      expect([mood, answers.length]).toEqual([mood, mood === "reused" ? 2 : 1]);
    }
    expect(reads.filter(({ text }) => statuses(text).includes(503)).length).toBeGreaterThan(0);
    await vi.waitFor(() => expect(receiver.conservation().in_flight).toBe(0));
  } finally {
    await harness.close();
  }
}, 90_000);

test("who gives way before its request is whole reads 503, also where no spare is left", async () => {
  const bounds = { connectionsMax: 12, connectionsPerAddressMax: 8, sparesMax: 20 };
  const { server, ...harness } = await openHarness({ listen: bounds });
  try {
    const ended: Read[] = [];
    for (let index = 0; index < 100; index += 1) {
      const mood = index % 2 === 0 ? "headless" : "silent";
      void sendSlowly(server.port, mood, "127.0.0.2").then((read) => ended.push(read));
    }
    // Eight are within the bounds, and an address has 16 of 20 spares.
    await vi.waitFor(() => expect(ended.length).toBeGreaterThanOrEqual(100 - 8 - 16));
    for (const { text } of ended) {
      expect(statuses(text)).toEqual([503]);
      expect(text).toMatch(/^retry-after: [1-5]\r$/im);
    }
  } finally {
    await harness.close();
  }
});

test.each([
  ["a length beyond the bound", `${head}Content-Length: 99000000\r\n\r\n`, 413],
  ["headers beyond the bound", `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(9_000)}`, 431],
  ["a broken chunk", `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400],
])("a client that writes on before it reads, after %s, reads the answer", async (...of) => {
  const [, sent, status] = of;
  const { server, ...harness } = await openHarness();
  try {
    const socket = await open(server.port);
    const errors: unknown[] = [];
    socket.on("error", (error) => errors.push(error));
    socket.pause();
    socket.write(sent);
    for (let part = 0; part < 40; part += 1) {
      await new Promise((resolve) => socket.write(Buffer.alloc(65_536, "x"), resolve));
      await sleep(5);
    }
    let stated = "";
    socket.on("data", (chunk: Buffer) => (stated += chunk.toString("latin1")));
    socket.resume();
    await vi.waitFor(() => expect(statuses(stated)).toEqual([status]));
    expect(errors).toEqual([]);
    socket.destroy();
  } finally {
    await harness.close();
  }
});

test("100 comes when the body is read, and a refused client is spared the body", async () => {
  const { server, ...harness } = await openHarness();
  const body = encodeProtobuf(traceRequest([chat(1)]));
  const expecting = (length: number, type: string): string =>
    `POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nConnection: close\r\n` +
    `Expect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;
  try {
    for (const [length, type, status] of [
      [99_000_000, "application/x-protobuf", 413],
      [10, "text/plain", 415],
    ] as const) {
      expect(statuses(await exchange(server.port, expecting(length, type)))).toEqual([status]);
    }
    const socket = await open(server.port);
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
    socket.write(expecting(body.length, "application/x-protobuf"));
    await vi.waitFor(() => expect(statuses(text)).toEqual([100]));
    socket.write(body);
    await once(socket, "close");
    expect(statuses(text)).toEqual([100, 200]);
  } finally {
    await harness.close();
  }
});
