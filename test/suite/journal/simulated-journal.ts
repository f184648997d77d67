/**
 * @module Simulated journal: opens a journal on a simulated disk, with a clock that stands still
 * and with owners of which only the newest lives, so that a run depends on nothing but its seed.
 */
import { openJournal } from "@turnproof/journal";
import type { Journal, JournalClock, JournalFileSystem, JournalOptions } from "@turnproof/journal";
import type { Processes } from "@turnproof/journal/process-lock";

/** A clock that moves only when it is set. */
export interface ManualClock extends JournalClock {
  advance(ms: number): Promise<void>;
}

export function manualClock(): ManualClock {
  let now = Date.parse("2026-11-21T10:00:00Z");
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  return {
    now: () => now,
    sleep(ms, signal) {
      return new Promise((resolve) => {
        const sleeper = { until: now + ms, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", () => {
          sleepers.delete(sleeper);
          resolve();
        });
      });
    },
    async advance(ms) {
      now += ms;
      for (const sleeper of sleepers) {
        if (sleeper.until > now) continue;
        sleepers.delete(sleeper);
        sleeper.wake();
      }
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

let pids = 1;

/** A new process whose predecessors are all dead. */
function onlyLivingProcess(): Processes {
  const owner = { boot: "b", namespace: "0", pid: (pids += 1), started: "1" };
  return { self: () => owner, liveness: () => "dead" };
}

/** Opens a journal of small segments. */
export function openSimulated(
  fileSystem: JournalFileSystem,
  options: Partial<JournalOptions> = {},
): Promise<Journal> {
  return openJournal({
    directory: "/journal",
    fileSystem,
    clock: manualClock(),
    processes: onlyLivingProcess(),
    segmentBytes: 3_000,
    reserveBytes: 1_000,
    bytesMax: 10_000_000,
    ...options,
  });
}

/** Payloads that are pending, as text. */
export async function pendingTexts(journal: Journal): Promise<string[]> {
  const texts: string[] = [];
  for await (const frame of journal.read()) texts.push(Buffer.from(frame.payload).toString());
  return texts;
}

/** A frame in the documented format, parsed without the journal's own code. */
export interface RawFrame {
  readonly offset: number;
  readonly end: number;
  readonly kind: number;
  readonly sequence: number;
}

/** Frames of an undamaged file. */
export function rawFrames(bytes: Buffer): readonly RawFrame[] {
  const frames: RawFrame[] = [];
  for (let offset = 0; offset + 44 <= bytes.byteLength;) {
    const end = offset + 44 + bytes.readUInt32LE(offset + 8);
    const sequence = Number(bytes.readBigUInt64LE(offset + 16));
    frames.push({ offset, end, kind: bytes.readUInt8(offset + 5), sequence });
    offset = end;
  }
  return frames;
}
