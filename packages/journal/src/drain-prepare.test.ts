/** The drain with batches that another thread prepared, or failed to prepare. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { EvidenceBatch, PreparedBatch, TurnEvent } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { prepareFrames } from "./batch.ts";
import type { PartPreparer } from "./batch.ts";
import { startDrain } from "./drain.ts";
import type { DrainOptions } from "./drain-contract.ts";
import { openJournal } from "./open-journal.ts";
import type { Journal } from "./contract.ts";

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

const decode: DrainOptions["decode"] = (payload) => ({
  events: JSON.parse(Buffer.from(payload).toString()) as TurnEvent[],
});

/** Keeps batches by id, and refuses those that hold the refused event. */
function memoryStore() {
  const batches = new Map<string, EvidenceBatch>();
  const appends: EvidenceBatch[] = [];
  const store = {
    batches,
    appends,
    refused: "",
    ids: (): string[] =>
      [...batches.values()].flatMap((batch) => batch.events.map((item) => item.event_id)),
    async append(batch: EvidenceBatch): Promise<void> {
      appends.push(batch);
      if (batch.events.some((item) => item.event_id === store.refused)) {
        throw new CodedError("store_rejected_row");
      }
      batches.set(batch.batchId, batch);
    },
    appendPrepared: (prepared: PreparedBatch): Promise<void> =>
      store.append((prepared as Ready).batch),
    async readBack(batchId: string) {
      const rows = batches.get(batchId)?.events.length ?? 0;
      return { rows, complete: rows > 0 };
    },
  };
  return store;
}

/** A prepared batch, with its events for the store in memory. */
interface Ready extends PreparedBatch {
  readonly batch: EvidenceBatch;
}

function readyParts(): PartPreparer {
  const events: TurnEvent[] = [];
  return {
    add: (item) => void events.push(item),
    finish(batchId, receivedAt) {
      const ready: Ready = {
        batchId,
        receivedAt,
        events: events.length,
        batch: { batchId, receivedAt, events },
      };
      return ready;
    },
  };
}

async function append(events: readonly TurnEvent[]): Promise<void> {
  const payload = Buffer.from(JSON.stringify(events));
  await journal.append({ payload, spans: events.length });
}

describe("a drain with a preparer", () => {
  test("what was made ready elsewhere is sent as it is; a refused row is found here", async () => {
    const store = memoryStore();
    const bad = "e7";
    store.refused = bad;
    const sent: string[] = [];
    const appendPrepared = async (prepared: PreparedBatch): Promise<void> => {
      sent.push(prepared.batchId);
      return store.append((prepared as Ready).batch);
    };
    const prepare: DrainOptions["prepare"] = (frames) => prepareFrames(frames, decode, readyParts);
    const drain = startDrain({
      journal,
      store: { ...store, appendPrepared },
      decode,
      prepare,
      batchSpans: 5,
    });
    for (let index = 0; index < 20; index += 1) await append([event(`e${index}`)]);
    await journal.append({ payload: Buffer.from("{"), spans: 2 });
    await drain.idle();
    const { quarantinedEvents } = drain.stats();
    await drain.close();
    expect(sent.length).toBeGreaterThan(1);
    expect(store.ids().toSorted()).toEqual(
      Array.from({ length: 20 }, (_, index) => `e${index}`)
        .filter((id) => id !== bad)
        .toSorted(),
    );
    expect(quarantinedEvents).toBe(3);
    expect(journal.stats()).toMatchObject({ pendingSpans: 0, quarantinedSpans: 3 });
  });

  test.each([
    ["throws", () => Promise.reject(new Error("the thread died"))],
    ["gives nothing", () => Promise.resolve(undefined)],
    [
      "finds a refused row",
      async (frames: Parameters<NonNullable<DrainOptions["prepare"]>>[0]) => {
        const { parts, unreadable } = await prepareFrames(frames, decode, readyParts);
        return { parts: parts.map((part, index) => (index === 1 ? null : part)), unreadable };
      },
    ],
  ])("a preparer that %s leaves the rest to the drain", async (_, prepare) => {
    const store = memoryStore();
    store.refused = "e7";
    // Three weeks: one part is sent as it is, one is refused, one comes after it.
    const weeks = ["2026-11-02", "2026-11-09", "2026-11-16"];
    for (let index = 0; index < 12; index += 1) {
      await append([event(`e${index}`, `${weeks[index % 3] ?? ""}T10:00:00.000000Z`)]);
    }
    const drain = startDrain({ journal, store, decode, prepare });
    await drain.idle();
    const { quarantinedEvents, storedEvents } = drain.stats();
    await drain.close();
    expect(store.ids()).toHaveLength(11);
    expect(new Set(store.ids()).size).toBe(11);
    expect([storedEvents, quarantinedEvents]).toEqual([11, 1]);
    expect(journal.stats()).toMatchObject({ pendingSpans: 0, quarantinedSpans: 1 });
  });

  test("closing does not wait for what is being made ready, and does not make it itself", async () => {
    const store = memoryStore();
    const requested = Promise.withResolvers<void>();
    const held = Promise.withResolvers<undefined>();
    let decoded = 0;
    const counting: DrainOptions["decode"] = (payload, frame) => {
      decoded += 1;
      return decode(payload, frame);
    };
    const prepare = (): Promise<undefined> => {
      requested.resolve();
      return held.promise;
    };
    const drain = startDrain({ journal, store, decode: counting, prepare });
    await append([event("a")]);
    await requested.promise;
    // If it waited, it would never end: no grace period ends within this test.
    await drain.close({ graceMs: 2 ** 30 });
    held.resolve(undefined);
    await new Promise((resolve) => setImmediate(resolve));
    expect([decoded, store.appends.length]).toEqual([0, 0]);
    const next = startDrain({ journal, store, decode });
    await next.idle();
    await next.close();
    expect(store.ids()).toEqual(["a"]);
  });
});
