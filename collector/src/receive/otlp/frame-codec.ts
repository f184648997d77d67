/**
 * @module Frame codec: guarded events as the payload of one journal frame, and back. JSON, because
 * the engine's own writer is native and a person can read a quarantined frame.
 */
import type { TurnEvent } from "@turnproof/evidence";

/** A frame being built. */
interface FrameWriter {
  readonly events: number;
  /** Bytes written so far. */
  readonly bytes: number;
  add(events: readonly TurnEvent[]): void;
  /** The payload: a JSON array of the events. */
  payload(): Buffer;
}

/** Starts a frame. */
export function frameWriter(): FrameWriter {
  const parts: Buffer[] = [];
  let count = 0;
  let bytes = 0;
  return {
    get bytes() {
      return bytes;
    },
    get events() {
      return count;
    },
    add(events) {
      if (events.length === 0) return;
      // The part's own brackets are dropped.
      const text = JSON.stringify(events);
      const part = Buffer.from(parts.length === 0 ? text : `,${text.slice(1)}`);
      parts.push(part);
      bytes += part.byteLength;
      count += events.length;
    },
    payload() {
      const [only] = parts;
      if (only === undefined) return Buffer.from("[]");
      if (parts.length === 1) return only;
      const last = parts.length - 1;
      return Buffer.concat(parts.map((part, i) => (i === last ? part : part.subarray(0, -1))));
    },
  };
}

/** The payload of a frame of these events. */
export function encodeFrame(events: readonly TurnEvent[]): Buffer {
  const writer = frameWriter();
  writer.add(events);
  return writer.payload();
}

/** The events of a payload that {@link encodeFrame} wrote. */
export function decodeFrame(payload: Uint8Array): readonly TurnEvent[] {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  return JSON.parse(bytes.toString("utf8")) as readonly TurnEvent[];
}
