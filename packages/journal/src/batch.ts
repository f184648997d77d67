/**
 * @module Batch: frames that are stored together, split by the ISO week of receipt, because one
 * insert must write to one partition. A part's id is a hash of the journal's own bytes, the week
 * and the range of rows: equal boundaries give equal rows in equal order under the same id, in
 * this process and after a crash.
 */
import { createHash } from "node:crypto";

import type { EvidenceBatch, PreparedBatch, TurnEvent } from "@turnproof/evidence";
import { isoMicros } from "@turnproof/semconv";

import type { JournalPosition } from "./backlog.ts";
import type { JournalFrame } from "./journal-reader.ts";

/** A decoded payload: guarded events, and when they were received (ISO 8601 UTC). */
export interface DecodedFrame {
  /** For events without `received_at`; absent: the time at which the frame was appended. */
  readonly receivedAt?: string;
  readonly events: readonly TurnEvent[];
}

/**
 * Must return the same events for the same bytes. A throw means that the payload can never be
 * read.
 */
export type DecodeFrame = (
  payload: Uint8Array,
  frame: Pick<JournalFrame, "sequence" | "appendedAtMs" | "spans">,
) => DecodedFrame | Promise<DecodedFrame>;

/** Rows of one ISO week, with the origin of each. */
export interface BatchPart {
  readonly week: number;
  /** Content hash of all frames of the batch. */
  readonly digest: Uint8Array;
  readonly events: TurnEvent[];
  /** For each event: index of its frame in `Batch.frames` and position in that frame. */
  readonly origins: (readonly [frame: number, row: number])[];
}

/** Consecutive frames. */
export interface Batch {
  readonly frames: readonly JournalFrame[];
  readonly through: JournalPosition;
  readonly spans: number;
  /** Ascending weeks. */
  readonly parts: readonly BatchPart[];
  /** Frames whose payload cannot be read. */
  readonly unreadable: readonly JournalFrame[];
}

/** Decodes the frames and sorts their events into weeks. */
export async function assembleBatch(
  frames: readonly JournalFrame[],
  through: JournalPosition,
  decode: DecodeFrame,
): Promise<Batch> {
  const digest = digestOf(frames);
  const parts = new Map<number, BatchPart>();
  const unreadable = await eachEvent(frames, decode, (event, week, origin) => {
    let part = parts.get(week);
    if (part === undefined) parts.set(week, (part = { week, digest, events: [], origins: [] }));
    part.events.push(event);
    part.origins.push(origin);
  });
  const ordered = [...parts.values()].sort((a, b) => a.week - b.week);
  return {
    frames,
    through,
    spans: spansOf(frames),
    parts: ordered,
    unreadable: unreadable.map((index) => frames[index] as JournalFrame),
  };
}

/** The part of a frame that goes to another thread. */
export type SentFrame = Pick<JournalFrame, "sequence" | "payload" | "spans" | "appendedAtMs">;

/** Calls back for each event, stamped, in order; returns the positions of unreadable frames. */
async function eachEvent(
  frames: readonly SentFrame[],
  decode: DecodeFrame,
  visit: (event: TurnEvent, week: number, origin: readonly [number, number]) => void,
): Promise<number[]> {
  const unreadable: number[] = [];
  for (const [frameIndex, frame] of frames.entries()) {
    let decoded: DecodedFrame;
    try {
      decoded = await decode(frame.payload, frame);
    } catch {
      unreadable.push(frameIndex);
      continue;
    }
    const receivedAt = decoded.receivedAt ?? appendedAt(frame);
    for (const [row, event] of decoded.events.entries()) {
      const stamped =
        event.received_at === undefined ? { ...event, received_at: receivedAt } : event;
      visit(stamped, isoWeek(stamped.received_at ?? receivedAt), [frameIndex, row]);
    }
  }
  return unreadable;
}

/** Frames of a stored batch, without the listed rows of each frame, by its position. */
export interface StoredFrames {
  readonly frames: readonly SentFrame[];
  readonly refused: ReadonlyMap<number, readonly number[]>;
}

/** Calls back for each stored event, stamped; an unreadable frame has none. */
export async function eachStoredEvent(
  { frames, refused }: StoredFrames,
  decode: DecodeFrame,
  visit: (event: TurnEvent) => void,
): Promise<void> {
  await eachEvent(frames, decode, (event, _week, [frame, row]) => {
    if (refused.get(frame)?.includes(row) !== true) visit(event);
  });
}

