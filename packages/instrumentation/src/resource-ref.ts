/**
 * @module ResourceRef: an opaque resource and its properties, as an application writes it. The
 * encoding of references on a span is in semconv's `refs.ts`.
 */
import { CodedError, ledgerToAttributes, limits, refsToAttributes } from "@turnproof/semconv";
import type { AttributeValue, LedgerLike, ProvenanceStatus, RefLike } from "@turnproof/semconv";

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

/** One candidate of a memory selection, and whether and why it was selected. */
export interface Selection {
  readonly resource: ResourceRef;
  readonly candidateRank?: number;
  readonly relevanceScore?: number;
  readonly selected?: boolean;
  readonly selectionReason?: string;
}

function wireRef(item: ResourceRef): RefLike {
  return {
    resource_type: item.resourceType,
    ref: item.ref,
    ...(item.version === undefined ? {} : { version: item.version }),
    ...(item.role === undefined ? {} : { role: item.role }),
    ...(item.ownershipVerified === undefined ? {} : { ownership_verified: item.ownershipVerified }),
    ...(item.provenanceStatus === undefined ? {} : { provenance_status: item.provenanceStatus }),
  };
}

function wireLine(line: Selection): LedgerLike {
  return {
    resource: wireRef(line.resource),
    ...(line.candidateRank === undefined ? {} : { candidate_rank: line.candidateRank }),
    ...(line.relevanceScore === undefined ? {} : { relevance_score: line.relevanceScore }),
    ...(line.selected === undefined ? {} : { selected: line.selected }),
    ...(line.selectionReason === undefined ? {} : { selection_reason: line.selectionReason }),
  };
}

/**
 * References as parallel lists by span name; none for an empty list.
 * @throws CodedError attribute_list_too_long beyond 32 references, record_invalid for anything else
 */
export function refAttributes(
  direction: "input" | "output",
  refs: readonly ResourceRef[] | undefined,
): Record<string, AttributeValue> {
  if (refs === undefined) return {};
  if (!Array.isArray(refs) || refs.some((item) => typeof item !== "object" || item === null)) {
    throw new CodedError("record_invalid", { field: `${direction}_refs` });
  }
  if (refs.length === 0) return {};
  if (refs.length > limits.listEntriesMax) {
    throw new CodedError("attribute_list_too_long", { field: `${direction}_refs` });
  }
  return refsToAttributes(direction, refs.map(wireRef));
}

/** A ledger in chunks of at most 32 lines, each as parallel lists (vocabulary: Attributes). */
export function ledgerAttributes(ledger: readonly Selection[]): Record<string, AttributeValue>[] {
  const pieces: Record<string, AttributeValue>[] = [];
  for (let at = 0; at < ledger.length; at += limits.listEntriesMax) {
    const lines = ledger.slice(at, at + limits.listEntriesMax);
    pieces.push(ledgerToAttributes(lines.map(wireLine)));
  }
  return pieces;
}
