/**
 * @module MetricStates: a count and its state (requirements: Normalized event page). A metric is
 * `known` only over a complete, readable window. It is `not_measured` without a value where it was
 * not recorded, and `unknown` after a normalization failure. The legacy field of the same name
 * keeps its meaning: the number observed.
 */
import type { EventKind } from "@turnproof/semconv";

import { unfinishedStarts } from "../turns/completion.ts";
import { isVerifiedOutcome } from "./coverage.ts";
import { reportedModelCalls } from "../normalize/reported-model-calls.ts";
import type { TurnEvent } from "../event/event.ts";
import type { Metric } from "../turns/supply.ts";
import { readSupply } from "../turns/supply.ts";
import { isToolFailure, toolOutcome, toolResults } from "../turns/tool-outcomes.ts";

/** Names of the metrics, in the order in which a page shows them. */
export const metricNames = [
  "tool_calls",
  "tool_results",
  "tool_failures",
  "model_results",
  "memory_candidates",
  "memory_supplied",
  "artifacts",
  "contracts",
  "deliveries",
  "outcomes",
] as const;
export type MetricName = (typeof metricNames)[number];

/** Observed counts, with no claim about what was not observed. */
export type ObservedCounts = { readonly [name in MetricName]: number };
/** The counts with their states. */
export type MetricStates = { readonly [name in MetricName]: Metric };

/** Facts about reading that decide what a count means. */
export interface MetricWindow {
  /** True when the request or the page had a cursor, or the scan was bounded. */
  readonly partial: boolean;
  /** True when anything failed to normalize. */
  readonly failed: boolean;
}

/** A writer of these kinds records this metric whenever there is something to count. */
const runtimeKinds: readonly EventKind[] = ["turn", "model_call", "tool_call"];
const hostKinds: readonly EventKind[] = ["intent", "artifact", "contract", "delivery"];

/** Counts the metrics of a window with their states. */
export function readMetrics(
  events: readonly TurnEvent[],
  window: MetricWindow,
): { readonly observed: ObservedCounts; readonly states: MetricStates } {
  const finished = events.filter((event) => event.phase !== "start");
  const count = (kind: EventKind): number =>
    finished.reduce((total, event) => total + (event.event_kind === kind ? 1 : 0), 0);
  const results = toolResults(events);
  const toolStarts = events.filter((event) => event.event_kind === "tool_call");
  const supply = readSupply(events);
  const observed: ObservedCounts = {
    tool_calls: results.length + unfinishedStarts(toolStarts).length,
    tool_results: results.length,
    tool_failures: results.filter((event) => isToolFailure(toolOutcome(event))).length,
    model_results: count("model_call") - reportedModelCalls(finished).size,
    memory_candidates: supply.retrieved.value ?? 0,
    memory_supplied: supply.supplied.value ?? 0,
    artifacts: count("artifact"),
    contracts: count("contract"),
    deliveries: count("delivery"),
    outcomes: events.filter(isVerifiedOutcome).length,
  };
  const seen = new Set(events.map((event) => event.event_kind));
  const runtime = runtimeKinds.some((kind) => seen.has(kind));
  const host = hostKinds.some((kind) => seen.has(kind));
  const unclear = results.filter((event) => toolOutcome(event) === undefined).length;
  const state = (metric: Metric): Metric => settle(metric, window);
  const counted = (name: MetricName, measured: boolean): Metric =>
    state(measured ? { state: "known", value: observed[name] } : notMeasured);
  return {
    observed,
    states: {
      tool_calls: counted("tool_calls", runtime),
      tool_results: counted("tool_results", runtime),
      tool_failures: state(
        runtime
          ? { state: unclear > 0 ? "partial" : "known", value: observed.tool_failures }
          : notMeasured,
      ),
      model_results: counted("model_results", runtime),
      memory_candidates: state(supply.retrieved),
      memory_supplied: state(supply.supplied),
      artifacts: counted("artifacts", host),
      contracts: counted("contracts", host),
      deliveries: counted("deliveries", host),
      outcomes: counted("outcomes", host || seen.has("outcome") || seen.has("feedback")),
    },
  };
}

const notMeasured: Metric = { state: "not_measured", value: null };

function settle(metric: Metric, window: MetricWindow): Metric {
  if (window.failed) return { state: "unknown", value: null };
  return window.partial ? { state: "partial", value: metric.value } : metric;
}
