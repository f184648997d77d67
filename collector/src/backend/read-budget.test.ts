/** The waiting of one request: reads in a row add up, reads side by side count once. */
import { ephemeral } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { withinBudget } from "./read-budget.ts";
import { timedStore } from "./timed-store.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const query = { scope: allTenants, where: [] };

/**
 * A store whose every count takes so long; `begun` counts them, `aborted` those that were ended.
 */
function slowStore(ms: number): {
  readonly store: EvidenceStore;
  readonly begun: number;
  readonly aborted: number;
} {
  const seen = { store: ephemeral(), begun: 0, aborted: 0 };
  const { ledger } = seen.store;
  const countTurns: typeof ledger.countTurns = async ({ signal }) => {
    seen.begun += 1;
    signal?.addEventListener("abort", () => (seen.aborted += 1));
    await new Promise((resolve) => setTimeout(resolve, ms));
    return { turns: 1 } as never;
  };
  const slow = { ...seen.store, ledger: { ...ledger, countTurns } };
  seen.store = timedStore(slow, { readMs: 5_000, checkMs: 2_000 });
  return seen;
}

/** The settled result after so much time. */
async function after<T>(ms: number, work: Promise<T>): Promise<unknown> {
  const settled = work.then(
    () => "done",
    (error: unknown) => error,
  );
  await vi.advanceTimersByTimeAsync(ms);
  return Promise.race([settled, Promise.resolve("waiting")]);
}

const timedOut = expect.objectContaining({ code: "store_timeout", field: "turn_count" });

async function inARow(store: EvidenceStore, reads: number): Promise<void> {
  for (let read = 0; read < reads; read += 1) await store.ledger.countTurns(query);
}

test("reads in a row wait no longer together than one alone", async () => {
  const slow = slowStore(2_000);
  const request = withinBudget(5_000, () => inARow(slow.store, 10));
  expect(await after(4_800, request)).toBe("waiting");
  expect(await after(400, request)).toEqual(timedOut);
  expect([slow.begun, slow.aborted]).toEqual([3, 1]);
});

test("short reads in great number add up too", async () => {
  const slow = slowStore(30);
  const request = withinBudget(5_000, () => inARow(slow.store, 1_000));
  expect(await after(5_300, request)).toEqual(timedOut);
  expect(slow.begun).toBeLessThan(180);
});

test("a request that has spent its time reads nothing more", async () => {
  const slow = slowStore(60_000);
  const request = withinBudget(5_000, async () => {
    await slow.store.ledger.countTurns(query).catch(() => {});
    await slow.store.ledger.countTurns(query);
  });
  expect(await after(5_200, request)).toEqual(timedOut);
  expect(slow.begun).toBe(1);
});

test("reads side by side count once, and other requests not at all", async () => {
  const slow = slowStore(3_000);
  const side = (): Promise<unknown> =>
    Promise.all([1, 2, 3].map(() => slow.store.ledger.countTurns(query)));
  const requests = Promise.all([withinBudget(5_000, side), withinBudget(5_000, side)]);
  expect(await after(3_200, requests)).toBe("done");
  // Without a request each read has a time of its own.
  expect(await after(12_500, inARow(slow.store, 4))).toBe("done");
});
