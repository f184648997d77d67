/**
 * @module LegacyBundles: trace bundles of earlier versions (v1 to v3) read in their original place
 * (requirements: Versioning). Only allowlisted fields become evidence; one without a user is
 * anonymous for every reader. Importing makes them native.
 */
import { normalize } from "@turnproof/evidence";
import type { NormalizationError, TurnEvent } from "@turnproof/evidence";
import { CodedError, groupBy, limits } from "@turnproof/semconv";

import { storedForm } from "../stored-event.ts";
import type { StoredEvent } from "../stored-event.ts";

/** Folder, table or collection of earlier versions' bundles. */
export const legacyCollection = "trace_bundles";

/** Rows of one root that only legacy bundles contain. */
export interface LegacyRows {
  readonly roots: ReadonlyMap<string, readonly StoredEvent[]>;
  /** What could not be read: codes and counts. */
  readonly errors: readonly NormalizationError[];
  /** True when there are more than are read at once. */
  readonly cut: boolean;
}

/** A user's rows in legacy bundles. */
export interface LegacyErased {
  /** Rows of the user. */
  readonly rows: number;
  /** Those of them in a bundle with other users' rows, or that may not be deleted. */
  readonly left: number;
}

/** A provider's access to its legacy rows. */
export interface LegacyBundles {
  /** The same object while nothing has changed. */
  read(): Promise<LegacyRows>;
  /** Deletes the bundles that contain only this user; a dry run counts. */
  readonly erase: (userId: string, dryRun: boolean) => Promise<LegacyErased>;
}

/** Legacy records with the keys by which their provider deletes them. */
export interface LegacyRecords<Key> {
  list(): AsyncIterable<{ readonly key: Key; readonly record: unknown }>;
  /** False where the records may be read and not deleted. */
  remove(keys: readonly Key[], userId: string): Promise<boolean>;
}

/** The erasure of a provider's legacy records: each is deleted or kept as a whole. */
export function legacyErasure<Key>(records: LegacyRecords<Key>): LegacyBundles["erase"] {
  return async (userId, dryRun) => {
    const own: Key[] = [];
    let [rows, left, alone] = [0, 0, 0];
    for await (const { key, record } of records.list()) {
      const read = [...legacyRowsOf([record]).roots.values()].flat();
      const named = read.filter((row) => row.user_id === userId).length;
      const unread = read.length === 0 && namesUser(record, userId);
      rows += named;
      if (named < read.length || (named === 0 && !unread)) left += named;
      else {
        own.push(key);
        alone += named;
      }
    }
    if (dryRun || own.length === 0) return { rows, left };
    return { rows, left: (await records.remove(own, userId)) ? left : left + Math.max(1, alone) };
  };
}

/** A record that cannot be read as evidence is the user's where it names the user itself. */
function namesUser(record: unknown, userId: string): boolean {
  return (record as { readonly user_id?: unknown } | null | undefined)?.user_id === userId;
}

/**
 * Rows of legacy records; one that cannot be a row is an error in the result, never an exception.
 */
export function legacyRowsOf(records: readonly unknown[]): LegacyRows {
  const { events, errors } = normalize(records, { store: "trace" });
  const rows: StoredEvent[] = [];
  const refused = { trusted: 0, untrusted: 0 };
  for (const event of events.slice(0, limits.rootEventsMax)) {
    try {
      // A row from before tenants were recorded, without one, belongs to the anonymous scope
      // (requirements: Scope hierarchy 3), typed children included.
      const rooted = { ...withRoot(event), user_id: event.user_id ?? null };
      rows.push(storedForm(rooted, rooted.received_at ?? rooted.timestamp));
    } catch (error) {
      if (!CodedError.is(error)) throw error;
      refused[event.ingest_trusted === false ? "untrusted" : "trusted"] += 1;
    }
  }
  // An unreadable record has no tenant, so nothing that identifies it is reported.
  const all: NormalizationError[] = errors.map(({ evidence_ids: _ids, ...error }) => error);
  const invalid = { code: "invalid_event", source_store: "trace" } as const;
  if (refused.trusted > 0) all.push({ ...invalid, count: refused.trusted });
  if (refused.untrusted > 0) {
    all.push({ ...invalid, count: refused.untrusted, ingest_trusted: false });
  }
  return {
    roots: groupBy(rows, (row) => row.root_trace_id ?? ""),
    errors: all,
    cut: events.length > limits.rootEventsMax,
  };
}

/** Providers store evidence by root; a legacy event without one gets a root for its own turn. */
function withRoot(event: TurnEvent): TurnEvent {
  if (event.root_trace_id !== undefined) return event;
  const own = event.turn_id ?? event.run_id ?? event.thread_id ?? event.event_id;
  return { ...event, root_trace_id: `legacy:${own}`.slice(0, limits.stringCharsMax) };
}
