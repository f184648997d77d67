/**
 * @module Refs: converts resource references and a selection ledger to parallel lists of at most
 * 32 entries on a span, and back (vocabulary: Attributes; vocabulary: Event fields). An empty text
 * means unknown; a list of unknown entries only is left out.
 */
import { limits } from "./limits.ts";
import { attribute } from "./registry.ts";
import type { AttributeValue } from "./registry/row.ts";
import { provenanceStatuses } from "./states.ts";
import type { ProvenanceStatus } from "./states.ts";

/** An opaque resource and its known properties; the shape of evidence's `ResourceRef`. */
export interface RefLike {
  readonly resource_type: string;
  readonly ref: string;
  readonly version?: string;
  readonly role?: string;
  readonly ownership_verified?: boolean;
  readonly provenance_status?: ProvenanceStatus;
}

/** One line of a selection ledger; the shape of evidence's `LedgerEntry`. */
export interface LedgerLike {
  readonly resource: RefLike;
  readonly candidate_rank?: number;
  readonly relevance_score?: number;
  readonly selected?: boolean;
  readonly selection_reason?: string;
}

/** Whether a resource is an input or an output. */
export type RefDirection = "input" | "output";

/** The parallel lists of references as read; an absent or shorter list means unknown. */
export interface RefLists {
  readonly types: readonly string[] | undefined;
  readonly refs: readonly string[] | undefined;
  readonly versions: readonly string[] | undefined;
  readonly roles: readonly string[] | undefined;
  readonly ownership: readonly string[] | undefined;
  readonly provenance: readonly string[] | undefined;
}

/** The parallel lists of a ledger as read. */
export interface LedgerLists {
  readonly types: readonly string[] | undefined;
  readonly refs: readonly string[] | undefined;
  readonly ranks: readonly number[] | undefined;
  readonly scores: readonly number[] | undefined;
  readonly selected: readonly boolean[] | undefined;
  readonly reasons: readonly string[] | undefined;
}

/** Marks an unknown entry in a list of numbers. */
const unknownNumber = Number.MIN_SAFE_INTEGER;

/** Type of a resource whose type is not recorded. */
const unnamedType = "resource";

const rows = {
  input: {
    types: attribute.input_types.span,
    refs: attribute.input_refs.span,
    versions: attribute.input_versions.span,
    roles: attribute.input_roles.span,
    ownership: attribute.input_ownership.span,
    provenance: attribute.input_provenance.span,
  },
  output: {
    types: attribute.output_types.span,
    refs: attribute.output_refs.span,
    versions: attribute.output_versions.span,
    roles: attribute.output_roles.span,
    ownership: attribute.output_ownership.span,
    provenance: attribute.output_provenance.span,
  },
} as const;

/**
 * Span attributes of these references. The caller passes at most 32 and screens the result;
 * further references go to a further event.
 */
export function refsToAttributes(
  direction: RefDirection,
  refs: readonly RefLike[],
): Record<string, AttributeValue> {
  const kept = refs.slice(0, limits.listEntriesMax);
  const names = rows[direction];
  const out: Record<string, AttributeValue> = {};
  if (kept.length === 0) return out;
  out[names.types] = kept.map((item) => item.resource_type);
  out[names.refs] = kept.map((item) => item.ref);
  const texts: readonly [string, readonly string[], string][] = [
    [names.versions, kept.map((item) => item.version ?? ""), ""],
    [names.roles, kept.map((item) => item.role ?? ""), ""],
    [names.ownership, kept.map((item) => String(item.ownership_verified ?? "unknown")), "unknown"],
    [names.provenance, kept.map((item) => item.provenance_status ?? ""), ""],
  ];
  for (const [name, list, unknown] of texts) {
    if (list.some((text) => text !== unknown)) out[name] = list;
  }
  return out;
}

/** References read from parallel lists; an entry without a ref is skipped. */
export function refsFromLists(lists: RefLists): RefLike[] {
  const { refs } = lists;
  const out: RefLike[] = [];
  for (let at = 0; at < (refs?.length ?? 0); at++) {
    const ref = refs?.[at] ?? "";
    if (ref !== "") out.push(refAt(lists, at, ref));
  }
  return out;
}

function refAt(lists: RefLists, at: number, ref: string): RefLike {
  const item: { -readonly [K in keyof RefLike]: RefLike[K] } = {
    resource_type: lists.types?.[at] || unnamedType,
    ref,
  };
  const version = lists.versions?.[at];
  if (version !== undefined && version !== "") item.version = version;
  const role = lists.roles?.[at];
  if (role !== undefined && role !== "") item.role = role;
  const owned = lists.ownership?.[at];
  if (owned === "true" || owned === "false") item.ownership_verified = owned === "true";
  const provenance = lists.provenance?.[at] as ProvenanceStatus | undefined;
  if (provenance !== undefined && provenanceStatuses.includes(provenance)) {
    item.provenance_status = provenance;
  }
  return item;
}

/** Span attributes of a ledger of at most 32 lines. */
export function ledgerToAttributes(ledger: readonly LedgerLike[]): Record<string, AttributeValue> {
  const kept = ledger.slice(0, limits.listEntriesMax);
  const out: Record<string, AttributeValue> = {};
  if (kept.length === 0) return out;
  out[attribute.ledger_types.span] = kept.map((line) => line.resource.resource_type);
  out[attribute.ledger_refs.span] = kept.map((line) => line.resource.ref);
  if (kept.some((line) => line.candidate_rank !== undefined)) {
    out[attribute.ledger_ranks.span] = kept.map((line) => line.candidate_rank ?? unknownNumber);
  }
  if (kept.some((line) => line.relevance_score !== undefined)) {
    out[attribute.ledger_scores.span] = kept.map((line) => line.relevance_score ?? unknownNumber);
  }
  // A boolean cannot express unknown, so the list is written only when every line has a value.
  if (kept.every((line) => line.selected !== undefined)) {
    out[attribute.ledger_selected.span] = kept.map((line) => line.selected === true);
  }
  if (kept.some((line) => line.selection_reason !== undefined)) {
    out[attribute.ledger_reasons.span] = kept.map((line) => line.selection_reason ?? "");
  }
  return out;
}

/** A ledger read from parallel lists; a line without a ref is skipped. */
export function ledgerFromLists(lists: LedgerLists): LedgerLike[] {
  const { refs } = lists;
  const out: LedgerLike[] = [];
  for (let at = 0; at < (refs?.length ?? 0); at++) {
    const ref = refs?.[at] ?? "";
    if (ref !== "") out.push(lineAt(lists, at, ref));
  }
  return out;
}

function lineAt(lists: LedgerLists, at: number, ref: string): LedgerLike {
  const line: { -readonly [K in keyof LedgerLike]: LedgerLike[K] } = {
    resource: { resource_type: lists.types?.[at] || unnamedType, ref },
  };
  const rank = lists.ranks?.[at];
  if (rank !== undefined && rank !== unknownNumber) line.candidate_rank = rank;
  const score = lists.scores?.[at];
  if (score !== undefined && score !== unknownNumber) line.relevance_score = score;
  const selected = lists.selected?.[at];
  if (selected !== undefined) line.selected = selected;
  const reason = lists.reasons?.[at];
  if (reason !== undefined && reason !== "") line.selection_reason = reason;
  return line;
}
