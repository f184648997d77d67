/**
 * @module Losses: what producers say they lost, and what the journal knows it lost. Any of it keeps
 * a verdict from success (design 3.8.6, 4, 6.4).
 */
import { readLosses } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { limits } from "@turnproof/semconv";

import { collectorScope } from "./auth/grants.ts";
import type { Parts } from "./parts.ts";

/** Known losses behind a window; zero means that nobody knows of any. */
export interface KnownLosses {
  readonly known_loss: number;
  readonly sampled_out: number;
}

/** Reports that are read for one question; a producer reports when it flushes. */
const reportsMax = limits.pageEventsMax;

/**
 * Losses of the producers that speak in these events, and of this collector's journal. Who judges
 * many windows in a row reads the reports once and gives them.
 */
export async function knownLosses(
  parts: Parts,
  events: readonly TurnEvent[],
  given?: readonly TurnEvent[],
): Promise<KnownLosses> {
  const { journal } = parts.ingest.report();
  let known = journal.lost_frames + journal.quarantined_spans;
  let sampled = 0;
  const producers = new Set(events.flatMap((event) => event.producer_id ?? []));
  if (producers.size > 0) {
    const reports = given ?? (await producerReports(parts));
    const own = reports.filter(({ producer_id }) => producers.has(producer_id ?? ""));
    for (const producer of readLosses(own, { filtered: true }).producers) {
      known += (producer.lost ?? 0) + (producer.write_failures ?? 0);
      sampled += producer.sampled_out ?? 0;
    }
  }
  return { known_loss: known, sampled_out: sampled };
}

/** The newest reports of producers about their own counters. */
export async function producerReports(parts: Parts): Promise<readonly TurnEvent[]> {
  const query = { store: "trace", event_kind: "data_quality" } as const;
  const slice = await parts.store.page(collectorScope(), query, { limit: reportsMax });
  return slice.events.filter((event) => event.producer_id !== undefined);
}
