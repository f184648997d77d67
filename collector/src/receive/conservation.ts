/**
 * @module Conservation: accounts for every received item. At any observable moment, `received +
 * recovered = stored + pending + quarantined + lost + refused + rejected`, exactly; an item is a
 * span, a log record or a metric point (collector: Receive; evidence: Loss accounting).
 */
import type { Code } from "@turnproof/semconv";

/** Items by content-free reason. */
export type ReasonCounts = Readonly<Record<string, number>>;

/** Counts of durable items from the journal and its drain. */
export interface JournalTally {
  /** Items found in the journal when this process opened it. */
  readonly recovered: number;
  /** Items that are durable and not yet in the store. */
  readonly pending: number;
  /** Items in the store that were read back. */
  readonly stored: number;
  /** Items that the store refused, quarantined. */
  readonly quarantined: number;
  /** Items that were durable and damaged on the disk before they were stored. */
  readonly lost: number;
  /** Lost frames whose items are unknown; above zero, `lost` is a lower bound. */
  readonly lostFramesUncounted?: number;
}

/** The equation with both sides; `balanced`: they are equal. */
export interface ConservationSnapshot {
  readonly received: number;
  readonly recovered: number;
  readonly stored: number;
  /** In the journal, or received and not answered yet. */
  readonly pending: number;
  readonly in_flight: number;
  readonly quarantined: number;
  readonly lost: number;
  /** Damaged frames whose items are unknown; above zero, `lost` is a lower bound. */
  readonly lost_frames_uncounted: number;
  /** Not accepted as a whole request: the client was asked to retry, or received the reason. */
  readonly refused: number;
  readonly refused_reasons: ReasonCounts;
  /** Answered by `partial_success`. */
  readonly rejected: number;
  readonly rejected_reasons: ReasonCounts;
  readonly balanced: boolean;
  readonly requests: number;
  /** Requests answered with an error, whose items may never have been counted. */
  readonly requests_refused: ReasonCounts;
  /** Attributes refused on entry, by reason. */
  readonly dropped_attributes: ReasonCounts;
}

/** Items of one request between counting and answer. */
export interface Passage {
  /** The request was answered with 200; everything not rejected is durable. */
  accepted(rejected: ReasonCounts): void;
  /** The request was answered with an error. */
  refused(code: Code): void;
}

/** Counters of one process; durable counts are in the journal. */
export class Conservation {
  private readonly tally: () => JournalTally;
  private received = 0;
  private inFlight = 0;
  private durable = 0;
  private requests = 0;
  private readonly refusedItems: Record<string, number> = {};
  private readonly rejectedItems: Record<string, number> = {};
  private readonly refusedRequests: Record<string, number> = {};
  private readonly droppedAttributes: Record<string, number> = {};

  constructor(tally: () => JournalTally) {
    this.tally = tally;
  }

  /** A request arrived. */
  request(): void {
    this.requests++;
  }

  /** A request was answered with an error before its items were counted. */
  requestRefused(code: Code): void {
    add(this.refusedRequests, code, 1);
  }

  /** Attributes that the decoder or the guard left out. */
  dropped(counts: ReasonCounts): void {
    for (const [code, count] of Object.entries(counts)) add(this.droppedAttributes, code, count);
  }

  /** Items were counted on the wire. */
  enter(items: number): Passage {
    this.received += items;
    this.inFlight += items;
    return {
      accepted: (rejected) => {
        let count = 0;
        for (const [code, number] of Object.entries(rejected)) {
          add(this.rejectedItems, code, number);
          count += number;
        }
        this.inFlight -= items;
        this.durable += items - count;
      },
      refused: (code) => {
        this.inFlight -= items;
        add(this.refusedItems, code, items);
        this.requestRefused(code);
      },
    };
  }

  /** Both sides of the equation, now. */
  snapshot(): ConservationSnapshot {
    const { recovered, pending, stored, quarantined, lost, lostFramesUncounted = 0 } = this.tally();
    const refused = sum(this.refusedItems);
    const rejected = sum(this.rejectedItems);
    // An appended frame is pending in the journal as soon as its items are no longer in flight.
    const early = pending + stored + quarantined + lost - recovered - this.durable;
    const inFlight = this.inFlight - Math.min(Math.max(early, 0), this.inFlight);
    const right = stored + pending + quarantined + lost + refused + rejected + inFlight;
    return {
      received: this.received,
      recovered,
      stored,
      pending: pending + inFlight,
      in_flight: inFlight,
      quarantined,
      lost,
      lost_frames_uncounted: lostFramesUncounted,
      refused,
      refused_reasons: { ...this.refusedItems },
      rejected,
      rejected_reasons: { ...this.rejectedItems },
      balanced: this.received + recovered === right,
      requests: this.requests,
      requests_refused: { ...this.refusedRequests },
      dropped_attributes: { ...this.droppedAttributes },
    };
  }
}

function add(counts: Record<string, number>, code: string, by: number): void {
  counts[code] = (counts[code] ?? 0) + by;
}

function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
