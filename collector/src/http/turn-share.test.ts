/** Work of many sockets is spread over turns of the event loop. */
import { expect, test } from "vitest";

import { turnShare } from "./turn-share.ts";

/** Occupies the thread. */
function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test("work within the share of a turn is done at once", () => {
  const share = turnShare();
  const done: number[] = [];
  share(() => done.push(1));
  share(() => done.push(2));
  expect(done).toEqual([1, 2]);
});

test("much work leaves room for others between its parts, and keeps its order", async () => {
  const share = turnShare();
  const done: number[] = [];
  let turns = 0;
  for (let index = 0; index < 40; index += 1) {
    share(() => {
      work(3);
      done.push(index);
    });
  }
  expect(done.length).toBeLessThan(8);
  while (done.length < 40) {
    const before = done.length;
    await new Promise((resolve) => setTimeout(resolve, 0));
    turns += 1;
    expect(done.length - before).toBeLessThan(20);
  }
  expect(turns).toBeGreaterThan(3);
  expect(done).toEqual(Array.from({ length: 40 }, (_, index) => index));
  // The next turn has a share of its own.
  await new Promise((resolve) => setTimeout(resolve, 5));
  share(() => done.push(40));
  expect(done).toHaveLength(41);
});

test("a turn in which a connection arrives does no work, for a bounded time", async () => {
  let arrived = 0;
  const share = turnShare(() => arrived);
  const done: string[] = [];
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  arrived += 1;
  share(() => done.push("first"));
  for (let turns = 0; turns < 3; turns += 1) {
    expect(done).toEqual([]);
    arrived += 1;
    await turn();
  }
  // None has arrived in this turn.
  await turn();
  await turn();
  expect(done).toEqual(["first"]);
  // A connection in each turn holds work for a bounded time only.
  arrived += 1;
  share(() => done.push("second"));
  const until = performance.now() + 5_000;
  while (done.length < 2 && performance.now() < until) {
    arrived += 1;
    await turn();
  }
  expect(done).toEqual(["first", "second"]);
});
