/**
 * An answer that its reader leaves unread is ended, so that other addresses have its socket
 * (faults H10).
 */
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
const large = new Uint8Array(24 * 2 ** 20);

/** A server of a large answer and of one that takes long. */
function serve(options: Partial<ListenOptions>): Promise<Listening> {
  const app = new Hono();
  app.get("/large", (c) => c.body(large));
  app.get("/late", async (c) => {
    await sleep(1_500);
    return c.text("late");
  });
  app.get("/small", (c) => c.text("small"));
  const log = createLog("json", () => {});
  return listen(app, { host: "127.0.0.1", port: 0, log, ...options });
}

/** A request of the large answer. */
interface Stalled {
  readonly socket: Socket;
  /** Reads the rest; true where the whole answer came. */
  whole(): Promise<boolean>;
}

/** Requests the large answer and reads nothing of it. */
async function stall(server: Listening, from: string): Promise<Stalled> {
  const socket = await open(server.port, from);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  let read = 0;
  socket.on("error", () => {});
  socket.on("data", (chunk: Buffer) => (read += chunk.byteLength));
  socket.pause();
  socket.write(get("/large"));
  return {
    socket,
    async whole() {
      socket.resume();
      await closed;
      return read > large.byteLength;
    },
  };
}

test("an answer of which nothing is read for long ends; a late one and a read one do not", async () => {
  const server = await serve({ unreadTimeoutMs: 500 });
  try {
    const late = exchange(server.port, get("/late"), 20_000);
    const [unread, slow] = [await stall(server, "127.0.0.1"), await stall(server, "127.0.0.1")];
    // It reads on and on, with pauses that are shorter than the time.
    for (let step = 0; step < 40; step += 1) {
      slow.socket.resume();
      await sleep(2);
      slow.socket.pause();
      await sleep(40);
    }
    expect(await slow.whole()).toBe(true);
    expect(statuses(await late)).toEqual([200]);
    expect(await unread.whole()).toBe(false);
  } finally {
    await server.close(100);
  }
});

test("where unread answers hold all room, one of them ends for another address", async () => {
  const server = await serve({ connectionsMax: 16, connectionsPerAddressMax: 16 });
  const held = await Promise.all(Array.from({ length: 16 }, () => stall(server, "127.0.0.2")));
  try {
    await sleep(800);
    expect(statuses(await exchange(server.port, get("/small"), 5_000))).toEqual([200]);
    const ends = await Promise.all(held.map((one) => one.whole()));
    expect(ends.filter((isWhole) => !isWhole)).toHaveLength(1);
  } finally {
    await server.close(100);
  }
});
