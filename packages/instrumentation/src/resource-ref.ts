/**
 * @module ResourceRef: an opaque resource and what the host knows of it, and the parallel lists in
 * which references travel on a span (design 3.3).
 */
import { attribute, CodedError, limits } from "@turnproof/semconv";
import type { AttributeValue, ProvenanceStatus } from "@turnproof/semconv";

/** `ref` is an opaque id or a keyed fingerprint: never a URL, e-mail, prompt or credential. */
export interface ResourceRef {
  readonly resourceType: string;
  readonly ref: string;
  readonly version?: string;
  /** `authoritative_current_source` marks a source that must match. */
  readonly role?: string;
  readonly ownershipVerified?: boolean;
  readonly provenanceStatus?: ProvenanceStatus;
}

/** One candidate of a memory selection, and whether and why it was taken. */
export interface Selection {
  readonly resource: ResourceRef;
  readonly candidateRank?: number;
  readonly relevanceScore?: number;
  readonly selected?: boolean;
  readonly selectionReason?: string;
}

const lists = {
  input: [
    attribute.input_types,
    attribute.input_refs,
    attribute.input_versions,
    attribute.input_roles,
    attribute.input_ownership,
    attribute.input_provenance,
  ],
  output: [
    attribute.output_types,
    attribute.output_refs,
    attribute.output_versions,
    attribute.output_roles,
    attribute.output_ownership,
    attribute.output_provenance,
  ],
} as const;

function ownership(value: boolean | undefined): string {
  return value === undefined ? "unknown" : String(value);
}

/**
 * References as parallel lists by span name; none for an empty list. An empty string in a list is
 * the unknown of that place.
 * @throws CodedError attribute_list_too_long beyond 32 references
 */
export function refAttributes(
  direction: "input" | "output",
  refs: readonly ResourceRef[] | undefined,
): Record<string, AttributeValue> {
  if (refs === undefined || refs.length === 0) return {};
  if (refs.length > limits.listEntriesMax) {
    throw new CodedError("attribute_list_too_long", { field: `${direction}_refs` });
  }
  const [types, ids, versions, roles, owned, provenance] = lists[direction];
  return {
    [types.span]: refs.map((item) => item.resourceType),
    [ids.span]: refs.map((item) => item.ref),
    [versions.span]: refs.map((item) => item.version ?? ""),
    [roles.span]: refs.map((item) => item.role ?? ""),
    [owned.span]: refs.map((item) => ownership(item.ownershipVerified)),
    [provenance.span]: refs.map((item) => item.provenanceStatus ?? ""),
  };
}

/** A ledger in pieces of at most 32 lines, each as parallel lists (design 3.3). */
export function ledgerAttributes(ledger: readonly Selection[]): Record<string, AttributeValue>[] {
  const pieces: Record<string, AttributeValue>[] = [];
  for (let at = 0; at < ledger.length; at += limits.listEntriesMax) {
    const lines = ledger.slice(at, at + limits.listEntriesMax);
    pieces.push({
      [attribute.ledger_types.span]: lines.map((line) => line.resource.resourceType),
      [attribute.ledger_refs.span]: lines.map((line) => line.resource.ref),
      ...wholeList(attribute.ledger_ranks.span, lines, (line) => line.candidateRank),
      ...wholeList(attribute.ledger_scores.span, lines, (line) => line.relevanceScore),
      ...wholeList(attribute.ledger_selected.span, lines, (line) => line.selected),
      [attribute.ledger_reasons.span]: lines.map((line) => line.selectionReason ?? ""),
    });
  }
  return pieces;
}

/** A list of numbers or flags has no unknown entry, so it is there only when every line has one. */
function wholeList<T extends number | boolean>(
  name: string,
  lines: readonly Selection[],
  pick: (line: Selection) => T | undefined,
): Record<string, AttributeValue> {
  const values = lines.map(pick);
  return values.includes(undefined) ? {} : { [name]: values as readonly T[] as AttributeValue };
}
