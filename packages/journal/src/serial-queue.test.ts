/** One piece of work at a time, in the order of the requests, whatever became of those before. */
import { expect, test } from "vitest";

import { serialQueue } from "./serial-queue.ts";

test("work begins when all before it has ended, also where that failed", async () => {
  const queue = serialQueue();
  const log: string[] = [];
  const first = Promise.withResolvers<void>();
  const slow = queue(async () => {
    log.push("first begins");
    await first.promise;
    throw new Error("no room");
  });
  const next = queue(async () => {
    log.push("second begins");
    return 2;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(log).toEqual(["first begins"]);
  first.resolve();
  await expect(slow).rejects.toThrow("no room");
  expect(await next).toBe(2);
  expect(log).toEqual(["first begins", "second begins"]);
});
