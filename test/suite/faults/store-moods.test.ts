/**
 * A collector over a store that goes away, lies, is slow, is full, answers nothing, or refuses one
 * row in many: ingest answers 200 throughout, and at every moment of a look every span
 * is in exactly one place, on the health page and among the metrics alike (faults R7 to R9, R14;
 * collector: Receive). The same over a store that takes blocks made in the collector's own thread.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { CodedError } from "@turnproof/semconv";
import { clickhouse, ephemeral } from "@turnproof/store";
import type { EvidenceBatch, EvidenceStore, PreparedBatch } from "@turnproof/store";
import { createCollector, parseConfig } from "turnproof";
import type { Collector } from "turnproof";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import { quiet } from "../collector/desk.ts";
import { chat, protobuf } from "../receive/harness.ts";

/** What the store does with a batch that it is given. */
type Mood = "well" | "away" | "full" | "silent" | "lying" | "late" | "deaf";

interface Moody {
  readonly store: EvidenceStore;
  mood: Mood;
  /** Calls with something to take. */
  requested: number;
}

/** A real store behind one that has moods. */
function moody(inner: EvidenceStore): Moody {
  const send = async (take: () => Promise<void>): Promise<void> => {
    state.requested += 1;
    switch (state.mood) {
      case "away":
        throw new CodedError("store_unavailable");
      case "full":
        throw new CodedError("store_busy");
      case "silent":
        return new Promise(() => {});
      case "lying":
        return;
      case "deaf":
        // It takes the batch, and its answer never arrives.
        await take();
        throw new Error("connection reset");
      case "late":
        await new Promise((resolve) => setTimeout(resolve, 300));
        return take();
      default:
        return take();
    }
  };
  const away = (): boolean => state.mood === "away" || state.mood === "silent";
  const state: Moody = {
    mood: "well",
    requested: 0,
    store: {
      ...inner,
      append: (batch: EvidenceBatch) => send(() => inner.append(batch)),
      appendPrepared: (batch: PreparedBatch) => send(() => inner.appendPrepared(batch)),
      readBack: async (id, receivedAt) => {
        if (away()) throw new CodedError("store_unavailable");
        return inner.readBack(id, receivedAt);
      },
    },
  };
  return state;
}

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "moods-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

interface Kind {
  readonly name: string;
  readonly open: () => Promise<EvidenceStore>;
  readonly moods: readonly Mood[];
}

const kinds: readonly Kind[] = [
  {
    name: "events in memory",
    open: async () => ephemeral(),
    moods: ["away", "full", "silent", "lying", "late", "deaf"],
  },
  {
    name: "blocks of the embedded engine",
    open: () => clickhouse({ connection: { dataDir: join(directory, "engine") } }),
    moods: ["silent", "lying", "deaf"],
  },
];

const counts = [
  "received",
  "recovered",
  "stored",
  "pending",
  "quarantined",
  "refused",
  "rejected",
] as const;
/** What only grows is a counter, and named as one. */
const familyOf = (name: (typeof counts)[number]): string =>
  `turnproof_ingest_${name}${name === "pending" || name === "quarantined" ? "" : "_total"}`;
type Counts = Record<(typeof counts)[number], number>;

/** The counts of both places, which must agree and add up. */
async function ledger(collector: Collector): Promise<Counts> {
  const at = (path: string) => collector.app.request(`http://localhost${path}`);
  // Between two looks the drain may go on; then they are taken again.
  return vi.waitFor(
    async () => {
      const page = (await (await at("/traces/health.json")).json()) as {
        collector: { ingest: { conservation: Counts & { balanced: boolean; lost: number } } };
      };
      const metrics = await (await at("/metrics")).text();
      const stated = page.collector.ingest.conservation;
      expect(stated.balanced).toBe(true);
      const { stored, pending, quarantined, refused, rejected } = stated;
      expect(stored + pending + quarantined + refused + rejected).toBe(
        stated.received + stated.recovered,
      );
      for (const name of counts) {
        expect(metrics).toContain(`\n${familyOf(name)} ${stated[name]}\n`);
      }
      expect(metrics).toContain("\nturnproof_ingest_balanced 1\n");
      return stated;
    },
    { timeout: 30_000, interval: 20 },
  );
}

