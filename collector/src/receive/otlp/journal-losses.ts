/**
 * @module JournalLosses: acknowledged data of the journal that is not in the store. A refused row
 * has a root, and prevents a success of that root's turns. Damaged frames have none: they block
 * the turns that were open between the frame before and the time of detection.
 */
import type { LossInterval, TurnEvent } from "@turnproof/evidence";
import type { Journal, LostFrames, QuarantineInput } from "@turnproof/journal";
import { compareTimes, isoTime } from "@turnproof/semconv";

import { decodeFrame } from "./frame-codec.ts";

/** Losses of a journal; plain data, passed between threads. */
export interface JournalLosses {
  /** Roots of trusted quarantined rows, sorted. */
  readonly quarantined_roots: readonly string[];
  /** Time ranges of losses with an unknown owner. */
  readonly losses: readonly LossInterval[];
}

/** The losses of an open journal. */
export interface WatchedJournal {
  /** Use it in place of the journal: it records what is quarantined. */
  readonly journal: Journal;
  known(): JournalLosses;
}

/** Most roots that are listed; turns beyond are found by their times. */
const rootsMax = 10_000;
/**
 * Events may be older than their receipt by this much, because an export is retried for this long.
 */
const delayMs = 5 * 60_000;

/** Reads what earlier runs quarantined, and records what is quarantined from now on. */
export async function watchJournal(
  journal: Journal,
  now: () => number = Date.now,
): Promise<WatchedJournal> {
  const roots = new Set<string>();
  const unreadable: LossInterval[] = [];
  let others: LossInterval | undefined;
  const note = (input: QuarantineInput, atMs: number): void => {
    const events = eventsOf(input);
    if (events === undefined) {
      const fromMs = input.receivedAtMs ?? null;
      unreadable.push(intervalOf({ frames: input.spans, fromMs, toMs: atMs }));
      return;
    }
    for (const event of events) {
      // Evidence of an untrusted producer blocks no success.
      if (event.ingest_trusted === false) continue;
      const { root_trace_id: root } = event;
      if (root !== undefined && (roots.has(root) || roots.size < rootsMax)) roots.add(root);
      else others = widened(others, event);
    }
  };
  for await (const record of journal.quarantined()) note(record, record.setAsideAtMs);
  return {
    journal: {
      ...journal,
      async quarantine(input) {
        await journal.quarantine(input);
        note(input, now());
      },
    },
    known: () => ({
      quarantined_roots: [...roots].toSorted(),
      losses: [
        ...journal.losses().map(intervalOf),
        ...unreadable,
        ...(others === undefined ? [] : [others]),
      ],
    }),
  };
}

/** The quarantined rows; undefined where they cannot be read. */
function eventsOf({ payload, rows }: QuarantineInput): readonly TurnEvent[] | undefined {
  if (rows === null) return undefined;
  try {
    const events = decodeFrame(payload);
    return rows.flatMap((row) => events[row] ?? []);
  } catch {
    return undefined;
  }
}

function intervalOf({ frames, fromMs, toMs }: LostFrames): LossInterval {
  const from = fromMs === null ? null : isoTime(fromMs - delayMs);
  const to = isoTime(toMs);
  return { from, to, lost: frames, sampled_out: 0, write_failures: 0 };
}

function widened(known: LossInterval | undefined, event: TurnEvent): LossInterval {
  const { timestamp, started_at: began = timestamp } = event;
  const from = known?.from ?? began;
  const to = known?.to ?? timestamp;
  return {
    from: compareTimes(began, from) < 0 ? began : from,
    to: compareTimes(timestamp, to) > 0 ? timestamp : to,
    lost: (known?.lost ?? 0) + 1,
    sampled_out: 0,
    write_failures: 0,
  };
}
