/**
 * @module Provenance: the page and thread that a host records for a turn (requirements: Host
 * provenance). Only the twelve fields are read; everything else is counted and fingerprinted, never
 * copied.
 */
import { attribute, screenValue } from "@turnproof/semconv";
import type { AttributeRow, AttributeValue } from "@turnproof/semconv";
import { contentFingerprint } from "@turnproof/semconv/fingerprint";

import type { Facts } from "./observation.ts";

/** The allowlisted host context of a run. It is never passed to a model. */
export interface ObservabilityContext {
  readonly requestId?: string;
  readonly clientPageType?: string;
  readonly clientPageId?: string;
  readonly canonicalPageType?: string;
  readonly canonicalPageId?: string;
  /** Good: matched, bound, verified. */
  readonly threadBindingStatus?: string;
  readonly expectedThreadId?: string;
  readonly ownershipVerified?: boolean;
  /** Good: ready. */
  readonly groundingStatus?: string;
  readonly groundingSource?: string;
  readonly groundingSourceIds?: readonly string[];
  readonly groundingExcerptCount?: number;
}

/** Field by either spelling (snake_case on the wire) and the row that validates it. */
const fields: ReadonlyMap<string, AttributeRow> = new Map(
  (
    [
      ["requestId", "request_id", attribute.provenance_request_id],
      ["clientPageType", "client_page_type", attribute.client_page_type],
      ["clientPageId", "client_page_id", attribute.client_page_id],
      ["canonicalPageType", "canonical_page_type", attribute.canonical_page_type],
      ["canonicalPageId", "canonical_page_id", attribute.canonical_page_id],
      ["threadBindingStatus", "thread_binding_status", attribute.thread_binding_status],
      ["expectedThreadId", "expected_thread_id", attribute.expected_thread_id],
      ["ownershipVerified", "ownership_verified", attribute.ownership_verified],
      ["groundingStatus", "grounding_status", attribute.grounding_status],
      ["groundingSource", "grounding_source", attribute.grounding_source],
      ["groundingSourceIds", "grounding_source_ids", attribute.grounding_source_ids],
      ["groundingExcerptCount", "grounding_excerpt_count", attribute.grounding_excerpt_count],
    ] as const
  ).flatMap(([camel, snake, row]) => [
    [camel, row],
    [snake, row],
  ]),
);

/**
 * Sanitizes a host's context into attributes: allowlisted fields of the right shape are kept, the
 * rest is counted in `dropped_field_count` and covered by one fingerprint. Never throws on data.
 */
export function provenanceFacts(
  given: Readonly<Record<string, unknown>> | ObservabilityContext,
  fingerprint: (text: string) => string = contentFingerprint,
): Facts {
  const kept: Record<string, AttributeValue> = {};
  const dropped: [string, unknown][] = [];
  for (const [name, value] of entriesOf(given)) {
    if (value === undefined || value === null) continue;
    const row = fields.get(name);
    if (row !== undefined && screenValue(row, value) === undefined) {
      kept[row.span] = value as AttributeValue;
    } else dropped.push([name, value]);
  }
  return {
    ...kept,
    [attribute.dropped_field_count.span]: dropped.length,
    [attribute.request_context_fingerprint.span]:
      dropped.length === 0 ? undefined : fingerprint(textOf(dropped)),
  };
}

/**
 * Fields by name; a value that is no map becomes one unnamed field, an unreadable field has no
 * value.
 */
function entriesOf(given: unknown): readonly (readonly [string, unknown])[] {
  if (given === undefined || given === null) return [];
  if (typeof given !== "object" || Array.isArray(given)) return [["", given]];
  return Object.keys(given).map((name) => {
    try {
      return [name, (given as Readonly<Record<string, unknown>>)[name]] as const;
    } catch {
      return [name, ""] as const;
    }
  });
}

/** A text of what was dropped, used for the fingerprint only. */
function textOf(dropped: readonly (readonly [string, unknown])[]): string {
  const sorted = [...dropped].sort(([a], [b]) => (a < b ? -1 : 1));
  const seen = new Set<unknown>();
  try {
    return JSON.stringify(sorted, (_, value: unknown) => {
      if (typeof value === "bigint") return String(value);
      if (typeof value !== "object" || value === null) return value;
      if (seen.has(value)) return "…";
      seen.add(value);
      return value;
    });
  } catch {
    return sorted.map(([name]) => name).join("\n");
  }
}
