/**
 * @module TurnFacts: what is read from the events of one turn, once for all contracts. Each fact
 * is worked out when a clause first needs it.
 */
import {
  certainResult,
  countUsage,
  countedModelCalls,
  reconcileOutcome,
  spanKey,
  turnResult,
} from "@turnproof/evidence";
import type {
  TurnCall,
  TurnEvent,
  Verdict,
  WindowMetadata,
  WindowTrust,
} from "@turnproof/evidence";

import { callsOf } from "./call.ts";
import type { Call } from "./call.ts";
import type { Range } from "./three-values.ts";
import type { Golden } from "../language/contract.ts";

/** A model call to price. Null: not recorded. */
export interface CallToPrice extends Pick<
  TurnCall,
  | "provider"
  | "input_tokens"
  | "output_tokens"
  | "cached_tokens"
  | "cache_write_tokens"
  | "reasoning_tokens"
  | "service_tier"
> {
  readonly model: string | null;
  /** When its turn ended, ISO 8601; before that, the turn's last event. */
  readonly at: string;
}

/**
 * Price of one model call in the unit of the contracts: a number, the lowest and highest that it
 * may be, or null where it is unknown.
 */
export type PriceOf = (call: CallToPrice) => number | Range | null;

/** What an evaluation knows beside the events. */
export interface Surroundings {
  readonly metadata: WindowMetadata | undefined;
  readonly priceOf: PriceOf | undefined;
  /** What the prices are in, as in a sentence. */
  readonly priceUnit: string;
  readonly goldens: ReadonlyMap<string, Golden>;
}

/** Facts of a turn. */
export interface TurnFacts {
  readonly events: readonly TurnEvent[];
  readonly window: WindowTrust;
  /** The window is whole. */
  readonly whole: boolean;
  /** The window is whole and the turn has ended: what is not recorded did not happen. */
  readonly closed: boolean;
  /** Result of the turn itself, where it is certain that this is the one. */
  readonly end: TurnEvent | undefined;
  /** A recorded result: the turn's own one, or one that it may be. */
  readonly recordedEnd: TurnEvent | undefined;
  readonly around: Surroundings;
  readonly calls: readonly Call[];
  /** Model calls, of nested ones the innermost. */
  readonly modelCalls: readonly TurnEvent[];
  /** Their tokens, counted once. */
  readonly usage: ReturnType<typeof countUsage>;
  readonly verdict: Verdict;
  /** The event of each span by its key: its result, else its start. */
  readonly spans: ReadonlyMap<string, TurnEvent>;
  /** The events of a kind, starts included. */
  of(kind: TurnEvent["event_kind"]): readonly TurnEvent[];
}

/** The facts of one turn. */
export function turnFacts(
  events: readonly TurnEvent[],
  window: WindowTrust,
  around: Surroundings,
): TurnFacts {
  return new Facts(events, window, around);
}

const none: readonly TurnEvent[] = [];

class Facts implements TurnFacts {
  readonly events: readonly TurnEvent[];
  readonly window: WindowTrust;
  readonly whole: boolean;
  readonly closed: boolean;
  readonly end: TurnEvent | undefined;
  readonly recordedEnd: TurnEvent | undefined;
  readonly around: Surroundings;
  private readCalls: readonly Call[] | undefined;
  private readModelCalls: readonly TurnEvent[] | undefined;
  private readUsage: ReturnType<typeof countUsage> | undefined;
  private readVerdict: Verdict | undefined;
  private readSpans: Map<string, TurnEvent> | undefined;
  private kinds: Map<TurnEvent["event_kind"], TurnEvent[]> | undefined;

  constructor(events: readonly TurnEvent[], window: WindowTrust, around: Surroundings) {
    this.events = events;
    this.window = window;
    this.whole = window.complete;
    this.around = around;
    this.recordedEnd = turnResult(events);
    this.end = certainResult(events, this.whole);
    this.closed = this.whole && this.end !== undefined;
  }

  get calls(): readonly Call[] {
    return (this.readCalls ??= callsOf(this.events, this.whole, this.modelCalls));
  }

  get modelCalls(): readonly TurnEvent[] {
    return (this.readModelCalls ??= countedModelCalls(this.events));
  }

  get usage(): ReturnType<typeof countUsage> {
    return (this.readUsage ??= countUsage(this.events));
  }

  get spans(): ReadonlyMap<string, TurnEvent> {
    if (this.readSpans === undefined) {
      this.readSpans = new Map();
      for (const event of this.events) {
        const key = event.phase === "event" ? undefined : spanKey(event);
        if (key === undefined || (event.phase === "start" && this.readSpans.has(key))) continue;
        this.readSpans.set(key, event);
      }
    }
    return this.readSpans;
  }

  get verdict(): Verdict {
    const { metadata } = this.around;
    return (this.readVerdict ??= reconcileOutcome(
      this.events,
      metadata === undefined ? {} : { normalizationMetadata: metadata },
    ));
  }

  of(kind: TurnEvent["event_kind"]): readonly TurnEvent[] {
    if (this.kinds === undefined) {
      this.kinds = new Map();
      for (const event of this.events) {
        const list = this.kinds.get(event.event_kind);
        if (list === undefined) this.kinds.set(event.event_kind, [event]);
        else list.push(event);
      }
    }
    return this.kinds.get(kind) ?? none;
  }
}
