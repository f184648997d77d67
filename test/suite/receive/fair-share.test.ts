/**
 * What one address with very many sockets leaves to others and to its own health checks, over HTTP
 * and over gRPC (faults H10). Addresses of loopback stand for machines.
 */
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import type { Socket } from "node:net";

import { expect, test, vi } from "vitest";

import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import { healthCheck, traceService } from "./grpc-client.ts";
import { openGrpcHarness } from "./grpc-harness.ts";
import { chat, openHarness } from "./harness.ts";
import { exchange, open, statuses } from "./raw-socket.ts";

const greedy = "127.0.0.2";
const other = "127.0.0.3";
const usual = { ":method": "POST", "content-type": "application/grpc", te: "trailers" };
const body = encodeProtobuf(traceRequest([chat(1)]));

const request = (line: string, rest = ""): string =>
  `${line} HTTP/1.1\r\nHost: localhost\r\n${rest}\r\n`;
const health = request("GET /healthz", "Connection: close\r\n");
/** A request whose body never comes. */
const held = request(
  "POST /v1/traces",
  "Content-Type: application/x-protobuf\r\nContent-Length: 1000\r\n",
);

/** Sends one request at a time, as a machine's health check does. */
async function requests(port: number, sent: string, from: string): Promise<readonly number[]> {
  return statuses(await exchange(port, sent, 3_000, from));
}

test("more sockets in one burst than there is room for take nothing from others", async () => {
  const bounds = { connectionsMax: 12, connectionsPerAddressMax: 8, sparesMax: 40 };
  const { server, ...harness } = await openHarness({ listen: bounds });
  const sockets: Socket[] = [];
  try {
    for (let index = 0; index < 400; index += 1) {
      const socket = connect({ port: server.port, host: "127.0.0.1", localAddress: greedy });
      socket.on("error", () => {});
      sockets.push(socket);
    }
    const arrived = (): void => expect(sockets.some(({ connecting }) => connecting)).toBe(false);
    await vi.waitFor(arrived, { timeout: 10_000 });
    expect(await requests(server.port, health, greedy)).toEqual([200]);
    expect(await requests(server.port, health, other)).toEqual([200]);
  } finally {
    for (const socket of sockets) socket.destroy();
    await harness.close();
  }
});

test("slow bodies of one address: its own are answered 503, others 200, and each is told", async () => {
  const bounds = { connectionsMax: 12, connectionsPerAddressMax: 8 };
  const { server, receiver, ...harness } = await openHarness({ listen: bounds });
  const stated: string[] = [];
  const sockets = await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      const socket = await open(server.port, greedy);
      socket.on("error", () => {});
      socket.on("data", (chunk: Buffer) => (stated[index] = chunk.toString("latin1")));
      socket.write(held);
      return socket;
    }),
  );
  try {
    await vi.waitFor(() => expect(stated.filter(Boolean)).toHaveLength(22));
    for (const answer of stated.filter(Boolean)) {
      expect(statuses(answer)).toEqual([503]);
      expect(answer).toMatch(/^retry-after: [1-5]\r$/im);
    }
    expect(await requests(server.port, health, greedy)).toEqual([200]);
    const unknown = request("GET /none", "Connection: close\r\n");
    expect(await requests(server.port, unknown, greedy)).toEqual([503]);
    expect(await requests(server.port, unknown, other)).toEqual([404]);
    // Those that were let in are answered as well, and their room is free again.
    await vi.waitFor(() => expect(stated.filter(Boolean)).toHaveLength(30), { timeout: 8_000 });
    expect(stated.flatMap(statuses).filter((status) => status === 408)).toHaveLength(8);
    await vi.waitFor(() => expect(receiver.conservation().in_flight).toBe(0));
  } finally {
    for (const socket of sockets) socket.destroy();
    await harness.close();
  }
});

test("with all room taken by the bodies of one address, one of them ends for another's", async () => {
  const bounds = { connectionsMax: 8, connectionsPerAddressMax: 8 };
  const { server, ...harness } = await openHarness({ listen: bounds });
  const sockets = await Promise.all(Array.from({ length: 8 }, () => open(server.port, greedy)));
  const stated = sockets.map((socket) => {
    socket.on("error", () => {});
    const answer = Promise.withResolvers<string>();
    socket.once("data", (chunk: Buffer) => answer.resolve(chunk.toString("latin1")));
    socket.write(held);
    return answer.promise;
  });
  try {
    const unknown = request("GET /none", "Connection: close\r\n");
    await vi.waitFor(
      async () => expect(await requests(server.port, unknown, other)).toEqual([404]),
      {
        timeout: 2_000,
      },
    );
    const ended = await Promise.race(stated);
    expect(statuses(ended)).toEqual([503]);
    expect(ended).toMatch(/^retry-after: [1-5]\r$/im);
  } finally {
    for (const socket of sockets) socket.destroy();
    await harness.close();
  }
});

test("over gRPC a call beyond the bound is told when to retry, and idle sockets give way", async () => {
  const bounds = { connectionsMax: 12, connectionsPerAddressMax: 6 };
  const harness = await openGrpcHarness({ grpc: { ...bounds, requestTimeoutMs: 20_000 } });
  const { port, url } = harness.grpc;
  const idle: Socket[] = [];
  const sessions = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const session = connectHttp2(url);
      session.on("error", () => {});
      const stream = session.request({ ...usual, ":path": traceService });
      stream.on("error", () => {});
      stream.write(Buffer.from([0, 0, 0, 4, 0]));
      await once(session, "remoteSettings");
      return session;
    }),
  );
  try {
    const refused = await harness.call(traceService, body);
    expect(refused.message).toMatch(/^overloaded: /);
    expect(refused.details?.toString("latin1")).toContain("google.rpc.RetryInfo");
    expect(refused.code).toBe(14);
    expect((await harness.call(healthCheck, Buffer.alloc(0))).code).toBe(0);
    for (const session of sessions) session.destroy();
    idle.push(...(await Promise.all(Array.from({ length: 30 }, () => open(port)))));
    for (const socket of idle) socket.on("error", () => {});
    const admitted = async (): Promise<void> =>
      expect((await harness.call(traceService, body)).code).toBe(0);
    await vi.waitFor(admitted, { timeout: 5_000 });
  } finally {
    for (const session of sessions) session.destroy();
    for (const socket of idle) socket.destroy();
    await harness.close();
  }
});
