/**
 * @module LegacyBundles: trace bundles of earlier versions (v1 to v3) that still lie where they
 * were written, read where they lie (requirements: Versioning). Only allowlisted fields become
 * evidence; one without a user is anonymous, whoever asks. Importing them makes them native.
 */
import { normalize } from "@turnproof/evidence";
import type { NormalizationError, TurnEvent } from "@turnproof/evidence";
import { CodedError, groupBy, limits } from "@turnproof/semconv";

import { storedForm } from "./stored-event.ts";
import type { StoredEvent } from "./stored-event.ts";

/** Folder, table or collection in which earlier versions kept their bundles. */
export const legacyCollection = "trace_bundles";

/** Rows of one root that only legacy bundles hold. */
export interface LegacyRows {
  readonly roots: ReadonlyMap<string, readonly StoredEvent[]>;
  /** What could not be read: codes and counts. */
  readonly errors: readonly NormalizationError[];
  /** True when there are more than are read at once. */
  readonly cut: boolean;
}

/** Where a provider finds its legacy rows. */
export interface LegacyBundles {
  /** The same object while nothing changed. */
  read(): Promise<LegacyRows>;
}

/** Rows of legacy records; what can be no row of ours is an error, never an exception. */
export function legacyRowsOf(records: readonly unknown[]): LegacyRows {
  const { events, errors } = normalize(records, { store: "trace" });
  const rows: StoredEvent[] = [];
  const refused = { trusted: 0, untrusted: 0 };
  for (const event of events.slice(0, limits.rootEventsMax)) {
    try {
      // A row that lies where tenants were not known yet and names none is nobody's but the
      // anonymous scope's (requirements: Scope hierarchy 3), typed children included.
      const rooted = { ...withRoot(event), user_id: event.user_id ?? null };
      rows.push(storedForm(rooted, rooted.received_at ?? rooted.timestamp));
    } catch (error) {
      if (!CodedError.is(error)) throw error;
      refused[event.ingest_trusted === false ? "untrusted" : "trusted"] += 1;
    }
  }
  // A record that cannot be read belongs to nobody, so nothing that names it is said.
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

/** A provider keeps evidence by root; a legacy event without one is a root of its own turn. */
function withRoot(event: TurnEvent): TurnEvent {
  if (event.root_trace_id !== undefined) return event;
  const own = event.turn_id ?? event.run_id ?? event.thread_id ?? event.event_id;
  return { ...event, root_trace_id: `legacy:${own}`.slice(0, limits.stringCharsMax) };
}
