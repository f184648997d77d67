/**
 * Who gives way at the bounds of connections, and that every refusal is answered (faults
 * H10).
 */
import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { Hono } from "hono";
import { expect, test, vi } from "vitest";

import { createLog } from "../../../collector/src/log.ts";
import { listen } from "../../../collector/src/server.ts";
import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import { chat, openHarness, protobuf } from "./harness.ts";
import { exchange, open, statuses } from "./raw-socket.ts";

const get = (target: string, host: string): string =>
  `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;

test("a thousand idle and slow ones of an address keep neither its health nor its spans out", async () => {
  const patient = await openHarness();
  const { server } = patient;
  const slow = "POST /v1/traces HTTP/1.1\r\nHost: localhost\r\n";
  const held: Socket[] = [];
  try {
    for (let round = 0; round < 10; round += 1) {
      const some = await Promise.all(Array.from({ length: 100 }, () => open(server.port)));
      for (const [index, socket] of some.entries()) {
        socket.on("error", () => {});
        socket.resume();
        if (index % 2 === 0) socket.write("GET /hea");
        else if (index % 4 === 1) {
          socket.write(
            `${slow}Content-Type: application/x-protobuf\r\nContent-Length: 1000\r\n\r\nabc`,
          );
        }
      }
      held.push(...some);
      await sleep(100);
    }
    await sleep(600);
    for (let index = 0; index < 20; index += 1) {
      expect(statuses(await exchange(server.port, get("/healthz", "localhost")))).toEqual([200]);
      const body = encodeProtobuf(traceRequest([chat(index + 1)]));
      expect((await patient.post(body, { ...protobuf, connection: "close" })).status).toBe(200);
    }
    // A client that sends a body by single bytes is cut, and its room is free again.
    await vi.waitFor(() => expect(patient.receiver.conservation().in_flight).toBe(0));
  } finally {
    for (const socket of held) socket.destroy();
    await patient.close();
  }
});

test("idle connections give way to new ones, those that never asked first", async () => {
  const log = createLog("json", () => {});
  const app = new Hono().get("/", (c) => c.text("ok"));
  const bounds = { connectionsMax: 12, connectionsPerAddressMax: 8 };
  const server = await listen(app, { host: "127.0.0.1", port: 0, log, ...bounds });
  const kept = await open(server.port);
  kept.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await once(kept, "data");
  const idle: Socket[] = [];
  for (let index = 0; index < 30; index += 1) {
    const socket = await open(server.port);
    socket.on("error", () => {});
    idle.push(socket);
    // A connection that just came is about to send, and gives way to none.
    if (index % 5 === 4) await sleep(600);
    if (index % 10 === 9) {
      expect(statuses(await exchange(server.port, get("/", "localhost")))).toEqual([200]);
    }
  }
  // A connection that sends requests stays open.
  kept.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const [again] = (await once(kept, "data")) as [Buffer];
  expect(statuses(again.toString("latin1"))).toEqual([200]);
  for (const socket of [kept, ...idle]) socket.destroy();
  await server.close();
});

test("beyond the bound of those at work every request is answered 503, and health 200", async () => {
  const log = createLog("json", () => {});
  const release = Promise.withResolvers<void>();
  const app = new Hono()
    .get("/healthz", (c) => c.text("ok"))
    .get("/", async (c) => {
      await release.promise;
      return c.text("ok");
    });
  const bounds = { connectionsMax: 12, connectionsPerAddressMax: 4 };
  const server = await listen(app, { host: "127.0.0.1", port: 0, log, ...bounds });
  const busy = Array.from({ length: 4 }, () =>
    exchange(server.port, get("/", "localhost"), 20_000),
  );
  await vi.waitFor(async () => {
    expect(statuses(await exchange(server.port, get("/", "localhost"), 500))).toEqual([503]);
  });
  const refused = await Promise.all(
    Array.from({ length: 20 }, () => exchange(server.port, get("/", "localhost"))),
  );
  for (const answer of refused) {
    expect(statuses(answer)).toEqual([503]);
    expect(answer).toMatch(/^retry-after: [1-5]\r$/im);
  }
  expect(statuses(await exchange(server.port, get("/healthz", "localhost")))).toEqual([200]);
  release.resolve();
  for (const answer of await Promise.all(busy)) expect(statuses(answer)).toEqual([200]);
  expect(statuses(await exchange(server.port, get("/", "localhost")))).toEqual([200]);
  await server.close();
});

test("whoever is refused while it sends reads the answer all the same", async () => {
  const log = createLog("json", () => {});
  const app = new Hono().post("/", (c) => c.text("full", 503, { "Retry-After": "1" }));
  const server = await listen(app, { host: "127.0.0.1", port: 0, log });
  const body = Buffer.alloc(8 * 1024 * 1024);
  const answers = await Promise.all(
    Array.from({ length: 24 }, async () => {
      const socket = await open(server.port);
      const errors: unknown[] = [];
      socket.on("error", (error) => errors.push(error));
      let stated = "";
      socket.on("data", (chunk: Buffer) => (stated += chunk.toString("latin1")));
      socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n`);
      // A client that writes all before it reads, as most do.
      await new Promise((resolve) => socket.write(body, resolve));
      await vi.waitFor(() => expect(stated).toContain("full"), { timeout: 20_000 });
      socket.destroy();
      return [statuses(stated), errors];
    }),
  );
  expect(answers).toEqual(answers.map(() => [[503], []]));
  await server.close();
});
