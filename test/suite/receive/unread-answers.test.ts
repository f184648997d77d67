/**
 * An answer that its reader leaves unread is ended, so that other addresses have its socket
 * (faults H10).
 */
import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { Hono } from "hono";
import { expect, test } from "vitest";

import { createLog } from "../../../collector/src/log.ts";
import { listen } from "../../../collector/src/server.ts";
import type { ListenOptions } from "../../../collector/src/server.ts";
import type { Listening } from "../../../collector/src/http/connections.ts";
import { exchange, open, statuses } from "./raw-socket.ts";

const get = (target: string): string =>
  `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
/** More than the system takes for a reader that reads nothing. */
const large = new Uint8Array(48 * 2 ** 20);

/** A server of a large answer and of one that takes long, and what became of its requests. */
async function serve(
  options: Partial<ListenOptions>,
): Promise<{ readonly server: Listening; readonly left: { count: number } }> {
  const left = { count: 0 };
  const app = new Hono();
  app.get("/large", (c) => {
    c.req.raw.signal.addEventListener("abort", () => (left.count += 1));
    return c.body(large);
  });
  app.get("/late", async (c) => {
    await sleep(1_500);
    return c.text("late");
  });
  app.get("/small", (c) => c.text("small"));
  const log = createLog("json", () => {});
  return { server: await listen(app, { host: "127.0.0.1", port: 0, log, ...options }), left };
}

/** Requests the large answer and reads nothing of it. */
async function stall(server: Listening, from: string): Promise<Socket> {
  const socket = await open(server.port, from);
  socket.on("error", () => {});
  socket.pause();
  socket.write(get("/large"));
  return socket;
}

test("an answer of which nothing is read for long ends; a late one and a read one do not", async () => {
  const { server, left } = await serve({ unreadTimeoutMs: 500 });
  const socket = await stall(server, "127.0.0.1");
  try {
    const late = exchange(server.port, get("/late"), 20_000);
    const slow = await stall(server, "127.0.0.1");
    let read = 0;
    slow.on("data", (chunk: Buffer) => (read += chunk.byteLength));
    // It reads on and on, with pauses that are shorter than the time.
    for (let step = 0; step < 200 && read < large.byteLength; step += 1) {
      slow.resume();
      await sleep(20);
      slow.pause();
      await sleep(20);
    }
    slow.resume();
    await once(slow, "close");
    expect(read).toBeGreaterThanOrEqual(large.byteLength);
    expect(statuses(await late)).toEqual([200]);
    // The first request was given up, and no other.
    for (let waited = 0; left.count === 0 && waited < 200; waited += 1) await sleep(50);
    expect(left.count).toBe(1);
  } finally {
    socket.destroy();
    await server.close(100);
  }
});

test("where unread answers hold all room, one of them ends for another address", async () => {
  const bounds = { connectionsMax: 16, connectionsPerAddressMax: 16 };
  const { server, left } = await serve(bounds);
  const held = await Promise.all(Array.from({ length: 16 }, () => stall(server, "127.0.0.2")));
  try {
    await sleep(800);
    expect(statuses(await exchange(server.port, get("/small"), 5_000))).toEqual([200]);
    expect(left.count).toBe(1);
    // Their own address has no room, and is answered so.
    const own = await exchange(server.port, get("/small"), 5_000, "127.0.0.2");
    expect(statuses(own)).toEqual([503]);
  } finally {
    for (const socket of held) socket.destroy();
    await server.close(100);
  }
});
