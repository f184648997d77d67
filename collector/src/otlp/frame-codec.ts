/**
 * @module Frame codec: guarded events as the payload of one journal frame, and back. JSON, because
 * the engine's own writer is native and a person can read a quarantined frame.
 */
import type { TurnEvent } from "@turnproof/evidence";

/** A frame under construction. */
interface FrameWriter {
  readonly events: number;
  add(event: TurnEvent): void;
  /** The payload: a JSON array of the events. */
  payload(): Buffer;
}

/** Events that become text together: a call for each costs more, and all of them live long. */
const chunkEvents = 64;

/** Starts a frame. */
export function frameWriter(): FrameWriter {
  const parts: Buffer[] = [];
  let chunk: TurnEvent[] = [];
  let events = 0;
  const write = (): void => {
    // The chunk's own brackets give way to those of the whole.
    const text = JSON.stringify(chunk);
    parts.push(Buffer.from(parts.length === 0 ? text : `,${text.slice(1)}`));
    chunk = [];
  };
  return {
    get events() {
      return events;
    },
    add(event) {
      chunk.push(event);
      events += 1;
      if (chunk.length === chunkEvents) write();
    },
    payload() {
      if (chunk.length > 0 || parts.length === 0) write();
      const last = parts.length - 1;
      return Buffer.concat(parts.map((part, i) => (i === last ? part : part.subarray(0, -1))));
    },
  };
}

/** The payload of a frame of these events. */
export function encodeFrame(events: readonly TurnEvent[]): Buffer {
  const writer = frameWriter();
  for (const event of events) writer.add(event);
  return writer.payload();
}

/** The events of a payload that {@link encodeFrame} wrote. */
export function decodeFrame(payload: Uint8Array): readonly TurnEvent[] {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  return JSON.parse(bytes.toString("utf8")) as readonly TurnEvent[];
}
