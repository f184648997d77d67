/**
 * @module Supply: the three stages of memory (requirements: Memory supply). Retrieved was
 * considered, supplied was placed in the model's context, referenced is exact overlap found in the
 * final text. A stage that was not recorded is null, and what cannot be detected is
 * `not_measured`, never "unused".
 */
import type { MetricState } from "@turnproof/semconv";

import type { EventAttributeMap, EventResource, TurnEvent } from "../event/event.ts";

/** A count and its state. */
export interface Metric {
  readonly state: MetricState;
  readonly value: number | null;
}

/** One source of supplied context. */
export interface SupplySource {
  readonly source: SupplySourceName;
  readonly supplied: Metric;
  /** Whether a reference to it can be detected. */
  readonly reference_state: "measured" | "not_measured";
}

export type SupplySourceName =
  | "history"
  | "profile"
  | "preference"
  | "cross_thread"
  | "summary"
  | "writing_sample";

/** Memory supply of a turn (or of any events of one identity). */
export interface Supply {
  readonly retrieved: Metric;
  readonly supplied: Metric;
  readonly referenced: Metric;
  readonly sources: readonly SupplySource[];
  readonly profile_attribute_names: readonly string[];
  readonly preference_names: readonly string[];
  readonly retrieved_scores: readonly number[];
  readonly retrieved_refs: readonly EventResource[];
  readonly supplied_refs: readonly EventResource[];
  readonly referenced_refs: readonly EventResource[];
  /** True when any stage was degraded; null when none recorded it. */
  readonly degraded: boolean | null;
  readonly fallback_used: boolean | null;
  /** Codes of why it was degraded, e.g. `memory_search_bounded`; empty when not recorded. */
  readonly degraded_reasons: readonly string[];
  /** Number of supply events: one per model turn that was not answered from the cache. */
  readonly supply_events: number;
}

const sourceCounts = {
  history: "history_count",
  profile: "profile_count",
  preference: "preference_count",
  cross_thread: "cross_thread_count",
  summary: "summary_count",
  writing_sample: "writing_sample_count",
} as const satisfies { [source in SupplySourceName]: keyof EventAttributeMap };

/** Tone is not quoted: preferences and writing samples leave no exact overlap. */
const unmeasurable: ReadonlySet<string> = new Set(["preference", "writing_sample"]);

/** Reads the stages from the memory events among `events`. */
export function readSupply(events: readonly TurnEvent[]): Supply {
  const finished = events.filter((event) => event.phase !== "start");
  const of = (kind: string): TurnEvent[] => finished.filter((event) => event.event_kind === kind);
  const supply = of("memory_supply");
  const retrieval = of("memory_retrieval");
  const reference = of("memory_reference");
  const memory = [...retrieval, ...of("memory_selection"), ...supply, ...reference];
  return {
    retrieved: stage("retrieved_count", retrieval, supply),
    supplied: suppliedStage(supply),
    referenced: stage("referenced_count", reference, supply),
    sources: (Object.keys(sourceCounts) as SupplySourceName[]).map((source) => ({
      source,
      supplied: total(supply, sourceCounts[source]),
      reference_state: unmeasurable.has(source) ? "not_measured" : "measured",
    })),
    profile_attribute_names: distinct(
      supply.flatMap((e) => e.attributes.profile_attribute_names ?? []),
    ),
    preference_names: distinct(supply.flatMap((e) => e.attributes.preference_names ?? [])),
    retrieved_scores: retrieval.flatMap((event) => event.attributes.retrieved_scores ?? []),
    retrieved_refs: retrieval.flatMap((event) => event.output_refs ?? event.input_refs ?? []),
    supplied_refs: supply.flatMap((event) => event.input_refs ?? event.output_refs ?? []),
    referenced_refs: reference.flatMap((event) => event.input_refs ?? event.output_refs ?? []),
    degraded: flag(memory, "memory_degraded"),
    fallback_used: flag(memory, "memory_fallback_used"),
    degraded_reasons: distinct(
      [...memory, ...of("memory_operation")].flatMap(
        (event) => event.attributes.fallback_reason ?? [],
      ),
    ),
    supply_events: supply.length,
  };
}

/** A stage's own events decide; without them, the supply event's fields for the stage. */
function stage(
  name: "retrieved_count" | "referenced_count",
  own: readonly TurnEvent[],
  supply: readonly TurnEvent[],
): Metric {
  const stated = total(own, name);
  return stated.value === null ? total(supply, name) : stated;
}

/** Supplied items; where only sources were counted, their sum, which may lack a source. */
function suppliedStage(supply: readonly TurnEvent[]): Metric {
  let value: number | null = null;
  let complete = true;
  for (const event of supply) {
    const stated = event.attributes.supplied_count;
    const bySource = Object.values(sourceCounts).map((name) => event.attributes[name]);
    const known = bySource.filter((count) => count !== undefined);
    if (stated === undefined && known.length < bySource.length) complete = false;
    if (stated === undefined && known.length === 0) continue;
    value = (value ?? 0) + (stated ?? known.reduce((sum, count) => sum + count, 0));
  }
  return { state: value === null ? "not_measured" : complete ? "known" : "partial", value };
}

function total(events: readonly TurnEvent[], name: NumberName): Metric {
  let value: number | null = null;
  let missing = 0;
  for (const event of events) {
    const count = event.attributes[name];
    if (count === undefined) missing += 1;
    else value = (value ?? 0) + count;
  }
  return { state: value === null ? "not_measured" : missing === 0 ? "known" : "partial", value };
}

type NumberName = "retrieved_count" | "referenced_count" | (typeof sourceCounts)[SupplySourceName];

function flag(
  events: readonly TurnEvent[],
  name: "memory_degraded" | "memory_fallback_used",
): boolean | null {
  const stated = events
    .map((event) => event.attributes[name])
    .filter((value) => value !== undefined);
  return stated.length === 0 ? null : stated.includes(true);
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)].toSorted();
}
