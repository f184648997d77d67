/**
 * @module Retention: how long each class is kept (storage: Retention and deletion), and which rows
 * of a root are past their age. Identity is inherited inside a root, so deleting a row could change
 * the identity of another: the rows that a remaining row inherits from are kept.
 */
import { resolveEvents } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { CodedError, epochMicros, groupBy, identityFields, limits } from "@turnproof/semconv";

import type { StoredEvent } from "./stored-event.ts";

/**
 * Ages in days after which evidence is deleted (storage: Retention and deletion): outcomes ≥
 * metadata ≥ structure.
 */
export interface RetentionDays {
  /** Verified outcomes and feedback. */
  readonly outcome: number;
  /** All other evidence. */
  readonly metadata: number;
  /** Plain spans of roots without any evidence. */
  readonly structure: number;
}

/** Ages that a tenant can override. */
export type TenantDays = Partial<Pick<RetentionPolicy, "outcome" | "metadata" | "preview">>;

/** Ages of every class, and of tenants with ages of their own. */
export interface RetentionPolicy extends RetentionDays {
  /** Content that memory keeps for people to read: inputs and results of tools, comments. */
  readonly preview: number;
  /** By tenant; null is the anonymous scope. A missing key has the ages above. */
  readonly tenants?: ReadonlyMap<string | null, TenantDays>;
  /** True: conversations are previews too. Default false: an agent needs them as memory. */
  readonly conversations?: boolean;
}

/** A class with an age of its own. */
export type RetentionClass = "outcome" | "metadata" | "structure" | "preview" | "expired";

/** Bounds and callbacks of a run. A dry run (the default) counts and changes nothing. */
export interface RetentionOptions {
  readonly policy: RetentionPolicy;
  /** ISO 8601 UTC. */
  readonly now: string;
  readonly dryRun?: boolean;
  /** Rows deleted in one step; default 5,000. */
  readonly batchRows?: number;
  /** Ends the run between two steps; the next run continues. */
  readonly signal?: AbortSignal;
  /** Called with the number of units done and of all units: roots of evidence, rows of memory. */
  readonly onProgress?: (done: number, all: number) => void;
}

/** Counts of one class. */
export interface RetentionCount {
  readonly class: RetentionClass;
  /** Rows past their age that no other row depends on. */
  readonly expired: number;
  /** Rows that were deleted or, for previews, lost their content; 0 in a dry run. */
  readonly removed: number;
}

/** Result of a run. */
export interface RetentionReport {
  readonly dry_run: boolean;
  /** Units that were examined. */
  readonly examined: number;
  readonly classes: readonly RetentionCount[];
  /**
   * Rows past their age that are kept, because a younger row depends on them; null where not
   * counted.
   */
  readonly held: number | null;
  /** False when the run ended early: run it again. */
  readonly complete: boolean;
}

/** Administrative operation of a provider. */
export interface Retention {
  evidence(options: RetentionOptions): Promise<RetentionReport>;
  memory(options: RetentionOptions): Promise<RetentionReport>;
}

/** The ages (storage: Retention and deletion). */
export const defaultRetention: RetentionPolicy = {
  outcome: limits.retentionOutcomeDays,
  metadata: limits.retentionMetadataDays,
  structure: limits.retentionStructureDays,
  preview: limits.retentionPreviewDays,
};

const dayMicros = 86_400_000_000;

/**
 * The ages of a tenant; undefined means no tenant.
 * @throws CodedError parameter_invalid unless outcome ≥ metadata ≥ preview and metadata ≥
 * structure
 */
export function daysOf(
  policy: RetentionPolicy,
  tenant: string | null | undefined,
): Required<Pick<RetentionPolicy, "outcome" | "metadata" | "structure" | "preview">> {
  const own: TenantDays = tenant === undefined ? {} : (policy.tenants?.get(tenant) ?? {});
  const { outcome, metadata, preview } = { ...policy, ...own };
  const structure = tenant === undefined ? policy.structure : Math.min(policy.structure, metadata);
  const all = [outcome, metadata, structure, preview];
  const known = all.every((days) => Number.isFinite(days) && days >= 0);
  if (!known || outcome < metadata || metadata < preview || metadata < structure) {
    throw new CodedError("parameter_invalid", { field: "days" });
  }
  return { outcome, metadata, structure, preview };
}

