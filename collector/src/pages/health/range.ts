/**
 * @module Range: health over a range of time. Its numbers are exact and the same in every store:
 * turns are of the ledger, losses of the reports of producers, and the receiving side of its
 * recorded minutes.
 */
import type { TurnEvent } from "@turnproof/evidence";
import type { TurnQuery, TurnReader } from "@turnproof/store";

import type { Reading } from "../../access/grants.ts";
import { isTrusted } from "../../judge/losses.ts";
import type { Parts } from "../../parts.ts";
import { lostEvidence } from "../../turns/lost-evidence.ts";
import type { LostEvidence } from "../../turns/lost-evidence.ts";
import { turnQueryOf } from "../../turns/turn-conditions.ts";
import { ingestRange } from "./range-ingest.ts";
import type { IngestRange } from "./range-ingest.ts";
import { rangeOrphans } from "./range-orphans.ts";
import type { RangeOrphans } from "./range-orphans.ts";
import { producerRows } from "./range-producers.ts";
import type { ProcessRange, ProducerRange } from "./range-rows.ts";

/** Turns of the range that the judge has not settled. */
export interface UnjudgedTurns {
  readonly turns: number;
  /** Last receipt of the one that waits longest; null without one. */
  readonly oldest_received_at: string | null;
}

/** Health over a range. */
export interface HealthRange {
  /** Null where the range is open. */
  readonly from: string | null;
  readonly to: string | null;
  readonly turns: number;
  readonly unjudged: UnjudgedTurns;
  readonly lost_evidence: LostEvidence;
  /** Null for a principal that reads a part of each trace, and where spans cannot be read. */
  readonly orphans: RangeOrphans | null;
  readonly producers: readonly ProducerRange[];
  /** Processes of the range; empty for a principal that reads a part of each. */
  readonly processes: readonly ProcessRange[];
  /** The receiving side, of all tenants; null for a principal that is bound to one. */
  readonly ingest: IngestRange | null;
}

/**
 * Health over the range of a reading. `reports`: undefined where the principal may see none, null
 * where they cannot be read.
 */
export async function healthRange(
  parts: Parts,
  reading: Reading,
  reports: readonly TurnEvent[] | null | undefined,
  signal: AbortSignal,
): Promise<HealthRange> {
  const { start_time: from, end_time: to } = reading.query;
  const { ledger } = parts.store;
  const query: TurnQuery = { ...turnQueryOf(reading), signal };
  const requested = {
    fromMs: from === undefined ? undefined : Date.parse(from),
    toMs: to === undefined ? parts.now() : Date.parse(to),
  };
  const seen = reports !== undefined;
  const received = seen ? await ingestRange(parts, requested) : undefined;
  const [turns, unjudged, lost_evidence, orphans, producers] = await Promise.all([
    ledger.countTurns(query),
    unjudgedTurns(ledger, query),
    lostEvidence(ledger, query),
    // Where reports cannot be read, neither can the spans.
    seen && reports !== null ? rangeOrphans(parts, query) : null,
    producerRows({
      ledger,
      query,
      reports: reports === null ? null : reports?.filter(isTrusted),
      items: received?.services,
      refusals: (received?.ingest.refusals.length ?? 0) > 0,
      from,
      to,
    }),
  ]);
  return {
    from: from ?? null,
    to: to ?? null,
    turns,
    unjudged,
    lost_evidence,
    orphans,
    producers: producers.services,
    processes: producers.processes,
    ingest: received?.ingest ?? null,
  };
}

async function unjudgedTurns(ledger: TurnReader, query: TurnQuery): Promise<UnjudgedTurns> {
  const some: TurnQuery = {
    ...query,
    where: [...query.where, { text: "verdict", is: "unjudged" }],
  };
  const [turns, { records }] = await Promise.all([
    ledger.countTurns(some),
    ledger.listTurns(some, { order: { by: "received_at", ascending: true }, limit: 1 }),
  ]);
  return { turns, oldest_received_at: records[0]?.row.received_at ?? null };
}
