/**
 * @module ReceiverReport: the state of the receiving side for the health view, and what is
 * missing.
 */
import type { Drain, Journal } from "@turnproof/journal";

import type { Conservation } from "../conservation.ts";
import { rootsNamedMax } from "../ingest.ts";
import type { IngestReport, MissingEvidence } from "../ingest.ts";
import type { WatchedJournal } from "./journal-losses.ts";
import { gapsOf, missingReport, withMissing } from "./missing-rows.ts";
import type { ReceiverOptions, Receiver } from "./receiver-contract.ts";

/** What is gone from the store, and what never came there. */
export function missingIn(
  { damage }: ReceiverOptions,
  state: { missing?: MissingEvidence },
  watched: WatchedJournal,
): Pick<Receiver, "noteMissing" | "gaps" | "losses"> {
  const damaged = (): readonly string[] => damage?.roots() ?? [];
  return {
    noteMissing: (missing) => void (state.missing = missing),
    gaps: () => gapsOf(state.missing, damaged()),
    losses: () => withMissing(watched.known(), state.missing, damaged()),
  };
}

type Besides = "missing" | "damaged" | "forward";

/** State beside journal and drain. */
export function storeReport(
  { damage, forwarded }: ReceiverOptions,
  { missing }: { readonly missing?: MissingEvidence },
): Pick<IngestReport, Besides> {
  return {
    missing: missingReport(missing),
    damaged: {
      ...(damage?.report() ?? { store: null, traces: 0, located: true }),
      roots_named: damage?.roots().slice(0, rootsNamedMax) ?? [],
    },
    forward: forwarded?.() ?? null,
  };
}

/** State of journal and drain. */
export function reportOf(
  journal: Journal,
  drain: Drain,
  conservation: Conservation,
): Omit<IngestReport, Besides> {
  const stats = journal.stats();
  const sent = drain.stats();
  return {
    receiving: true,
    conservation: conservation.snapshot(),
    journal: {
      healthy: stats.healthy,
      failure: stats.failure ?? null,
      pending_spans: stats.pendingSpans,
      pending_frames: stats.pendingFrames,
      oldest_pending_at: stats.oldestPendingAt ?? null,
      disk_bytes: stats.diskBytes,
      bytes_max: stats.bytesMax,
      segments: stats.segments,
      corrupt_ranges: stats.corruptRanges,
      lost_frames: stats.lostFrames,
      quarantined_spans: stats.quarantinedSpans,
    },
    drain: {
      stored_events: sent.storedEvents,
      stored_batches: sent.storedBatches,
      retries: sent.retries,
      unverified: sent.unverified,
      in_flight: sent.inFlight,
      failure: sent.failure ?? null,
    },
  };
}