function spansOf(frames: readonly SentFrame[]): number {
  return frames.reduce((sum, frame) => sum + frame.spans, 0);
}

/** Prepares one part of a batch for its store, event by event (`@turnproof/store/prepare`). */
export interface PartPreparer {
  /** Throws `store_rejected_row` for an event that the store permanently refuses. */
  add(event: TurnEvent, receivedAt: string): void;
  finish(batchId: string, receivedAt: string): PreparedBatch;
}

/** Frames prepared in another thread; plain data. */
export interface PreparedFrames {
  /** In the order of {@link Batch.parts}; null where an event is permanently refused. */
  readonly parts: readonly (PreparedBatch | null)[];
  /** Positions of frames whose payload cannot be read. */
  readonly unreadable: readonly number[];
}

/**
 * Returns what `assembleBatch` and `evidenceBatch` return for complete parts, under the same ids,
 * without holding all events in memory.
 */
export async function prepareFrames(
  frames: readonly SentFrame[],
  decode: DecodeFrame,
  preparer: () => PartPreparer,
): Promise<PreparedFrames> {
  const digest = digestOf(frames);
  interface Open {
    readonly week: number;
    readonly into: PartPreparer;
    rows: number;
    receivedAt: string;
    refused: boolean;
  }
  const open = new Map<number, Open>();
  const unreadable = await eachEvent(frames, decode, (event, week) => {
    let part = open.get(week);
    if (part === undefined) {
      part = { week, into: preparer(), rows: 0, receivedAt: "", refused: false };
      open.set(week, part);
    }
    const receivedAt = event.received_at ?? "";
    part.rows += 1;
    if (receivedAt > part.receivedAt) part.receivedAt = receivedAt;
    if (part.refused) return;
    try {
      part.into.add(event, receivedAt);
    } catch {
      part.refused = true;
    }
  });
  const ordered = [...open.values()].sort((a, b) => a.week - b.week);
  const parts = ordered.map(({ week, into, rows, receivedAt, refused }) =>
    refused ? null : into.finish(batchIdOf(digest, week, 0, rows), receivedAt),
  );
  return { parts, unreadable };
}

/** The rows from `from` up to and without `to`, in the form for the store. */
export function evidenceBatch(part: BatchPart, from: number, to: number): EvidenceBatch {
  const events =
    from === 0 && to === part.events.length ? part.events : part.events.slice(from, to);
  const batchId = batchIdOf(part.digest, part.week, from, to);
  let receivedAt = "";
  for (const event of events) {
    if ((event.received_at ?? "") > receivedAt) receivedAt = event.received_at ?? "";
  }
  return { batchId, receivedAt, events };
}

function batchIdOf(digest: Uint8Array, week: number, from: number, to: number): string {
  return createHash("sha256")
    .update("turnproof/batch/1\n")
    .update(digest)
    .update(`${week}/${from}/${to}`)
    .digest("hex");
}

/** Length-prefixed, so that different lists of payloads have different digests. */
function digestOf(frames: readonly SentFrame[]): Uint8Array {
  const hash = createHash("sha256");
  const length = Buffer.alloc(4);
  for (const { payload } of frames) {
    length.writeUInt32LE(payload.byteLength, 0);
    hash.update(length).update(payload);
  }
  return hash.digest();
}

function appendedAt(frame: SentFrame): string {
  return isoMicros(frame.appendedAtMs * 1_000);
}

const dayMs = 86_400_000;
const weekByDay = new Map<string, number>();

/** Number of the ISO week (Monday to Sunday, UTC) since the one that holds 1 January 1970. */
function isoWeek(time: string): number {
  const day = time.slice(0, 10);
  let week = weekByDay.get(day);
  if (week === undefined) {
    const days = Math.floor(Date.parse(`${day}T00:00:00Z`) / dayMs);
    // 1 January 1970 was a Thursday. A time that cannot be parsed gets a week of its own.
    week = Number.isNaN(days) ? -1 : Math.floor((days + 3) / 7);
    if (weekByDay.size > 1_000) weekByDay.clear();
    weekByDay.set(day, week);
  }
  return week;
}
