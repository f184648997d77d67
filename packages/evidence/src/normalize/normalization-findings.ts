/**
 * @module NormalizationFindings: problems with data, counted by code. A finding never contains a
 * value: it has its code, its store and the ids of records or events (evidence: Normalize).
 */
import { limits } from "@turnproof/semconv";

import type { NormalizationError, SourceStore } from "../event/event.ts";
import { isUntrusted } from "./untrusted.ts";

/** The closed list (evidence: Normalize); any of them makes a window untrusted. */
export type NormalizationCode =
  | "invalid_source_row"
  | "invalid_bundle"
  | "empty_bundle"
  | "bundle_count_mismatch"
  | "invalid_event"
  | "child_identity_mismatch"
  | "invalid_event_id"
  | "unsupported_schema"
  | "invalid_task_id"
  | "invalid_source_ids"
  | "invalid_metadata"
  | "provider_query_failed";

/** Collects findings while records are read. */
export interface Findings {
  /** Sets the value being read: whether its producer is trusted is kept with its findings. */
  about(value: unknown): void;
  /** Counts one finding; `id` is shown only if it is a usable identifier. */
  report(code: NormalizationCode, store: SourceStore, id?: unknown): void;
  /** The findings in the order of first occurrence. */
  list(): NormalizationError[];
}

interface Row {
  readonly code: NormalizationCode;
  count: number;
  readonly store: SourceStore;
  readonly untrusted: boolean;
  readonly ids: Set<string>;
}

/** An empty collection. */
export function createFindings(): Findings {
  const rows = new Map<string, Row>();
  let untrusted = false;
  return {
    about: (value) => (untrusted = isUntrusted(value)),
    report(code, store, id) {
      const key = `${code} ${store} ${untrusted}`;
      let row = rows.get(key);
      if (row === undefined) {
        row = { code, count: 0, store, untrusted, ids: new Set() };
        rows.set(key, row);
      }
      row.count += 1;
      if (isUsableId(id) && row.ids.size < limits.findingEvidenceMax) row.ids.add(id);
    },
    list: () =>
      [...rows.values()].map((row) => ({
        code: row.code,
        count: row.count,
        source_store: row.store,
        ...(row.ids.size === 0 ? {} : { evidence_ids: [...row.ids] }),
        ...(row.untrusted ? { ingest_trusted: false as const } : {}),
      })),
  };
}

/**
 * True for a usable identifier: not empty, short, well-formed, without control characters, line
 * ends or surrounding space. A loop, because every event has a dozen of them.
 */
export function isUsableId(value: unknown): value is string {
  if (typeof value !== "string") return false;
  const last = value.length - 1;
  if (last < 0 || last >= limits.stringCharsMax) return false;
  let surrogates = false;
  for (let i = 0; i <= last; i += 1) {
    const unit = value.charCodeAt(i);
    if (unit < 0x20 || (unit >= 0x7f && unit <= 0x9f) || unit === 0x2028 || unit === 0x2029) {
      return false;
    }
    if (unit >= 0xd800 && unit <= 0xdfff) surrogates = true;
  }
  if (value.charCodeAt(0) === 0x20 || value.charCodeAt(last) === 0x20) return false;
  return !surrogates || value.isWellFormed();
}

/** One entry per code and store, with summed counts and the first evidence ids. */
export function sumErrors(errors: readonly NormalizationError[]): NormalizationError[] {
  const sums = new Map<string, NormalizationError>();
  for (const error of errors) {
    const key = `${error.code} ${error.source_store ?? ""} ${isUntrusted(error)}`;
    const sum = sums.get(key);
    const ids = new Set([...(sum?.evidence_ids ?? []), ...(error.evidence_ids ?? [])]);
    sums.set(key, {
      ...error,
      count: (sum?.count ?? 0) + error.count,
      ...(ids.size === 0 ? {} : { evidence_ids: [...ids].slice(0, limits.findingEvidenceMax) }),
    });
  }
  return [...sums.values()];
}
