/** @module LateStore: the store that the drain writes to, while it may still be opening. */
import { setTimeout as sleep } from "node:timers/promises";

import type { DrainStore } from "@turnproof/journal";
import { CodedError } from "@turnproof/semconv";
import type { EvidenceStore } from "@turnproof/store";

import type { PreparedForm } from "./block-thread.ts";

/** The store that the drain writes to, with its capabilities. */
export type IngestStore = DrainStore & Pick<EvidenceStore, "capabilities">;

/** Timeout of waiting for a store that is opening, in milliseconds. */
const openMsMax = 5_000;

/** A store that may still be opening, and in which form it accepts prepared batches. */
export function openedStore(given: IngestStore | Promise<IngestStore>): {
  readonly store: DrainStore;
  readonly prepared: () => PreparedForm | undefined;
} {
  let ready: IngestStore | undefined;
  const opening = Promise.resolve(given);
  // The failure is reported to the callers.
  opening.then((store) => (ready = store)).catch(() => {});
  // A call that waited while the store is absent would keep its rows in memory all that time.
  const current = async (): Promise<DrainStore> => {
    const late = new AbortController();
    const { signal } = late;
    const given = await Promise.race([
      opening,
      sleep(openMsMax, undefined, { signal, ref: false }),
    ]);
    late.abort();
    if (given === undefined) throw new CodedError("store_unavailable");
    return given;
  };
  return {
    store: {
      append: async (batch) => (await current()).append(batch),
      appendPrepared: async (batch) => (await current()).appendPrepared(batch),
      readBack: async (id, receivedAt) => (await current()).readBack(id, receivedAt),
    },
    prepared: () => {
      if (ready?.capabilities.includes("prepared") === true) return "blocks";
      return ready?.capabilities.includes("packed") === true ? "rows" : undefined;
    },
  };
}
