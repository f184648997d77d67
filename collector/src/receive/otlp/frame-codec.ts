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
  /** Ends the frame. The payload: a JSON array of the events. */
  payload(): Buffer;
}

/** Memory for the next frame: new memory costs more than what is written to it. */
let spare: Buffer | undefined;
const spareBytes = 262_144;
const spareBytesMax = 1_048_576;

/** Starts a frame. */
export function frameWriter(): FrameWriter {
  let buffer: Buffer | undefined;
  let count = 0;
  let filled = 0;
  let payload: Buffer | undefined;
  const room = (bytes: number): Buffer => {
    let into = buffer ?? spare ?? Buffer.allocUnsafeSlow(spareBytes);
    if (into === spare) spare = undefined;
    if (into.length < filled + bytes) {
      const grown = Buffer.allocUnsafeSlow(Math.max(filled + bytes, into.length * 2));
      into.copy(grown, 0, 0, filled);
      into = grown;
    }
    buffer = into;
    return into;
  };
  return {
    get bytes() {
      return filled;
    },
    get events() {
      return count;
    },
    add(events) {
      if (events.length === 0) return;
      if (payload !== undefined) throw new Error("the frame has ended");
      const text = JSON.stringify(events);
      const bytes = Buffer.byteLength(text);
      const into = room(bytes);
      // The bracket at the end, and that of this part, are one comma.
      const at = filled === 0 ? 0 : filled - 1;
      filled = at + into.write(text, at);
      if (at > 0) into[at] = comma;
      count += events.length;
    },
    payload() {
      if (payload !== undefined) return payload;
      payload = Buffer.allocUnsafe(Math.max(filled, empty.length));
      (buffer ?? empty).copy(payload);
      if (buffer !== undefined && buffer.length <= spareBytesMax) spare = buffer;
      buffer = undefined;
      return payload;
    },
  };
}

const comma = 0x2c;
const empty = Buffer.from("[]");

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
