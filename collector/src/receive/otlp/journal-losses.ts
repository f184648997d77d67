/**
 * @module JournalLosses: what the journal acknowledged and no store holds. A row that no store
 * takes names its root, and keeps that root's turns from success. Damaged frames name nothing: they
 * keep back the turns that were open between the frame before them and the moment they were missed.
 */
import type { LossInterval, TurnEvent } from "@turnproof/evidence";
import { compareTimes } from "@turnproof/evidence";
import type { Journal, LostFrames, QuarantineInput } from "@turnproof/exporter/journal";

import { decodeFrame } from "./frame-codec.ts";

/** Losses of a journal; plain data, passed between threads. */
export interface JournalLosses {
  /** Roots of trusted rows that are set aside, sorted. */
  readonly quarantined_roots: readonly string[];
  /** When something was lost of which nobody knows whose it was. */
  readonly losses: readonly LossInterval[];
}

/** The losses of an open journal. */
export interface WatchedJournal {
  /** The journal, to be used in its place: what is set aside through it is noted. */
  readonly journal: Journal;
  known(): JournalLosses;
}

/** Roots that are named; the turns of more are told by their times. */
const rootsMax = 10_000;
/** What is received in a moment may have happened before: an export is retried for this long. */
const delayMs = 5 * 60_000;

/** Reads what earlier runs set aside, and notes what is set aside from now on. */
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
      // Evidence of a producer that is not trusted keeps nobody from success.
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

/** The rows that are set aside; undefined where nobody can read them. */
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
  const from = fromMs === null ? null : new Date(fromMs - delayMs).toISOString();
  const to = new Date(toMs).toISOString();
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
