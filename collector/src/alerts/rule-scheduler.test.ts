/** Looks of alerts: woken by verdicts, and bounded however many there are. */
import { expect, test } from "vitest";

import { RuleScheduler, pausesAfter } from "./rule-scheduler.ts";

const never = 1_000_000_000;
/** A look that ends when the test ends it. */
function gated() {
  const began: PromiseWithResolvers<void>[] = [];
  let next = Promise.withResolvers<PromiseWithResolvers<void>>();
  const look = (): Promise<number> => {
    const one = Promise.withResolvers<void>();
    began.push(one);
    const begins = next;
    next = Promise.withResolvers();
    begins.resolve(one);
    return one.promise.then(() => Infinity);
  };
  return { began, look, begin: () => next.promise };
}
const ticks = async (): Promise<void> => {
  for (let index = 0; index < 5; index += 1) await new Promise((done) => setTimeout(done, 1));
};

test("a wake brings the next look long before its time, and many bring one", async () => {
  const { began, look, begin } = gated();
  const looking = new RuleScheduler({ look, failed: () => {} }, { everyMs: never, leastMs: 0 });
  const first = begin();
  looking.start();
  (await first).resolve();
  await ticks();
  expect(began).toHaveLength(1);
  const second = begin();
  for (let index = 0; index < 10; index += 1) looking.wake();
  const third = begin();
  // A verdict during a look may have come too late for it.
  await second;
  looking.wake();
  looking.wake();
  began[1]?.resolve();
  await third;
  began[2]?.resolve();
  await ticks();
  expect(began).toHaveLength(3);
  looking.close();
});

test("no wake brings a look before the pause is over, nor after the end", async () => {
  const { began, look, begin } = gated();
  const looking = new RuleScheduler({ look, failed: () => {} }, { everyMs: never, leastMs: never });
  const first = begin();
  looking.start();
  (await first).resolve();
  await ticks();
  looking.wake();
  await ticks();
  expect(began).toHaveLength(1);
  looking.close();
  looking.wake();
  await ticks();
  expect(began).toHaveLength(1);
});

test("a pause is as long as the look, and never shorter than the least", () => {
  const times = { everyMs: 2_000, leastMs: 500 };
  expect(pausesAfter(10, times)).toEqual({ woken: 500, calm: 2_000 });
  expect(pausesAfter(800, times)).toEqual({ woken: 800, calm: 2_000 });
  expect(pausesAfter(4_000, times)).toEqual({ woken: 4_000, calm: 4_000 });
});

test("a rule that is due sooner brings the next look, without a wake", async () => {
  let looks = 0;
  const next = Promise.withResolvers<void>();
  const look = async (): Promise<number> => {
    looks += 1;
    if (looks === 2) next.resolve();
    return 1;
  };
  const looking = new RuleScheduler({ look, failed: () => {} }, { everyMs: never, leastMs: 0 });
  looking.start();
  await next.promise;
  looking.close();
});
