/** Delays of wrong credentials grow, fade, and follow addresses and accounts (faults W7). */
import { expect, test } from "vitest";

import { createThrottle } from "./throttle.ts";

test("the delay of an address doubles up to its bound, and fades while it is quiet", () => {
  let now = 0;
  const throttle = createThrottle(() => now);
  const delays = Array.from({ length: 16 }, () => throttle.failed("203.0.113.7"));
  expect(delays).toEqual([0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  expect(throttle.failed("203.0.113.8")).toBe(0);
  now += 60_000;
  expect(throttle.failed("203.0.113.7")).toBeLessThan(300);
  now += 3_600_000;
  expect(throttle.failed("203.0.113.7")).toBe(0);
});

test("guesses at one account from many addresses are slowed, and other accounts are not", () => {
  const throttle = createThrottle(() => 0);
  const delays = Array.from({ length: 13 }, (_, index) =>
    throttle.failed(`203.0.113.${index}`, index % 2 === 0 ? "Anna" : "anna"),
  );
  expect(delays).toEqual([...Array.from({ length: 10 }, () => 0), 1, 2, 4]);
  expect(throttle.failed("203.0.113.99", "otto")).toBe(0);
});

test("guesses that name no account are slowed together", () => {
  const throttle = createThrottle(() => 0);
  const delays = Array.from({ length: 52 }, (_, index) => throttle.failed(`203.0.113.${index}`));
  expect(delays.slice(48)).toEqual([0, 0, 1, 2]);
});

test("the addresses of one IPv6 network are one, and a mapped IPv4 address is itself", () => {
  const throttle = createThrottle(() => 0);
  for (const address of ["2001:db8::1", "2001:db8::2", "2001:0db8:0:0:a:b:c:d", "2001:db8::"]) {
    expect(throttle.failed(address)).toBe(0);
  }
  expect(throttle.failed("2001:db8:0:0:ffff::1")).toBe(0);
  expect(throttle.failed("2001:db8::9")).toBe(1);
  expect(throttle.failed("2001:db8:0:1::9")).toBe(0);
  for (let index = 0; index < 5; index += 1) throttle.failed("::ffff:203.0.113.7");
  expect(throttle.failed("203.0.113.7")).toBe(1);
});

test("refusals are held back, as many as there is room for", async () => {
  const throttle = createThrottle();
  const started = performance.now();
  const held = Array.from({ length: 128 }, () => throttle.hold(300));
  await throttle.hold(300);
  const atOnce = performance.now() - started;
  await Promise.all([...held, new Promise((resolve) => setTimeout(resolve, 1_100))]);
  const took = performance.now() - started;
  expect(atOnce).toBeLessThan(took / 2);
});
