/**
 * @module Losses: what producers say they lost, and what the journal knows it lost. Any of it keeps
 * a verdict from success (design 3.8.6, 4, 6.4).
 */
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

/** Losses of the producers that speak in these events, and of this collector's journal. */
export async function knownLosses(
  parts: Parts,
  events: readonly TurnEvent[],
): Promise<KnownLosses> {
  const producers = new Set(events.flatMap((event) => event.producer_id ?? []));
  const { journal } = parts.ingest.report();
  let known = journal.lost_frames + journal.quarantined_spans;
  let sampled = 0;
  if (producers.size > 0) {
    for (const report of await latestReports(parts)) {
      if (!producers.has(report.producer_id ?? "")) continue;
      const { loss_dropped = 0, write_failures = 0, sampled_out = 0 } = report.attributes;
      known += loss_dropped + write_failures;
      sampled += sampled_out;
    }
  }
  return { known_loss: known, sampled_out: sampled };
}

/** The latest report of every producer, newest first; counters are cumulative. */
export async function latestReports(parts: Parts): Promise<readonly TurnEvent[]> {
  const query = { store: "trace", event_kind: "data_quality" } as const;
  const slice = await parts.store.page(collectorScope(), query, { limit: reportsMax });
  const latest = new Map<string, TurnEvent>();
  for (const event of slice.events) {
    const { producer_id } = event;
    if (producer_id === undefined || event.attributes.loss_created === undefined) continue;
    const known = latest.get(producer_id);
    const newer = (event.producer_seq ?? 0) - (known?.producer_seq ?? -1) > 0;
    if (known === undefined || newer) latest.set(producer_id, event);
  }
  return [...latest.values()];
}
