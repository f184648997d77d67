/**
 * @module Position: the order of a page, newest received first, and the keyset that continues
 * after it. The position of an event is the first receipt of its shown content, so a retry never
 * moves it and a walk during writes shows nothing twice (evidence: Page).
 */
import { createHash } from "node:crypto";

import type { EventIdentity } from "@turnproof/evidence";

import type { Keyset } from "./evidence-store.ts";
import { clampedNanos, epochMicros } from "./time.ts";

/** Position of an event: received microseconds, event nanoseconds, and its identity. */
export interface Position {
  readonly micros: number;
  readonly nanos: bigint;
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
  let digest: string | undefined;
  return {
    micros: epochMicros(event.received_at),
    nanos: clampedNanos(event.timestamp),
    get key() {
      digest ??= createHash("sha256").update(JSON.stringify(who)).digest("hex");
      return digest;
    },
  };
}

/**
 * Negative when `a` is shown before `b`: newer received first, then newer event time, then key.
 */
export function comparePositions(a: Position, b: Position): number {
  if (a.micros !== b.micros) return b.micros - a.micros;
  if (a.nanos !== b.nanos) return a.nanos > b.nanos ? -1 : 1;
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

/** The keyset that continues after this position. */
export function keysetOf(position: Position): Keyset {
  return { micros: position.micros, nanos: String(position.nanos), key: position.key };
}

/** The position of a keyset; an invalid keyset gives the first position. */
export function positionOfKeyset(keyset: Keyset): Position {
  const nanos = String(keyset["nanos"] ?? "0");
  return {
    micros: Number(keyset["micros"] ?? Number.MAX_SAFE_INTEGER),
    nanos: /^-?\d{1,19}$/.test(nanos) ? BigInt(nanos) : 0n,
    key: String(keyset["key"] ?? ""),
  };
}
