/**
 * @module Erase forward: removes a user's spans from the queue of what is sent to another endpoint.
 * Frames that stay are appended again before the old ones are checkpointed, so a killed run leaves
 * copies under the same ids and loses nothing.
 */
import { existsSync } from "node:fs";

import { resolveEvents } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import type { Journal, JournalFrame } from "@turnproof/journal";

import { forwardFolder, queueFolder } from "../receive/forward/forward-queue.ts";
import { decodeFrame, encodeFrame } from "../receive/otlp/frame-codec.ts";
import { openCommandJournal } from "./command-journal.ts";

/** Rows of a user in the queue. */
export interface ForwardErasure {
  readonly found: number;
  readonly deleted: number;
  readonly remaining: number;
  /** Frames and ranges that cannot be read. */
  readonly unreadable: number;
}

/** User and data directory; `roots` are those of the user in the store. */
export interface ForwardErasureOptions {
  readonly dataDir: string;
  readonly userIds: readonly string[];
  readonly roots: ReadonlySet<string>;
  readonly dryRun: boolean;
}

/** Frames that are appended again before the old ones are given up. */
const framesPerStep = 500;

/**
 * Erases in the queue of a data directory; undefined without one.
 * @throws CodedError journal_locked while a collector uses it
 */
export async function eraseForward(
  options: ForwardErasureOptions,
): Promise<ForwardErasure | undefined> {
  const directory = queueFolder(forwardFolder(options.dataDir));
  if (!existsSync(directory)) return undefined;
  const { dryRun } = options;
  const users = new Set(options.userIds);
  // The queue may be at its bound; copies need room beyond it until the old frames are unlinked.
  const journal = await openCommandJournal(directory, Number.MAX_SAFE_INTEGER);
  try {
    const roots = new Set(options.roots);
    let [last, unreadable] = [0, 0];
    for await (const { sequence, payload } of journal.read()) {
      last = sequence;
      const events = eventsOf(payload);
      if (events === undefined) unreadable += 1;
      for (const { user_id: user, root_trace_id: root } of events ?? []) {
        if (users.has(user ?? "") && typeof root === "string") roots.add(root);
      }
    }
    const isUsers = ({ user_id: user, root_trace_id: root }: TurnEvent): boolean =>
      // A row without an owner would seem to belong to another user once its turn is gone.
      user === undefined ? roots.has(root ?? "") : users.has(user ?? "");
    const found = await rewrite(journal, { last, isUsers, dryRun });
    unreadable += journal.stats().corruptRanges;
    return dryRun
      ? { found, deleted: 0, remaining: found, unreadable }
      : { found, deleted: found, remaining: 0, unreadable };
  } finally {
    await journal.close();
  }
}

/** Appends what stays of each frame anew; returns the number of the user's rows. */
async function rewrite(
  journal: Journal,
  of: {
    readonly last: number;
    readonly isUsers: (event: TurnEvent) => boolean;
    readonly dryRun: boolean;
  },
): Promise<number> {
  let found = 0;
  let through: JournalFrame | undefined;
  let copies: Promise<unknown>[] = [];
  const step = async (): Promise<void> => {
    await Promise.all(copies);
    copies = [];
    if (through !== undefined) await journal.checkpoint(through.position);
  };
  for await (const frame of journal.read()) {
    if (frame.sequence > of.last) break;
    const { payload, spans } = frame;
    const events = eventsOf(payload);
    const gone = new Set(events?.flatMap((event, at) => (of.isUsers(event) ? [at] : [])));
    found += gone.size;
    if (of.dryRun) continue;
    through = frame;
    if (gone.size === 0) copies.push(journal.append({ payload, spans }));
    else if (gone.size < (events?.length ?? 0)) {
      const kept = decodeFrame(payload).filter((_event, at) => !gone.has(at));
      const left = Math.max(0, spans - gone.size);
      copies.push(journal.append({ payload: encodeFrame(kept), spans: left }));
    }
    if (copies.length >= framesPerStep) await step();
  }
  if (of.dryRun) return found;
  // Files of frames that are given up leave the disk once a later one is begun.
  const { sequence } = await journal.append({ payload: encodeFrame([]), spans: 0 });
  if (through === undefined) await journal.checkpoint(sequence);
  await step();
  return found;
}

/** The events of a frame with what they inherit in it; undefined for an unreadable one. */
function eventsOf(payload: Uint8Array): readonly TurnEvent[] | undefined {
  try {
    return resolveEvents(decodeFrame(payload));
  } catch {
    return undefined;
  }
}