/**
 * The shortest age of any evidence; the ages of every tenant are validated.
 * @throws CodedError parameter_invalid
 */
export function shortestDays(policy: RetentionPolicy): number {
  const tenants = [undefined, ...(policy.tenants?.keys() ?? [])];
  const all = tenants.map((tenant) => daysOf(policy, tenant));
  return Math.min(...all.flatMap(({ metadata, structure }) => [metadata, structure]));
}

/** Microseconds since the epoch of `now`, less some days. @throws CodedError parameter_invalid */
export function microsBefore(now: string, days: number): number {
  const at = epochMicros(now);
  if (!Number.isFinite(at)) throw new CodedError("parameter_invalid", { field: "now" });
  return at - days * dayMicros;
}

/** Decision on the rows of one root. */
export interface RootDecision {
  /** Positions of rows to delete, with their class. */
  readonly expired: ReadonlyMap<number, Exclude<RetentionClass, "preview" | "expired">>;
  /** Number of rows past their age that are kept. */
  readonly held: number;
}

/**
 * Decides over all rows of one root. A root's age is that of its last row, so that copies, starts
 * and results of one event are deleted together.
 */
export function decideRoot(
  rows: readonly StoredEvent[],
  policy: RetentionPolicy,
  now: string,
): RootDecision {
  const resolved = resolveEvents(rows);
  const last = rows.reduce((max, row) => Math.max(max, epochMicros(row.received_at)), 0);
  const verified = new Set(rows.filter(isVerified).map((row) => row.event_id));
  const plain = rows.every((row) => row.event_kind === "span");
  const classes = rows.map((row) => {
    if (plain) return "structure" as const;
    return verified.has(row.event_id) ? ("outcome" as const) : ("metadata" as const);
  });
  const past = (at: number): boolean => {
    const name = classes[at] ?? "metadata";
    return last < microsBefore(now, daysOf(policy, resolved[at]?.user_id)[name]);
  };
  const expired = new Set([...rows.keys()].filter(past));
  const going = releaseHeld(rows, resolved, expired);
  const decided = new Map([...going].map((at) => [at, classes[at] ?? "metadata"] as const));
  return { expired: decided, held: expired.size - going.size };
}

function isVerified({ event_kind, attributes }: StoredEvent): boolean {
  return (event_kind === "outcome" || event_kind === "feedback") && attributes.verified === true;
}

/** The expired rows without those that a remaining row depends on. */
function releaseHeld(
  rows: readonly StoredEvent[],
  resolved: readonly TurnEvent[],
  expired: ReadonlySet<number>,
): ReadonlySet<number> {
  if (expired.size === 0 || expired.size === rows.length) return expired;
  const bySpan = groupBy(rows.keys(), (at) => rows[at]?.span_id);
  const staying = new Set([...rows.keys()].filter((at) => !expired.has(at)));
  for (const at of staying) {
    // A set may grow while it is iterated: ancestors of ancestors follow.
    const parent = rows[at]?.parent_span_id;
    for (const above of (parent === undefined ? undefined : bySpan.get(parent)) ?? []) {
      staying.add(above);
    }
  }
  const order = [...staying].toSorted((a, b) => a - b);
  const left = resolveEvents(order.map((at) => rows[at] as StoredEvent));
  const same = order.every((at, index) => sameIdentity(left[index], resolved[at]));
  // Where the ancestors are not enough, the complete root is kept until all of it has expired.
  return same ? new Set([...expired].filter((at) => !staying.has(at))) : new Set();
}

function sameIdentity(a: TurnEvent | undefined, b: TurnEvent | undefined): boolean {
  return identityFields.every((field) => a?.[field] === b?.[field]);
}
