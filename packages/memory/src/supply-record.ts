/**
 * @module SupplyRecord: the memory supply of a turn without content: counts per source, names of
 * attributes and preferences, scores, hashed references (requirements: Memory supply).
 */
import type { ResourceRef } from "@turnproof/instrumentation";
import { attribute, limits, screenValue } from "@turnproof/semconv";

import { isMeasured } from "./references.ts";
import type { SuppliedFrom } from "./references.ts";

/** An item that was placed in the context. Its text is content and stays in the process. */
export interface SuppliedItem {
  readonly source: SuppliedFrom;
  readonly ref: ResourceRef;
  readonly text: string;
  /** Name of the attribute or preference. */
  readonly name?: string;
}

/** The three stages of one turn. */
export interface SupplyRecord {
  readonly retrieved_count: number;
  readonly retrieved_scores: readonly number[];
  readonly supplied_count: number;
  readonly history_count: number;
  readonly profile_count: number;
  readonly preference_count: number;
  readonly cross_thread_count: number;
  readonly summary_count: number;
  readonly writing_sample_count: number;
  readonly profile_attribute_names: readonly string[];
  readonly preference_names: readonly string[];
  readonly supplied_refs: readonly ResourceRef[];
  /** Null until the final text exists, and for a turn that was answered from the cache. */
  readonly referenced_count: number | null;
  readonly referenced_refs: readonly ResourceRef[];
  /** Per source, whether use can be detected. */
  readonly reference_states: { readonly [S in SuppliedFrom]: "measured" | "not_measured" };
  /** True when a better item may have been missed; the reasons are in `limits`. */
  readonly degraded: boolean;
  readonly fallback_used: boolean;
  /** True when a search reached its scan bound. */
  readonly bounded: boolean;
  /** Codes of what limited the search; empty when nothing did. */
  readonly limits: readonly string[];
}

const supplySources: readonly SuppliedFrom[] = [
  "history",
  "profile",
  "preference",
  "cross_thread",
  "summary",
  "writing_sample",
];

/** Names that are admitted as labels; any other name is content and is left out. */
function labels(items: readonly SuppliedItem[], source: SuppliedFrom): readonly string[] {
  const names = items.flatMap((item) =>
    item.source === source && item.name !== undefined ? [item.name] : [],
  );
  return [...new Set(names)]
    .filter((name) => screenValue(attribute.profile_attribute_names, [name]) === undefined)
    .toSorted()
    .slice(0, limits.listEntriesMax);
}

/** The record of items that were placed. */
export function supplyRecord(
  items: readonly SuppliedItem[],
  retrieved: {
    readonly scores: readonly number[];
    readonly count: number;
    readonly degraded: boolean;
    readonly fallbackUsed: boolean;
    readonly bounded: boolean;
    readonly limits: readonly string[];
  },
): SupplyRecord {
  const count = (source: SuppliedFrom): number =>
    items.filter((item) => item.source === source).length;
  const states = supplySources.map((source) => [
    source,
    isMeasured(source) ? "measured" : "not_measured",
  ]);
  return {
    retrieved_count: retrieved.count,
    retrieved_scores: retrieved.scores,
    supplied_count: items.length,
    history_count: count("history"),
    profile_count: count("profile"),
    preference_count: count("preference"),
    cross_thread_count: count("cross_thread"),
    summary_count: count("summary"),
    writing_sample_count: count("writing_sample"),
    profile_attribute_names: labels(items, "profile"),
    preference_names: labels(items, "preference"),
    supplied_refs: items.map((item) => item.ref),
    referenced_count: null,
    referenced_refs: [],
    reference_states: Object.fromEntries(states) as SupplyRecord["reference_states"],
    degraded: retrieved.degraded,
    fallback_used: retrieved.fallbackUsed,
    bounded: retrieved.bounded,
    limits: retrieved.limits,
  };
}
