/** @module Patience: a wait without a bound of its own lasts longer than the second of Vitest. */
import { expect, test, vi } from "vitest";

test("a state that comes after more than a second is waited for", async () => {
  const from = performance.now();
  await vi.waitFor(() => expect(performance.now() - from).toBeGreaterThan(1_200));
  await vi.waitFor(() => expect(performance.now() - from).toBeGreaterThan(2_400), { interval: 10 });
  await expect.poll(() => performance.now() - from, { interval: 20 }).toBeGreaterThan(3_600);
});

test("a bound that a test gives stands", async () => {
  const never = (): void => expect.fail("never");
  await expect(vi.waitFor(never, 60)).rejects.toThrow("never");
  await expect(vi.waitFor(never, { timeout: 60 })).rejects.toThrow("never");
});
