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
  /** True where the end of the journal is damaged, and the process before did not stop cleanly. */
  readonly lostIsLowerBound?: boolean;
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
  /**
   * True where the end of the journal is damaged and the process before did not stop cleanly:
   * `lost` and the lost frames are lower bounds.
   */
  readonly loss_is_lower_bound: boolean;
  /** Not accepted as a whole request: the client received a request to retry, or the reason. */
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

/** What one sender's requests came to; a sender is a credential, by its name. */
export interface SenderCounts {
  readonly requests: number;
  readonly items: number;
  /** Items of requests that were answered with an error, by code. */
  readonly refused: ReasonCounts;
  /** Items that a partial success named, by code. */
  readonly rejected: ReasonCounts;
  /** Requests that were answered with an error, by code. */
  readonly requests_refused: ReasonCounts;
}

/** Counts by the name of the sender, and durable items by service. */
export interface SourceCounts {
  readonly senders: Readonly<Record<string, SenderCounts>>;
  readonly services: ReasonCounts;
}

/** Name under which requests without a valid credential are counted. */
export const noSender = "";
/** Most services that are counted by name; items of further ones count as `otherServices`. */
const servicesMax = 1_000;
/** Name under which the items of further services are counted. */
const otherServices = "*";

/** Items of one request between counting and answer. */
export interface Passage {
  /**
   * The request was answered with 200; everything not rejected is durable. `services`: the durable
   * items by service.
   */
  accepted(rejected: ReasonCounts, services?: ReadonlyMap<string, number>): void;
  /** The request was answered with an error. */
  refused(code: Code): void;
}

type OpenCounts = { -readonly [K in keyof SenderCounts]: SenderCounts[K] } & {
  readonly [K in "refused" | "rejected" | "requests_refused"]: Record<string, number>;
};

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
  private readonly senders = new Map<string, OpenCounts>();
  private readonly services = new Map<string, number>();

  constructor(tally: () => JournalTally) {
    this.tally = tally;
  }

  /** A request arrived. */
  request(): void {
    this.requests++;
  }

  /** Its sender is known now, or it has none. */
  sentBy(sender: string): void {
    this.senderOf(sender).requests++;
  }

  /** A request was answered with an error before its items were counted. */
  requestRefused(code: Code, sender: string = noSender): void {
    add(this.refusedRequests, code, 1);
    add(this.senderOf(sender).requests_refused, code, 1);
  }

  /** Attributes that the decoder or the guard left out. */
  dropped(counts: ReasonCounts): void {
    for (const [code, count] of Object.entries(counts)) add(this.droppedAttributes, code, count);
  }

  /** Items were counted on the wire. */
  enter(items: number, sender: string = noSender): Passage {
    const own = this.senderOf(sender);
    this.received += items;
    this.inFlight += items;
    own.items += items;
    return {
      accepted: (rejected, services) => {
        let count = 0;
        for (const [code, number] of Object.entries(rejected)) {
          add(this.rejectedItems, code, number);
          add(own.rejected, code, number);
          count += number;
        }
        for (const [service, number] of services ?? []) this.countService(service, number);
        this.inFlight -= items;
        this.durable += items - count;
      },
      refused: (code) => {
        this.inFlight -= items;
        add(this.refusedItems, code, items);
        add(own.refused, code, items);
        this.requestRefused(code, sender);
      },
    };
  }

  /** What each sender's requests came to, and the durable items of each service. */
  sources(): SourceCounts {
    return {
      senders: Object.fromEntries(
        [...this.senders].map(([name, own]) => [name, structuredClone(own)]),
      ),
      services: Object.fromEntries(this.services),
    };
  }

  private senderOf(name: string): OpenCounts {
    let own = this.senders.get(name);
    if (own === undefined) {
      own = { requests: 0, items: 0, refused: {}, rejected: {}, requests_refused: {} };
      this.senders.set(name, own);
    }
    return own;
  }

  private countService(service: string, items: number): void {
    const isNamed = this.services.has(service) || this.services.size < servicesMax;
    const name = isNamed ? service : otherServices;
    this.services.set(name, (this.services.get(name) ?? 0) + items);
  }

  /** Both sides of the equation, now. */
  snapshot(): ConservationSnapshot {
    const tally = this.tally();
    const { recovered, pending, stored, quarantined, lost, lostFramesUncounted = 0 } = tally;
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
      loss_is_lower_bound: tally.lostIsLowerBound === true,
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
