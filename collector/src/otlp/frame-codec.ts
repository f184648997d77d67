/**
 * @module Frame codec: guarded events as the payload of one journal frame, and back. JSON, because
 * the engine's own writer is native and a person can read a quarantined frame.
 */
import type { TurnEvent } from "@turnproof/evidence";

/** The payload of a frame. */
export function encodeFrame(events: readonly TurnEvent[]): Buffer {
  return Buffer.from(JSON.stringify(events), "utf8");
}

/** The events of a payload that {@link encodeFrame} wrote. */
export function decodeFrame(payload: Uint8Array): readonly TurnEvent[] {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  return JSON.parse(bytes.toString("utf8")) as readonly TurnEvent[];
}
