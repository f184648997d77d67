/**
 * @module OpeningStore: opens the store and the memory of a collector, in this process or on a
 * server that may be unreachable at first.
 */
import { CodedError } from "@turnproof/semconv";
import type { EvidenceStore, MemoryStore } from "@turnproof/store";

import { openMemory, openStore, serverName, serverOf } from "./backend/backend.ts";
import { openReconnecting } from "./backend/reconnecting.ts";
import { reconnectingEvidence, reconnectingMemory } from "./backend/reconnecting-store.ts";
import { operatorStore } from "./backend/operator-store.ts";
import { futureLastEvents } from "./backend/future-last-events.ts";
import type { Opening } from "./opening-options.ts";

/** The store as routes may use it, with what is ahead of now last. */
export function orderedStore({ config, options }: Opening, store: EvidenceStore): EvidenceStore {
  return futureLastEvents(operatorStore(store, config.readOnly), options.now ?? Date.now);
}

/** The given store, or one that is closed after everything that uses it. */
export async function ownStore(
  opening: Opening,
  waiting: PromiseWithResolvers<EvidenceStore>,
): Promise<EvidenceStore> {
  const { options, opened } = opening;
  if (options.store !== undefined) {
    waiting.resolve(options.store);
    return options.store;
  }
  const store = await openedStore(opening, waiting);
  opened.unshift(() => store.close());
  return store;
}

/** A store in this process, or one on a server that may be unreachable at first. */
async function openedStore(
  { config, log }: Opening,
  waiting: PromiseWithResolvers<EvidenceStore>,
): Promise<EvidenceStore> {
  const print = (sentence: string): void => log.warn("configuration", { sentence });
  try {
    const host = serverOf(config);
    if (host === undefined) {
      const store = await openStore(config, { print });
      waiting.resolve(store);
      return store;
    }
    const { backend } = config;
    const open = (): Promise<EvidenceStore> => openStore(config, { print });
    const late = await openReconnecting({ open, part: "store", backend, host, log });
    // A store that never opens is reported by `openReconnecting`.
    late.opened.then(waiting.resolve).catch(() => {});
    return reconnectingEvidence(backend, serverName(backend), late);
  } catch (error) {
    waiting.reject(error);
    throw error;
  }
}

/** The configured memory, if any; on a server that may be unreachable at first. */
export async function openedMemory({ config, log }: Opening): Promise<MemoryStore | undefined> {
  const backend = config.memoryBackend;
  const host = serverOf(config, backend);
  if (host === undefined || backend === "none") return openMemory(config);
  const open = async (): Promise<MemoryStore> => {
    const memory = await openMemory(config);
    if (memory === undefined) throw new CodedError("not_configured");
    return memory;
  };
  const late = await openReconnecting({ open, part: "memory", backend, host, log });
  return reconnectingMemory(serverName(backend), late);
}
