/** Which thread answers a request, and when (faults R17). */
import type { CodedError } from "@turnproof/semconv";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { createReadQueue } from "./read-queue.ts";
import type { ReadPlace, ReadQueue, ReadQueueOptions } from "./read-queue.ts";

const options: ReadQueueOptions = {
  threads: 2,
  started: () => true,
  making: () => 0,
  waitMsMax: 10_000,
  largeCpuMs: 500,
  ownWaitingMax: 3,
  allWaitingMax: 5,
};
const pageOf = (trace: string): string => `/traces/${trace.padStart(32, "0")}`;
const flush = async (): Promise<void> => {
  for (let round = 0; round < 9; round += 1) await Promise.resolve();
};
const settled = async <T>(promise: Promise<T>): Promise<T | string> => {
  let result: T | string = "waits";
  void promise.then(
    (value) => (result = value),
    (error: unknown) => (result = (error as CodedError).code),
  );
  await flush();
  return result;
};

/** Reads that began, in their order; each ends by its number. */
function recorded(queue: ReadQueue) {
  const began: { readonly name: string; readonly place: ReadPlace }[] = [];
  const enter = async (principal: string, address: string, name = address): Promise<void> => {
    const place = await queue.enter({ principal, address });
    began.push({ name, place });
  };
  return { began, enter, names: () => began.map(({ name }) => name) };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("a small read never waits, and stays off the thread of a large one", async () => {
  const queue = createReadQueue(options);
  const first = await queue.enter({ principal: "a", address: pageOf("a1") });
  first.end(3_000);
  const large = await queue.enter({ principal: "a", address: pageOf("a1") });
  expect(large.thread).toBe(1);
  for (let at = 0; at < 20; at += 1) {
    const small = await queue.enter({ principal: "b", address: `/traces?q=${at}` });
    expect(small.thread).toBe(0);
  }
});

test("a small read begins while as many large ones wait as may", async () => {
  const queue = createReadQueue(options);
  (await queue.enter({ principal: "a", address: pageOf("a1") })).end(3_000);
  const waiting = Array.from({ length: 5 }, (_, at) =>
    queue.enter({ principal: "a", address: `${pageOf("a1")}?at=${at}` }),
  );
  // One runs, three wait, and one is refused.
  const refused = waiting.at(-1) as Promise<ReadPlace>;
  await expect(refused).rejects.toThrow("overloaded");
  expect((await queue.enter({ principal: "a", address: "/traces" })).thread).toBe(0);
});

test("of large reads one runs at a time, whichever address of the trace is read", async () => {
  const queue = createReadQueue(options);
  (await queue.enter({ principal: "a", address: pageOf("a1") })).end(3_000);
  const running = await queue.enter({ principal: "a", address: `${pageOf("a1")}.json` });
  expect(running.thread).toBe(1);
  const next = queue.enter({ principal: "a", address: `${pageOf("a1")}?select=x` });
  expect(await settled(next)).toBe("waits");
  running.end(2_000);
  expect((await next).thread).toBe(1);
});

test("the page of another principal is next, however many large ones wait", async () => {
  const queue = createReadQueue(options);
  const { began, enter, names } = recorded(queue);
  for (const trace of ["a1", "a2", "a3", "a4", "a5"]) void enter("a", pageOf(trace), trace);
  await flush();
  // Nothing is known of them: one on each thread.
  expect(names()).toEqual(["a1", "a2"]);
  void enter("b", pageOf("b1"), "b1");
  began[0]?.place.end(3_000);
  await flush();
  began[1]?.place.end(3_000);
  await flush();
  expect(names().slice(0, 4)).toContain("b1");
});

test("a read that turns out small is small from then on, and one that grows is large", async () => {
  const queue = createReadQueue(options);
  const address = pageOf("c1");
  (await queue.enter({ principal: "a", address })).end(20);
  const places = [];
  for (let at = 0; at < 4; at += 1) places.push(await queue.enter({ principal: "a", address }));
  expect(new Set(places.map(({ thread }) => thread)).size).toBe(2);
  for (const { end } of places) end(20);
  (await queue.enter({ principal: "a", address })).end(900);
  const large = await queue.enter({ principal: "a", address });
  expect(await settled(queue.enter({ principal: "a", address }))).toBe("waits");
  large.end();
});

test("a small read beside others is not taken as large", async () => {
  const queue = createReadQueue(options);
  const page = await queue.enter({ principal: "a", address: pageOf("a1") });
  const list = await queue.enter({ principal: "a", address: "/traces" });
  const beside = await queue.enter({ principal: "b", address: "/agents" });
  expect(beside.thread).toBe(list.thread);
  // Each figure has the CPU of both.
  list.end(600);
  beside.end(600);
  page.end(600);
  const again = await Promise.all(
    [1, 2].map(() => queue.enter({ principal: "a", address: "/traces" })),
  );
  expect(again.map(({ thread }) => thread)).toEqual([0, 1]);
  // The page was alone on its thread.
  const large = await queue.enter({ principal: "a", address: pageOf("a1") });
  expect(large.thread).toBe(1);
  expect(await settled(queue.enter({ principal: "a", address: pageOf("a1") }))).toBe("waits");
});

test("who waits too long, is one too many or is gone is told so, and leaves no trace", async () => {
  const queue = createReadQueue({ ...options, threads: 1 });
  const running = await queue.enter({ principal: "a", address: pageOf("a1") });
  const gone = new AbortController();
  const own = [1, 2, 3].map((at) =>
    queue.enter({
      principal: "a",
      address: pageOf(`d${at}`),
      ...(at === 1 ? { signal: gone.signal } : {}),
    }),
  );
  const tooMany = queue.enter({ principal: "a", address: pageOf("d4") });
  expect(await settled(tooMany)).toBe("overloaded");
  gone.abort();
  expect(await settled(own[0] as Promise<ReadPlace>)).toBe("overloaded");
  const results = Promise.allSettled(own);
  await vi.advanceTimersByTimeAsync(options.waitMsMax);
  for (const result of await results) expect(result.status).toBe("rejected");
  running.end(10);
  // The thread is free: a read begins at once.
  expect((await queue.enter({ principal: "a", address: pageOf("d4") })).thread).toBe(0);
});

test("a thread that has not started is started where the other may be busy for long", async () => {
  const queue = createReadQueue({ ...options, started: (at) => at === 0 });
  expect((await queue.enter({ principal: "a", address: pageOf("a1") })).thread).toBe(0);
  expect((await queue.enter({ principal: "a", address: "/traces" })).thread).toBe(1);
  expect((await queue.enter({ principal: "a", address: pageOf("a2") })).thread).toBe(1);
});

test("a read begins on the thread that makes no piece of a body", async () => {
  const making = [0, 1];
  const queue = createReadQueue({ ...options, making: (at) => making[at] ?? 0 });
  const threadOf = async (address: string): Promise<number> => {
    const place = await queue.enter({ principal: "a", address });
    place.end(1);
    return place.thread;
  };
  expect(await threadOf("/traces/export?cursor=a")).toBe(0);
  making.reverse();
  expect(await threadOf("/traces/export?cursor=b")).toBe(1);
});
