/**
 * @module Position: the order of a page, newest received first, and the keyset that continues
 * after it. The position of an event is the first receipt of its shown content, so a retry never
 * moves it and a walk during writes shows nothing twice (evidence: Page).
 */
import { createHash } from "node:crypto";

import type { EventIdentity } from "@turnproof/evidence";
import { clampedInstant, epochMicros, instantOfNanos, nanosOfInstant } from "@turnproof/semconv";
import type { Instant } from "@turnproof/semconv";

import type { Keyset } from "./evidence-store.ts";

/** Position of an event: received microseconds, the instant of the event, and its identity. */
export interface Position extends Instant {
  readonly micros: number;
  /** SHA-256 of the event's identity; breaks ties. */
  readonly key: string;
}

/** The fields of an event that determine its position. */
export type Placed = EventIdentity & {
  readonly event_id: string;
  readonly timestamp: string;
  readonly received_at: string;
  readonly ingest_principal?: string;
};

/** The position of an event whose shown content was first received at `received_at`. */
export function positionOf(event: Placed): Position {
  return new EventPosition(event);
}

/** Computes the digest where a tie needs it: a page of many thousand events has few. */
class EventPosition implements Position {
  readonly micros: number;
  readonly seconds: number;
  readonly nanos: number;
  readonly #event: Placed;
  #digest: string | undefined;

  constructor(event: Placed) {
    const { seconds, nanos } = clampedInstant(event.timestamp);
    this.micros = epochMicros(event.received_at);
    this.seconds = seconds;
    this.nanos = nanos;
    this.#event = event;
  }

  get key(): string {
    this.#digest ??= digestOf(this.#event);
    return this.#digest;
  }
}

function digestOf(event: Placed): string {
  const who = [
    event.root_trace_id,
    event.event_id,
    event.ingest_principal,
    event.application_id,
    event.agent_id,
    event.user_id === undefined ? 0 : event.user_id,
    event.thread_id,
    event.turn_id,
  ];
  return createHash("sha256").update(JSON.stringify(who)).digest("hex");
}

/**
 * Negative when `a` is shown before `b`: newer received first, then newer event time, then key.
 */
export function comparePositions(a: Position, b: Position): number {
  if (a.micros !== b.micros) return b.micros - a.micros;
  if (a.seconds !== b.seconds) return b.seconds - a.seconds;
  if (a.nanos !== b.nanos) return b.nanos - a.nanos;
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

/** The keyset that continues after this position. */
export function keysetOf(position: Position): Keyset {
  return { micros: position.micros, nanos: String(nanosOfInstant(position)), key: position.key };
}

/** The position of a keyset; an invalid keyset gives the first position. */
export function positionOfKeyset(keyset: Keyset): Position {
  const nanos = String(keyset["nanos"] ?? "0");
  return {
    micros: Number(keyset["micros"] ?? Number.MAX_SAFE_INTEGER),
    ...instantOfNanos(/^-?\d{1,19}$/.test(nanos) ? BigInt(nanos) : 0n),
    key: String(keyset["key"] ?? ""),
  };
}
