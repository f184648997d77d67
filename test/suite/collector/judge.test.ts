/**
 * @module The judge: a backlog is judged whole, many roots to a read, whatever moment it was
 * received at, and each verdict is what its turn alone would get.
 */
import { expect, test, vi } from "vitest";
import type { TurnEvent } from "@turnproof/evidence";
import { clickhouse, ephemeral } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";

import { temporaryDirectories } from "../store/temporary-directory.ts";
import { openDesk, turnEvents } from "./desk.ts";

const receivedAt = "2026-11-21T10:00:00.000000Z";
const now = Date.parse("2026-11-21T10:01:00Z");

const rootOf = (index: number): string => `judged-${String(index).padStart(4, "0")}`;

function backlog(count: number): TurnEvent[] {
  return Array.from({ length: count }, (_, i) => turnEvents({ root: rootOf(i) })).flat();
}

/** The store, and how often each of its reads of roots was called. */
function counted(store: EvidenceStore): {
  readonly store: EvidenceStore;
  readonly calls: { root: number; roots: number };
} {
  const calls = { root: 0, roots: 0 };
  return {
    calls,
    store: {
      ...store,
      root: (...of) => {
        calls.root += 1;
        return store.root(...of);
      },
      roots: (...of) => {
        calls.roots += 1;
        return store.roots(...of);
      },
    },
  };
}

async function judged(store: EvidenceStore, count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, (_, i) => rootOf(i));
  const any = ids.map((is) => ({ text: "root_trace_id" as const, is }));
  const { records } = await store.ledger.listTurns(
    { scope: allTenants, where: [{ any }] },
    { order: { by: "first_received" }, limit: count + 1 },
  );
  const settled = records.filter(({ version, row }) => version.settled && row.verdict !== null);
  return settled.map(({ row }) => row.root_trace_id ?? "").toSorted();
}

/** A collector whose judge looks at a few roots at a time, over a backlog of one moment. */
async function judgeAll(store: EvidenceStore, count: number, everyMs: number): Promise<void> {
  await store.append({ batchId: "backlog", receivedAt, events: backlog(count) });
  const judge = { quietMs: 1_000, everyMs, rootsMax: 60 };
  const desk = await openDesk({}, { store, now: () => now, judge });
  try {
    await vi.waitFor(async () => expect(await judged(store, count)).toHaveLength(count), {
      timeout: 60_000,
      interval: 50,
    });
  } finally {
    await desk.collector.close();
  }
}

test("a backlog received in one moment is judged whole", async () => {
  await judgeAll(ephemeral(), 300, 20);
});

test("a look that met more than it could take is followed by another at once", async () => {
  const store = ephemeral();
  const events = backlog(200).map((event, i) => ({
    ...event,
    received_at: `2026-11-21T10:00:00.${String(i).padStart(6, "0")}Z`,
  }));
  await store.append({ batchId: "spread", receivedAt, events });
  // The second look by the clock never comes.
  const judge = { quietMs: 1_000, everyMs: 86_400_000, firstMs: 0, rootsMax: 20 };
  const desk = await openDesk({}, { store, now: () => now, judge });
  try {
    await vi.waitFor(async () => expect(await judged(store, 200)).toHaveLength(200), {
      timeout: 60_000,
      interval: 20,
    });
  } finally {
    await desk.collector.close();
  }
});

test("ClickHouse is asked for many roots at a time", { timeout: 120_000 }, async () => {
  const directories = temporaryDirectories();
  const held = await clickhouse({ connection: { dataDir: await directories.make() } });
  const { store, calls } = counted(held);
  try {
    await judgeAll(store, 300, 20);
    expect(calls.root).toBe(0);
    expect(calls.roots).toBeGreaterThan(0);
    // Alone they would have been at least 300.
    expect(calls.roots).toBeLessThan(60);
  } finally {
    await held.close();
    await directories.remove();
  }
});
