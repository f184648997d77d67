/**
 * @module EvidenceSummary: bounded counts and freshness of a scope, read page by page from any
 * provider (requirements: Summary). For callers that have a reader and no access to verdicts.
 */
import { summarize } from "@turnproof/evidence";
import type { EventQuery, ObservabilitySummary, TurnEvent } from "@turnproof/evidence";
import { limits } from "@turnproof/semconv";

import type { EvidenceReader, Keyset } from "./evidence-store.ts";
import type { EvidenceScope } from "./scope.ts";

/** Content-free counts of a bounded window. */
export type EvidenceSummary = ObservabilitySummary;

/**
 * Summarizes the newest matching events, at most `eventsMax` (default 5,000); beyond that
 * `window_complete` is false and every count is a lower bound. `now` is ISO 8601 UTC.
 */
export async function summarizeEvidence(
  reader: Pick<EvidenceReader, "page">,
  scope: EvidenceScope,
  query: EventQuery,
  options: { readonly now: string; readonly eventsMax?: number; readonly signal?: AbortSignal },
): Promise<EvidenceSummary> {
  const { now, eventsMax = 5_000, signal } = options;
  const events: TurnEvent[] = [];
  let after: Keyset | null | undefined;
  let bounded = false;
  let failed = false;
  do {
    const slice = await reader.page(scope, query, {
      limit: Math.min(limits.pageEventsMax, eventsMax - events.length),
      ...(after === undefined || after === null ? {} : { after }),
      ...(signal === undefined ? {} : { signal }),
    });
    events.push(...slice.events);
    bounded ||= slice.bounded;
    failed ||= slice.errors.length > 0;
    after = slice.next;
  } while (after !== null && events.length < eventsMax);
  return summarize(events, { now, windowComplete: after === null && !bounded, failed });
}