async function send(collector: Collector, first: number, count: number): Promise<number> {
  const spans = Array.from({ length: count }, (_, index) => chat(first + index));
  const body = encodeProtobuf(traceRequest(spans)) as Uint8Array<ArrayBuffer>;
  const answer = await collector.app.request("http://localhost/v1/traces", {
    method: "POST",
    headers: protobuf,
    body,
  });
  return answer.status;
}

/** Ids of everything that is stored, as an operator reads it. */
async function storedIds(collector: Collector): Promise<readonly string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const url = `http://localhost/traces/events.json?limit=1000${query}`;
    const page = (await (await collector.app.request(url)).json()) as {
      items: readonly { event_id: string }[];
      next_cursor: string | null;
    };
    ids.push(...page.items.map((event) => event.event_id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return ids;
}

const perMood = 40;

describe.each(kinds)("$name", ({ open, moods }) => {
  test.each(moods)("a store that is %s for a while", async (mood) => {
    const inner = await open();
    const state = moody(inner);
    const config = parseConfig({
      TURNPROOF_BACKEND: "ephemeral",
      TURNPROOF_DATA_DIR: join(directory, "data"),
    });
    const options = { config, store: state.store, log: quiet, judge: false } as const;
    let collector = await createCollector(options);
    expect(await send(collector, 1, perMood)).toBe(200);
    await vi.waitFor(async () => expect((await ledger(collector)).stored).toBe(perMood), {
      timeout: 60_000,
      interval: 20,
    });

    state.mood = mood;
    const before = state.requested;
    for (let part = 1; part <= 4; part += 1) {
      expect(await send(collector, 1 + part * perMood, perMood)).toBe(200);
    }
    await vi.waitFor(() => expect(state.requested).toBeGreaterThan(before), { timeout: 60_000 });
    const during = await ledger(collector);
    expect(during.received).toBe(5 * perMood);
    if (["away", "full", "silent", "lying"].includes(mood)) {
      expect(during).toMatchObject({ stored: perMood, pending: 4 * perMood });
    }
    if (mood === "silent") {
      // Its call is out and never ends; a restart does not wait for it and sends the same again.
      await collector.close(50);
      state.mood = "well";
      collector = await createCollector(options);
    }

    state.mood = "well";
    expect(await send(collector, 1 + 5 * perMood, perMood)).toBe(200);
    await vi.waitFor(
      async () =>
        expect(await ledger(collector).catch(() => undefined)).toMatchObject({ pending: 0 }),
      { timeout: 90_000, interval: 20 },
    );
    const ids = await storedIds(collector);
    expect(ids).toHaveLength(6 * perMood);
    expect(new Set(ids).size).toBe(6 * perMood);
    await collector.close();
    await inner.close();
  });

  test("a store that refuses one row of many", async () => {
    const inner = await open();
    const bad = `${(777).toString(16).padStart(16, "0")}:result`;
    const refused = (): never => {
      throw new CodedError("store_rejected_row");
    };
    const store: EvidenceStore = {
      ...inner,
      append: async (batch) =>
        batch.events.some((event) => event.event_id === bad) ? refused() : inner.append(batch),
      // Blocks are not readable: which row it is shows only among events.
      appendPrepared: async () => refused(),
    };
    const config = parseConfig({
      TURNPROOF_BACKEND: "ephemeral",
      TURNPROOF_DATA_DIR: join(directory, "data"),
    });
    const collector = await createCollector({ config, store, log: quiet, judge: false });
    for (let first = 1; first <= 1_000; first += 250) {
      expect(await send(collector, first, 250)).toBe(200);
    }
    await vi.waitFor(
      async () => expect(await ledger(collector)).toMatchObject({ pending: 0, quarantined: 1 }),
      { timeout: 60_000, interval: 20 },
    );
    const ids = await storedIds(collector);
    expect(ids).toHaveLength(999);
    expect(new Set(ids).size).toBe(999);
    expect(ids).not.toContain(bad);
    await collector.close();
    await inner.close();
  });
});
