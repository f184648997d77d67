/**
 * @module Event: the one shape of evidence, the same in memory, on a wire and in a store
 * (vocabulary: Event fields). Data records are snake_case everywhere; absent means unknown.
 */
import type {
  Dialect,
  EventAttributes,
  EventKind,
  EventPhase,
  EventStatus,
  Identity,
  IdentityField,
  ProvenanceStatus,
} from "@turnproof/semconv";

/**
 * Identity of an event, as far as recorded. `user_id`: a string, null for anonymous, absent for
 * unattributed.
 */
export type EventIdentity = Partial<Identity>;

/** An opaque resource and its known properties. */
export interface EventResource {
  readonly resource_type: string;
  readonly ref: string;
  readonly version?: string;
  readonly role?: string;
  readonly ownership_verified?: boolean;
  readonly provenance_status?: ProvenanceStatus;
}

/** One line of a selection ledger: a candidate, and whether and why it was selected. */
export interface LedgerEntry {
  readonly resource: EventResource;
  readonly candidate_rank?: number;
  readonly relevance_score?: number;
  readonly selected?: boolean;
  readonly selection_reason?: string;
}

/** Which of the three stores a row was read from. */
export type SourceStore = "trace" | "conversation" | "tool_log";

/** A link to another span of another or the same trace; ids only. */
export interface SpanLink {
  readonly trace_id: string;
  readonly span_id: string;
}

/**
 * `acknowledged: null` is the explicit "unknown" of a delivery; every other attribute has its
 * registered type or is absent.
 */
export type EventAttributeMap = Omit<EventAttributes, "acknowledged"> & {
  readonly acknowledged?: boolean | null;
};

/**
 * A normalized evidence event. Times are ISO 8601 UTC with all their original fractional digits.
 */
export interface TurnEvent extends EventIdentity {
  readonly schema_version: number;
  readonly event_id: string;
  readonly external_id?: string;
  readonly event_kind: EventKind;
  /** The span name without `turnproof.`; for foreign spans the registry's name for the kind. */
  readonly operation?: string;
  readonly phase: EventPhase;
  readonly status: EventStatus;
  /** Time of the event: the end of a result, the start of a start. */
  readonly timestamp: string;
  readonly started_at?: string;
  readonly received_at?: string;
  readonly duration_ms?: number;
  readonly span_id?: string;
  readonly parent_span_id?: string;
  /** True when the parent belongs to another process, according to the wire. */
  readonly parent_remote?: boolean;
  readonly links?: readonly SpanLink[];
  readonly caused_by_event_id?: string;
  readonly task_id?: string;
  readonly component?: string;
  /** The service that recorded it, when it differs from its turn's application. */
  readonly service_name?: string;
  readonly dialect?: Dialect;
  readonly ingest_principal?: string;
  /** Whether that principal may assert verification, acknowledgement and ownership; absent: yes. */
  readonly ingest_trusted?: boolean;
  readonly producer_id?: string;
  readonly producer_seq?: number;
  /** Identity fields that were inherited or derived instead of recorded on this event. */
  readonly identity_derived?: readonly IdentityField[];
  readonly source_store?: SourceStore;
  /** Number of different contents of this event so far; counted on read, 1 for the first. */
  readonly revision?: number;
  /**
   * True where several contents of this event have the same times, so that no order between them is
   * known; worked out on read.
   */
  readonly contested?: boolean;
  readonly input_refs?: readonly EventResource[];
  readonly output_refs?: readonly EventResource[];
  readonly selection_ledger?: readonly LedgerEntry[];
  readonly attributes: EventAttributeMap;
  /** Refused attributes by reason, never their keys or values. */
  readonly dropped?: Readonly<Record<string, number>>;
}

/** A problem with data: a code, a count, a place. Never a value. */
export interface NormalizationError {
  readonly code: string;
  readonly count: number;
  readonly source_store?: SourceStore;
  /** Record or event ids, at most 32. */
  readonly evidence_ids?: readonly string[];
  /** False: all of them belong to untrusted producers, and count for no verdict. */
  readonly ingest_trusted?: false;
}
