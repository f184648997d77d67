/**
 * @module CompareFields: which facts of one operation changed between two windows: labels, states
 * and counts, never content (requirements: Endpoints).
 */
import type { EventKind } from "@turnproof/semconv";

import type { EventResource, TurnEvent } from "../event/event.ts";

/** Labels and states that every operation may have. */
const commonFields = ["tool_outcome", "outcome", "tool_name", "provider", "model"] as const;

const cacheFields = ["cache_decision", "cache_bypass_reason"] as const;

const bindingFields = [
  "client_page_type",
  "canonical_page_type",
  "thread_binding_status",
  "grounding_status",
  "grounding_source",
  "grounding_excerpt_count",
] as const;

const supplyFields = [
  "retrieved_count",
  "supplied_count",
  "referenced_count",
  "history_count",
  "profile_count",
  "preference_count",
  "cross_thread_count",
  "summary_count",
  "writing_sample_count",
  "memory_degraded",
  "memory_fallback_used",
] as const;

/** Token counts, which are changes only beyond the tolerance. */
const usageFields = [
  "total_tokens",
  "input_tokens",
  "output_tokens",
  "cached_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
] as const;

/** A compared fact of an operation. */
export type ComparedField =
  | "status"
  | "finish_reason"
  | "ownership"
  | "provenance"
  | (typeof commonFields)[number]
  | (typeof cacheFields)[number]
  | (typeof bindingFields)[number]
  | (typeof supplyFields)[number]
  | (typeof usageFields)[number];

type AttributeField = Exclude<
  ComparedField,
  "status" | "finish_reason" | "ownership" | "provenance"
>;

/** The value of a changed field on either side; null where absent. */
export interface FieldChange {
  readonly field: ComparedField;
  readonly baseline: string | null;
  readonly candidate: string | null;
}

const none: readonly AttributeField[] = [];

/** Compared fields of one kind beside the common ones. */
const fieldsOfKind: { readonly [K in EventKind]?: readonly AttributeField[] } = {
  cache_decision: cacheFields,
  context_binding: bindingFields,
  memory_retrieval: supplyFields,
  memory_selection: supplyFields,
  memory_supply: supplyFields,
  memory_reference: supplyFields,
};

const unchanged: readonly FieldChange[] = [];

/**
 * The facts that differ.
 *
 * @param usageRatio share of the baseline's token count below which a difference is no change
 */
export function fieldChanges(
  before: TurnEvent,
  after: TurnEvent,
  usageRatio: number,
): readonly FieldChange[] {
  let changes: FieldChange[] | undefined;
  const note = (field: ComparedField, left: string | null, right: string | null): void => {
    if (left !== right) (changes ??= []).push({ field, baseline: left, candidate: right });
  };
  const { attributes: left } = before;
  const { attributes: right } = after;
  const compare = (field: AttributeField): void => {
    const [was, is] = [left[field], right[field]];
    if (was !== is) note(field, textOf(was), textOf(is));
  };
  note("status", before.status, after.status);
  commonFields.forEach(compare);
  note("finish_reason", listOf(left.finish_reason), listOf(right.finish_reason));
  (fieldsOfKind[before.event_kind] ?? none).forEach(compare);
  // Some libraries report the tokens of a turn on the turn alone.
  if (before.event_kind === "model_call" || before.event_kind === "turn") {
    // A total adds nothing to its parts.
    const parts = left.input_tokens !== undefined || right.input_tokens !== undefined;
    for (const field of usageFields) {
      if (parts && field === "total_tokens") continue;
      if (isBeyond(left[field], right[field], usageRatio)) compare(field);
    }
  }
  note("ownership", ownershipOf(before), ownershipOf(after));
  note("provenance", provenanceOf(before), provenanceOf(after));
  return changes ?? unchanged;
}

function textOf(value: string | number | boolean | undefined): string | null {
  return value === undefined ? null : String(value);
}

function listOf(values: readonly string[] | undefined): string | null {
  return values?.join(" ") ?? null;
}

/** A count that is unknown on one side is a change. */
function isBeyond(left: number | undefined, right: number | undefined, ratio: number): boolean {
  if (left === undefined || right === undefined) return left !== right;
  return Math.abs(right - left) > Math.abs(left) * ratio;
}

/**
 * Ownership states in the event, its references and its selected candidates, e.g. `2 verified, 1
 * failed`.
 */
function ownershipOf(event: TurnEvent): string | null {
  const word = (value: boolean | undefined): string | undefined =>
    value === undefined ? undefined : value ? "verified" : "failed";
  return tally(event, word(event.attributes.ownership_verified), ({ ownership_verified }) =>
    word(ownership_verified),
  );
}

/** Provenance states in the references. */
function provenanceOf(event: TurnEvent): string | null {
  return tally(event, undefined, ({ provenance_status }) => provenance_status);
}

/** Values with their counts, in alphabetical order; null when there are none. */
function tally(
  { input_refs, output_refs, selection_ledger }: TurnEvent,
  own: string | undefined,
  wordOf: (ref: EventResource) => string | undefined,
): string | null {
  const lists = [input_refs, output_refs, selection_ledger];
  if (own === undefined && lists.every((list) => list === undefined)) return null;
  const counts = new Map<string, number>();
  const add = (word: string | undefined): void => {
    if (word !== undefined) counts.set(word, (counts.get(word) ?? 0) + 1);
  };
  add(own);
  for (const ref of input_refs ?? []) add(wordOf(ref));
  for (const ref of output_refs ?? []) add(wordOf(ref));
  for (const { selected, resource } of selection_ledger ?? []) if (selected) add(wordOf(resource));
  if (counts.size === 0) return null;
  const words = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return words.map(([word, count]) => `${count} ${word}`).join(", ");
}
