/**
 * @module Losses: what producers say they lost, and what the journal knows it lost. Any of it keeps
 * a verdict from success (design 3.8.6, 4, 6.4).
 */
import { compareTimes, lossIntervals } from "@turnproof/evidence";
import type { LossInterval, TurnEvent } from "@turnproof/evidence";
import { limits, producerReports as codes } from "@turnproof/semconv";
import type { EventSlice, Keyset } from "@turnproof/store";

import { collectorScope } from "./auth/grants.ts";
import type { Parts } from "./parts.ts";

/** Known losses behind a window. */
export interface KnownLosses {
  /** Of the journal: nobody knows whose; zero means that nobody knows of any. */
  readonly known_loss: number;
  /** Of producers, with the time in which they happened. */
  readonly losses: readonly LossInterval[];
}

const pageRows = limits.pageEventsMax;
/** A report may be stored a little after a later one; so much of what was read is read again. */
const overlapMs = 5 * 60_000;

/** Reports that were read, by collector: all of them once, and then what is new. */
const read = new WeakMap<Parts, { readonly reports: Map<string, TurnEvent>; newest: string }>();

/**
 * Losses of the producers and services that speak in these events, and of this collector's journal.
 * Who judges many windows in a row reads the reports once and gives them.
 */
export async function knownLosses(
  parts: Parts,
  events: readonly TurnEvent[],
  given?: readonly TurnEvent[],
): Promise<KnownLosses> {
  const { journal } = parts.ingest.report();
  const reports = given ?? (await producerReports(parts));
  const producers = new Set(events.flatMap((event) => event.producer_id ?? []));
  const services = new Set(events.map((event) => event.service_name ?? event.application_id));
  return {
    known_loss: journal.lost_frames + journal.quarantined_spans,
    losses: lossIntervals(reports).filter(
      ({ producer_id: id, service }) => producers.has(id ?? "") || services.has(service),
    ),
  };
}

/** All reports of producers about themselves; of heartbeats the first and the last of each. */
export async function producerReports(parts: Parts): Promise<readonly TurnEvent[]> {
  const query = { store: "trace", event_kind: "data_quality" } as const;
  const known = read.get(parts) ?? { reports: new Map<string, TurnEvent>(), newest: "" };
  read.set(parts, known);
  const since =
    known.newest === "" ? "" : new Date(Date.parse(known.newest) - overlapMs).toISOString();
  let after: Keyset | null = null;
  let newest = known.newest;
  do {
    const options: { limit: number; after?: Keyset } = { limit: pageRows };
    if (after !== null) options.after = after;
    const slice: EventSlice = await parts.store.page(collectorScope(), query, options);
    for (const event of slice.events) {
      keep(known.reports, event);
      if (newest === "" || compareTimes(event.timestamp, newest) > 0) newest = event.timestamp;
    }
    const oldest = slice.events.at(-1)?.timestamp;
    const overlaps = oldest !== undefined && since !== "" && compareTimes(oldest, since) < 0;
    after = overlaps ? null : slice.next;
  } while (after !== null);
  known.newest = newest;
  return [...known.reports.values()];
}

function keep(reports: Map<string, TurnEvent>, event: TurnEvent): void {
  const { producer_id: id, attributes } = event;
  if (id === undefined) return;
  if (attributes.quality_code !== codes.heartbeat) {
    reports.set(`${id} ${event.event_id}`, event);
    return;
  }
  for (const end of ["first", "last"] as const) {
    const key = `${id} ${end}`;
    const known = reports.get(key);
    const order = known === undefined ? 0 : compareTimes(event.timestamp, known.timestamp);
    if (known === undefined || (end === "first" ? order < 0 : order > 0)) reports.set(key, event);
  }
}
