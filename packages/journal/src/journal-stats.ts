/** @module JournalStats: counts and state of an open journal. */
import { isoTime } from "@turnproof/semconv";

import { backlogBytes, oldestPendingAtMs, pendingTotals } from "./backlog.ts";
import type { JournalStats } from "./contract.ts";
import type { JournalParts } from "./journal-parts.ts";

/** Counts and state, now. */
export function journalStats(parts: JournalParts): JournalStats {
  const { backlog, writer, quarantine, damage } = parts;
  const oldest = oldestPendingAtMs(backlog);
  const failure = parts.state.lostOwnership ? "journal_locked" : writer.failure();
  const pending = pendingTotals(backlog);
  return {
    pendingFrames: pending.frames,
    pendingSpans: pending.spans,
    pendingBytes: pending.bytes,
    diskBytes: backlogBytes(backlog) + quarantine.bytes(),
    bytesMax: parts.bytesMax,
    segments: backlog.segments.size,
    corruptRanges: damage.ranges(),
    lostFrames: damage.lostFrames(),
    lostSpans: parts.state.lostSpans,
    damaged: parts.damaged,
    quarantinedSpans: quarantine.spans(),
    quarantinedRecords: quarantine.records(),
    ...(oldest === undefined ? {} : { oldestPendingAt: isoTime(oldest) }),
    healthy: failure === undefined,
    ...(failure === undefined ? {} : { failure }),
    appendedFrames: backlog.appended.frames,
    appendedSpans: backlog.appended.spans,
    groups: writer.groups(),
    acknowledgedThrough: backlog.acknowledgedThrough,
    drainedThrough: backlog.drainedThrough,
  };
}
