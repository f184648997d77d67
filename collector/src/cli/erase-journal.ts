/**
 * @module Erase journal: removes a user's data between receiver and store. Pending frames are
 * stored first, where the user's rows are deleted with the others; quarantined records lose the
 * user's rows; drained segments are deleted from the disk.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";

import { resolveEvents } from "@turnproof/evidence";
import { eraseQuarantine, startDrain } from "@turnproof/journal";
import type { Journal, KeptRows, QuarantineRecord } from "@turnproof/journal";
import type { EvidenceStore } from "@turnproof/store";

import type { Config } from "../config/config.ts";
import { silentLog } from "../log.ts";
import { forwardFolder, openForwardQueue } from "../receive/forward/forward-queue.ts";
import { decodeFrame, encodeFrame } from "../receive/otlp/frame-codec.ts";
import { openCommandJournal } from "./command-journal.ts";

/** Rows of a user in the journal. */
export interface JournalErasure {
  readonly found: number;
  readonly deleted: number;
  readonly remaining: number;
  /** Records and ranges that cannot be read. */
  readonly unreadable: number;
}

/**
 * User and data directory; `store` receives pending frames, undefined in a dry run. They go on to
 * the other endpoint where one is configured, as they do when a collector stores them.
 */
export interface JournalErasureOptions {
  readonly dataDir: string;
  readonly userIds: readonly string[];
  readonly store: EvidenceStore | undefined;
  readonly forward?: Config["forward"];
}

/**
 * Erases in the journal of a data directory; undefined without one.
 * @throws CodedError journal_locked while a collector uses it
 */
export async function eraseJournal(
  options: JournalErasureOptions,
): Promise<JournalErasure | undefined> {
  const directory = join(options.dataDir, "journal");
  if (!existsSync(directory)) return undefined;
  const users = new Set(options.userIds);
  const journal = await openCommandJournal(directory);
  try {
    let pending = 0;
    for await (const { payload } of journal.read()) pending += rowsOf(payload, users);
    const { store } = options;
    if (store !== undefined) await drainAll(journal, store, options);
    const keep = (record: QuarantineRecord): KeptRows | undefined => keptOf(record, users);
    const set = await eraseQuarantine(journal, keep, store === undefined);
    const damaged = journal.stats().corruptRanges;
    return {
      found: pending + set.found,
      // Pending rows are in the store by now, and are deleted there.
      deleted: store === undefined ? 0 : pending + set.deleted,
      remaining: store === undefined ? pending + set.found : set.found - set.deleted,
      unreadable: set.unreadable + damaged,
    };
  } finally {
    await journal.close();
  }
}

async function drainAll(
  journal: Journal,
  store: EvidenceStore,
  { dataDir, forward }: Pick<JournalErasureOptions, "dataDir" | "forward">,
): Promise<void> {
  const queue =
    forward &&
    (await openForwardQueue({
      directory: forwardFolder(dataDir),
      bytesMax: forward.bytesMax,
      log: silentLog,
    }));
  const drain = startDrain({
    journal,
    store,
    decode: (payload) => ({ events: decodeFrame(payload) }),
    onStored: async (batch) => queue?.stored(batch),
  });
  try {
    await drain.idle();
  } finally {
    await drain.close();
    await queue?.close();
  }
  // Drained segments are deleted from the disk once a later one is begun and checkpointed.
  const { sequence } = await journal.append({ payload: encodeFrame([]), spans: 0 });
  await journal.checkpoint(sequence);
}

/** Number of the users' events in a frame; 0 for an unreadable one. */
function rowsOf(payload: Uint8Array, users: ReadonlySet<string>): number {
  try {
    return ownersOf(payload).filter((user) => typeof user === "string" && users.has(user)).length;
  } catch {
    return 0;
  }
}

function ownersOf(payload: Uint8Array): readonly (string | null | undefined)[] {
  return resolveEvents(decodeFrame(payload)).map(({ user_id: user }) => user);
}

function keptOf(
  { payload, rows }: QuarantineRecord,
  users: ReadonlySet<string>,
): KeptRows | undefined {
  try {
    const events = decodeFrame(payload);
    const owners = ownersOf(payload);
    const isUsers = (at: number): boolean => users.has(owners[at] ?? "");
    // The payload is the complete frame: its stored rows must not remain here either.
    if (!owners.some((_owner, at) => isUsers(at))) return { payload, kept: 0, gone: 0 };
    const set = rows ?? [...events.keys()];
    const staying = set.filter((at) => !isUsers(at));
    const kept = staying.flatMap((at) => events[at] ?? []);
    return {
      payload: kept.length === 0 ? undefined : encodeFrame(kept),
      kept: kept.length,
      gone: set.length - staying.length,
    };
  } catch {
    return undefined;
  }
}
