/** @module EventChannel: order, back-pressure, a reader that stops, a producer that fails. */
import { setTimeout as wait } from "node:timers/promises";

import { expect, test } from "vitest";

import { EventChannel } from "./event-channel.ts";

test("hands on in order, and the producer waits for the reader", async () => {
  let sent = 0;
  const channel = new EventChannel<number>(
    async (send) => {
      for (let i = 0; i < 50; i += 1) {
        await send(i);
        sent += 1;
      }
    },
    () => undefined,
    4,
  );
  await wait(5);
  expect(sent).toBe(0);
  const read: number[] = [];
  for await (const value of channel) {
    read.push(value);
    await wait(0);
    expect(sent - read.length).toBeLessThanOrEqual(5);
  }
  expect(read).toEqual(Array.from({ length: 50 }, (_, i) => i));
});

test("a reader that leaves cancels, and the producer has ended when it is gone", async () => {
  const left = new AbortController();
  let ended = false;
  const channel = new EventChannel<number>(
    async (send) => {
      try {
        for (let i = 0; !left.signal.aborted; i += 1) await send(i);
        await wait(10);
        throw new Error("given up");
      } finally {
        ended = true;
      }
    },
    () => left.abort(),
  );
  for await (const value of channel) if (value === 3) break;
  expect(ended).toBe(true);
  expect(await channel.next()).toEqual({ done: true, value: undefined });
});

test("a failure comes after the last value, once", async () => {
  const channel = new EventChannel<string>(
    async (send) => {
      await send("a");
      throw new RangeError("no");
    },
    () => undefined,
  );
  expect(await channel.next()).toEqual({ done: false, value: "a" });
  await expect(channel.next()).rejects.toThrow(RangeError);
  expect(await channel.next()).toEqual({ done: true, value: undefined });
});

test("a stream that nobody reads never starts", async () => {
  let started = false;
  const channel = new EventChannel<number>(
    async () => void (started = true),
    () => undefined,
  );
  await channel.return();
  expect(started).toBe(false);
  expect(await channel.next()).toEqual({ done: true, value: undefined });
});
