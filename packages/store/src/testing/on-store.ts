/** @module OnStore: a clause over one new store of evidence. */
import type { TurnEvent } from "@turnproof/evidence";

import type { EvidenceStore } from "../evidence-store.ts";
import type { KitClause, Harness } from "./contract.ts";
import { receivedAt } from "./sample-event.ts";

type Body = (store: EvidenceStore, put: Put) => Promise<void>;
type Put = (second: number, events: readonly TurnEvent[], batchId?: string) => Promise<void>;

/** A clause over one new store, closed afterwards. */
export function onStore(name: string, body: Body): KitClause {
  return {
    name,
    async run(harness: Harness) {
      const store = await harness.open();
      const put: Put = async (second, events, batchId = `batch ${second}`) => {
        await store.append({ batchId, receivedAt: receivedAt(second), events });
        await harness.settle(store);
      };
      try {
        await body(store, put);
      } finally {
        await store.close();
      }
    },
  };
}
