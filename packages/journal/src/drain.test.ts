/** The drain with stores that fail, report false success, hang, refuse rows or are slow. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { BatchReadback, EvidenceBatch, TurnEvent } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import type { JournalClock } from "./clock.ts";
import type { DrainStore } from "./delivery.ts";
import { startDrain } from "./drain.ts";
import type { DrainOptions } from "./drain-contract.ts";
import { openJournal } from "./open-journal.ts";
import type { Journal } from "./contract.ts";
import { replayQuarantine } from "./replay.ts";

let directory = "";
let journal: Journal;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "drain-"));
  journal = await openJournal({ directory });
});
afterEach(async () => {
  await journal.close();
  await rm(directory, { recursive: true, force: true });
});

const received = "2026-11-21T10:00:00.000000Z";

function event(id: string, receivedAt = received): TurnEvent {
  return {
    schema_version: 3,
    event_id: id,
    event_kind: "span",
    phase: "result",
    status: "success",
    timestamp: receivedAt,
    received_at: receivedAt,
    attributes: {},
  };
}

const encode = (events: readonly TurnEvent[]): Uint8Array => Buffer.from(JSON.stringify(events));
const decode: DrainOptions["decode"] = (payload) => ({
  events: JSON.parse(Buffer.from(payload).toString()) as TurnEvent[],
});

/** A clock whose waits end at once, so that hours take milliseconds. */
function fastClock(): JournalClock & { readonly slept: number[] } {
  let now = Date.parse(received);
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    async sleep(ms, signal) {
      // A call's timeout is aborted when the call returns, so it must not fire first.
      if (ms >= 60_000) {
        return new Promise((resolve) => signal?.addEventListener("abort", () => resolve()));
      }
      slept.push(ms);
      now += ms;
      return new Promise((resolve) => setImmediate(resolve));
    },
  };
}

/** A store that keeps batches by id, as the contract requires, with switchable faults. */
function memoryStore(): DrainStore & {
  readonly batches: Map<string, EvidenceBatch>;
  readonly appends: EvidenceBatch[];
  answer: (batch: EvidenceBatch) => "store" | "lie" | "store-then-fail" | "never" | Code;
  ids(): string[];
} {
  const batches = new Map<string, EvidenceBatch>();
  const appends: EvidenceBatch[] = [];
  return {
    batches,
    appends,
    answer: () => "store",
    ids: () => [...batches.values()].flatMap((batch) => batch.events.map((item) => item.event_id)),
    append(batch) {
      appends.push(batch);
      const answer = this.answer(batch);
      if (answer === "store" || answer === "store-then-fail") batches.set(batch.batchId, batch);
      if (answer === "never") return new Promise(() => undefined);
      if (answer === "store-then-fail") return Promise.reject(new Error("connection reset"));
      if (answer === "store" || answer === "lie") return Promise.resolve();
      return Promise.reject(new CodedError(answer));
    },
    appendPrepared: () => Promise.reject(new CodedError("store_rejected_row")),
    readBack(batchId): Promise<BatchReadback> {
      const rows = batches.get(batchId)?.events.length ?? 0;
      return Promise.resolve({ rows, complete: rows > 0 });
    },
  };
}

async function append(events: readonly TurnEvent[]): Promise<void> {
  await journal.append({ payload: encode(events), spans: events.length });
}

