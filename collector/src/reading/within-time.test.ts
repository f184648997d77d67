/** @module Tests of calls with a time limit: one call fails, and is aborted. */
import { setTimeout as sleep } from "node:timers/promises";

import { expect, test } from "vitest";

import { withinTime } from "./within-time.ts";

test("a call without an answer is aborted at its limit, and fails with its code", async () => {
  const seen: string[] = [];
  const late = (): void => void seen.push("late");
  const call = (signal: AbortSignal): Promise<never> => {
    signal.addEventListener("abort", () => seen.push("aborted"));
    return new Promise(() => {});
  };
  await expect(withinTime(call, { answerMsMax: 5, late })).rejects.toMatchObject({
    code: "store_timeout",
  });
  expect(seen).toEqual(["aborted", "late"]);
});

test("an answer or a failure before the limit is passed on, and nothing is aborted", async () => {
  const late = (): void => expect.unreachable();
  let signal: AbortSignal | undefined;
  const limit = { answerMsMax: 20, late };
  const answered = withinTime(async (given) => {
    signal = given;
    return 7;
  }, limit);
  await expect(answered).resolves.toBe(7);
  await expect(withinTime(() => Promise.reject(new Error("own")), limit)).rejects.toThrow("own");
  await sleep(40);
  expect(signal?.aborted).toBe(false);
});
