/**
 * @module Position: the order of a page, newest received first, and the keyset that goes on after
 * it. An event stands where its shown content was first received, so a retry never moves it and a
 * walk under new rows shows nothing twice (design 4: Page).
 */
import { createHash } from "node:crypto";

import type { EventIdentity } from "@turnproof/evidence";

import type { Keyset } from "./evidence-store.ts";
import { clampedNanos, epochMicros } from "./time.ts";

/** Where an event stands: received microseconds, event nanoseconds, and who it is. */
export interface Position {
  readonly micros: number;
  readonly nanos: bigint;
  /** SHA-256 of what makes the event itself; settles ties. */
  readonly key: string;
}

/** What of an event decides its place. */
export type Placed = EventIdentity & {
  readonly event_id: string;
  readonly timestamp: string;
  readonly received_at: string;
  readonly ingest_principal?: string;
};

/** The place of an event whose shown content was first received at `received_at`. */
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

/** Negative when `a` is shown before `b`: newer received first, then newer event time, then key. */
export function comparePositions(a: Position, b: Position): number {
  if (a.micros !== b.micros) return b.micros - a.micros;
  if (a.nanos !== b.nanos) return a.nanos > b.nanos ? -1 : 1;
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

/** The keyset that goes on after this place. */
export function keysetOf(position: Position): Keyset {
  return { micros: position.micros, nanos: String(position.nanos), key: position.key };
}

/** The place that a keyset names; a keyset that is not ours names the very first place. */
export function positionOfKeyset(keyset: Keyset): Position {
  const nanos = String(keyset["nanos"] ?? "0");
  return {
    micros: Number(keyset["micros"] ?? Number.MAX_SAFE_INTEGER),
    nanos: /^-?\d{1,19}$/.test(nanos) ? BigInt(nanos) : 0n,
    key: String(keyset["key"] ?? ""),
  };
}