describe("a drain", () => {
  test("shows a lone span within 100 ms", async () => {
    const store = memoryStore();
    const clock = fastClock();
    const drain = startDrain({ journal, store, decode, clock });
    await append([event("one")]);
    while (store.batches.size === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    // The drain's own waits; the disk and the machine come on top.
    expect(clock.slept.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(100);
    await drain.idle();
    await drain.close();
    expect(journal.stats().pendingSpans).toBe(0);
  });

  test("checkpoints a stored batch on closing, when what follows it has ended", async () => {
    const following = Promise.withResolvers<void>();
    const drain = startDrain({
      journal,
      store: memoryStore(),
      decode,
      onStored: () => {
        following.resolve();
        return new Promise((resolve) => void setTimeout(resolve, 20));
      },
    });
    await append([event("one")]);
    await following.promise;
    await drain.close();
    expect(journal.stats().pendingFrames).toBe(0);
  });

  test("coalesces what arrives in quick succession", async () => {
    const store = memoryStore();
    const drain = startDrain({ journal, store, decode, pace: { everyMs: 100, quickMax: 1 } });
    for (let index = 0; index < 300; index += 1) await append([event(`e${index}`)]);
    await drain.idle();
    await drain.close();
    expect(store.ids()).toEqual(Array.from({ length: 300 }, (_, index) => `e${index}`));
    expect(store.appends.length).toBeLessThan(30);
  });

  test("sends one ISO week per batch", async () => {
    const sunday = "2026-11-22T23:59:59.999999Z";
    const monday = "2026-11-23T00:00:00.000000Z";
    await append([event("a", sunday), event("b", monday), event("c", sunday)]);
    const store = memoryStore();
    const drain = startDrain({ journal, store, decode });
    await drain.idle();
    await drain.close();
    expect(store.appends.map((batch) => batch.events.map((item) => item.event_id))).toEqual([
      ["a", "c"],
      ["b"],
    ]);
    expect(store.appends.map((batch) => batch.receivedAt)).toEqual([sunday, monday]);
  });

  test("outlives an hour without a store, and keeps its ceiling of 30 s", async () => {
    const clock = fastClock();
    const store = memoryStore();
    const until = clock.now() + 3_600_000;
    store.answer = () => (clock.now() < until ? "store_unavailable" : "store");
    await append([event("a")]);
    const drain = startDrain({ journal, store, decode, clock, random: () => 0.999 });
    await drain.idle();
    await drain.close();
    expect(store.ids()).toEqual(["a"]);
    expect(Math.max(...clock.slept)).toBeLessThanOrEqual(30_000);
    expect(clock.slept[0]).toBeLessThanOrEqual(500);
    expect(drain.stats().retries).toBeGreaterThan(100);
  });

  test("retries whatever is not the refusal of a row", async () => {
    const codes: readonly Code[] = [
      "store_busy",
      "store_closed",
      "store_corrupt",
      "store_version_newer",
      "capability_missing",
      "bad_request",
      "internal_error",
    ];
    const store = memoryStore();
    let calls = 0;
    store.answer = () => codes[calls++] ?? "store";
    await append([event("a")]);
    const drain = startDrain({ journal, store, decode, clock: fastClock() });
    await drain.idle();
    await drain.close();
    expect(store.ids()).toEqual(["a"]);
    expect(journal.stats().quarantinedSpans).toBe(0);
  });

  test("goes on when the machine's clock is set back a day", async () => {
    const store = memoryStore();
    const real = Date.now();
    const now = vi.spyOn(Date, "now").mockReturnValue(real + 86_400_000);
    try {
      await append([event("a")]);
      const drain = startDrain({ journal, store, decode });
      await drain.idle();
      now.mockReturnValue(real);
      await append([event("b")]);
      await vi.waitFor(() => expect(store.ids()).toEqual(["a", "b"]), 5_000);
      await drain.close();
    } finally {
      now.mockRestore();
    }
  });

  test("does not believe a success that it cannot read back", async () => {
    const store = memoryStore();
    let calls = 0;
    store.answer = () => (calls++ % 2 === 0 ? "lie" : "store");
    for (let index = 0; index < 20; index += 1) await append([event(`e${index}`)]);
    const drain = startDrain({ journal, store, decode, clock: fastClock(), batchSpans: 4 });
    await drain.idle();
    await drain.close();
    expect(store.ids().toSorted()).toEqual(
      Array.from({ length: 20 }, (_, index) => `e${index}`).toSorted(),
    );
    expect(drain.stats().unverified).toBeGreaterThan(0);
  });

  test("asks before it resends when the outcome is unknown", async () => {
    const store = memoryStore();
    store.answer = () => "store-then-fail";
    await append([event("a"), event("b")]);
    const drain = startDrain({ journal, store, decode, clock: fastClock() });
    await drain.idle();
    await drain.close();
    expect(store.appends).toHaveLength(1);
    expect(store.ids()).toEqual(["a", "b"]);
  });

  test("a call without an answer is given up and made again", async () => {
    const store = memoryStore();
    const original = store.append.bind(store);
    let calls = 0;
    store.append = (batch) => (calls++ === 0 ? new Promise(() => undefined) : original(batch));
    await append([event("a")]);
    const drain = startDrain({ journal, store, decode, callTimeoutMs: 30, random: () => 0 });
    await drain.idle();
    await drain.close();
    expect(store.ids()).toEqual(["a"]);
  });

  test("a store that throws before it has a promise leaves no rejection behind", async () => {
    const stray: unknown[] = [];
    const onStray = (reason: unknown): number => stray.push(reason);
    process.on("unhandledRejection", onStray);
    const store = memoryStore();
    let throws = 2;
    const { append: keep } = store;
    store.append = (batch) => {
      if (throws-- > 0) throw new TypeError("no such function");
      return keep.call(store, batch);
    };
    await append([event("a")]);
    const drain = startDrain({ journal, store, decode, callTimeoutMs: 5 });
    await drain.idle();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await drain.close();
    process.off("unhandledRejection", onStray);
    expect(store.ids()).toEqual(["a"]);
    expect(stray).toEqual([]);
  });

  test("a start after a crash resends the same batches under the same ids", async () => {
    const first = memoryStore();
    first.answer = () => "never";
    for (let index = 0; index < 10; index += 1) await append([event(`e${index}`)]);
    const dying = startDrain({ journal, store: first, decode, batchSpans: 3 });
    while (first.appends.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    await dying.close({ graceMs: 0 });
    await journal.close();

    journal = await openJournal({ directory });
    await append([event("later")]);
    const second = memoryStore();
    const drain = startDrain({ journal, store: second, decode, batchSpans: 1_000 });
    await drain.idle();
    await drain.close();
    const before = new Set(first.appends.map((batch) => batch.batchId));
    expect(before.size).toBe(2);
    for (const batch of first.appends) {
      expect(second.batches.get(batch.batchId)?.events).toEqual(batch.events);
    }
    expect(second.ids()).toHaveLength(11);
  });

  test("stores 9,999 of 10,000 rows, quarantines one and replays it", async () => {
    const store = memoryStore();
    const bad = "e4321";
    store.answer = (batch) =>
      batch.events.some((item) => item.event_id === bad) ? "store_rejected_row" : "store";
    for (let frame = 0; frame < 100; frame += 1) {
      const ids = Array.from({ length: 100 }, (_, row) => event(`e${frame * 100 + row}`));
      await append(ids);
    }
    const drain = startDrain({ journal, store, decode });
    await drain.idle();
    await drain.close();
    expect(store.ids()).toHaveLength(9_999);
    expect(new Set(store.ids()).has(bad)).toBe(false);
    expect(journal.stats()).toMatchObject({ pendingSpans: 0, quarantinedSpans: 1 });
    await journal.close();

    journal = await openJournal({ directory });
    expect(journal.stats().quarantinedSpans).toBe(1);
    const refused = await replayQuarantine(journal, store, { decode });
    expect(refused).toEqual({ replayed: 0, remaining: 1 });
    store.answer = () => "store";
    expect(await replayQuarantine(journal, store, { decode })).toEqual({
      replayed: 1,
      remaining: 0,
    });
    expect(store.ids()).toHaveLength(10_000);
    expect(new Set(store.ids()).has(bad)).toBe(true);
  });

  test("a payload that nobody can read goes to quarantine and stops nothing", async () => {
    await journal.append({ payload: Buffer.from("{"), spans: 7 });
    await append([event("a")]);
    const store = memoryStore();
    const drain = startDrain({ journal, store, decode });
    await drain.idle();
    await drain.close();
    expect(store.ids()).toEqual(["a"]);
    expect(journal.stats()).toMatchObject({ pendingSpans: 0, quarantinedSpans: 7 });
  });

  test("a store that does not answer never delays an append", async () => {
    const store = memoryStore();
    const original = store.append.bind(store);
    const release = Promise.withResolvers<void>();
    store.append = async (batch) => {
      await release.promise;
      return original(batch);
    };
    const drain = startDrain({ journal, store, decode });
    // Each of them resolves although the store has not answered yet.
    for (let index = 0; index < 200; index += 1) await append([event(`e${index}`)]);
    expect(store.batches.size).toBe(0);
    expect(drain.stats().inFlight).toBeLessThanOrEqual(2);
    release.resolve();
    await drain.idle();
    await drain.close();
    expect(store.ids()).toHaveLength(200);
  });
});
