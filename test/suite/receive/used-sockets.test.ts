/**
 * An idle socket that gives way to a new one: a request on it that arrived before is answered, one
 * that arrives later reads the end of the connection (RFC 9112, 9.3.1; faults H10).
 */
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { expect, test } from "vitest";

import { openHarness } from "./harness.ts";
import { open, statuses } from "./raw-socket.ts";

const health = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
const places = 4;

/** What a client came to read, and the failure of its socket, if any. */
interface Used {
  readonly socket: Socket;
  text: string;
  error: string | undefined;
  ended: boolean;
}

/** A socket after one answered request. */
async function used(port: number): Promise<Used> {
  const socket = await open(port, "127.0.0.2");
  const one: Used = { socket, text: "", error: undefined, ended: false };
  socket.on("data", (chunk: Buffer) => (one.text += chunk.toString("latin1")));
  socket.on("error", (failure: NodeJS.ErrnoException) => (one.error = failure.code));
  socket.on("end", () => (one.ended = true));
  socket.write(health);
  while (statuses(one.text).length === 0) await sleep(5);
  return one;
}

/** Sockets that occupy all places of their address, idle for long enough to give way. */
async function idleSockets(port: number): Promise<readonly Used[]> {
  const all: Used[] = [];
  for (let index = 0; index < places; index += 1) all.push(await used(port));
  await sleep(600);
  return all;
}

test("a request that arrives with the sockets that take its place is answered", async () => {
  const bounds = { connectionsMax: places, connectionsPerAddressMax: places };
  const { server, ...harness } = await openHarness({ listen: bounds });
  try {
    const all = await idleSockets(server.port);
    // All of it is in the kernel before this thread reads anything: first the connections, which
    // Node opens in the next tick.
    const others = all.map(() => open(server.port, "127.0.0.2"));
    await new Promise<void>((resolve) => process.nextTick(resolve));
    for (const { socket } of all) socket.write(health);
    for (const one of all) {
      while (!one.ended && statuses(one.text.replaceAll("HTTP/1.1 ", "\r\nHTTP/1.1 ")).length < 2)
        await sleep(5);
      const answers = statuses(one.text.replaceAll("HTTP/1.1 ", "\r\nHTTP/1.1 "));
      expect([answers.length, one.error]).toEqual([2, undefined]);
      expect([200, 503]).toContain(answers[1]);
      if (answers[1] === 503) expect(one.text).toMatch(/^retry-after: [1-5]\r$/im);
    }
    expect(all.filter(({ text }) => text.includes("overloaded")).length).toBeGreaterThan(0);
    for (const other of others) (await other).destroy();
  } finally {
    await harness.close();
  }
});

test("without a request the idle one reads the end of its connection and nothing else", async () => {
  const bounds = { connectionsMax: places, connectionsPerAddressMax: places };
  const { server, ...harness } = await openHarness({ listen: bounds });
  try {
    const all = await idleSockets(server.port);
    const other = await open(server.port, "127.0.0.2");
    while (!all.some(({ ended }) => ended)) await sleep(5);
    const [closed, ...more] = all.filter(({ ended }) => ended) as [Used, ...Used[]];
    expect([more.length, statuses(closed.text).length]).toEqual([0, 1]);
    // A request that crosses the end is neither answered nor reset.
    closed.socket.write(health);
    await sleep(100);
    expect([statuses(closed.text).length, closed.error]).toEqual([1, undefined]);
    other.destroy();
  } finally {
    await harness.close();
  }
});
