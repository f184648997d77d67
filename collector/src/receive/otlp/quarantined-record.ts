/**
 * @module QuarantinedRecord: what an operator is shown of a record in quarantine: time, reason,
 * size, producer and position in its frame; never its content. An unreadable value is unknown, not
 * none.
 */
import type { DamagedRecord, QuarantineRecord } from "@turnproof/journal";
import { isoTime } from "@turnproof/semconv";

import { decodeFrame } from "./frame-codec.ts";

/** A record in quarantine, without its content. */
export interface SetAside {
  readonly id: string;
  /** Content-free code of the refusal, or `damaged`. */
  readonly reason: string;
  /** ISO 8601 UTC; null where the record is damaged, like every field but its size. */
  readonly set_aside_at: string | null;
  /** Spans and other items; null: unknown. */
  readonly items: number | null;
  /** Size of the complete frame. */
  readonly bytes: number;
  /** Applications that sent them, sorted; null where the frame cannot be read. */
  readonly producers: readonly string[] | null;
  /** Positions of the items in their frame, from 0; null: the complete frame. */
  readonly places: readonly number[] | null;
}

/** The fields shown of a record. */
export function setAsideOf(record: QuarantineRecord | DamagedRecord): SetAside {
  if ("damaged" in record) {
    const unknown = { set_aside_at: null, items: null, producers: null, places: null };
    return { id: record.id, reason: "damaged", bytes: record.bytes, ...unknown };
  }
  return {
    id: record.id,
    reason: record.code,
    set_aside_at: isoTime(record.setAsideAtMs),
    items: record.spans,
    bytes: record.payload.byteLength,
    producers: producersOf(record),
    places: record.rows,
  };
}

function producersOf({ payload, rows }: QuarantineRecord): readonly string[] | null {
  try {
    const events = decodeFrame(payload);
    const own = rows === null ? events : rows.flatMap((row) => events[row] ?? []);
    return [...new Set(own.flatMap((event) => event.application_id ?? []))].toSorted();
  } catch {
    // An unreadable payload is why it is in quarantine.
    return null;
  }
}
