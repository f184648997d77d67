/**
 * Golden views: waterfall, health, insights, supply and comparison of windows that were written
 * from the requirements and the design alone (test/golden/views).
 */
import { readdirSync, readFileSync } from "node:fs";

import {
  buildCausalWaterfall,
  buildTraceHealth,
  compareTraceWindows,
  findInsights,
  normalizeEvents,
  readSupply,
} from "@turnproof/evidence";
import type { WindowMetadata } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { applyChanges } from "./verdict-cases.ts";
import type { Change, Json } from "./verdict-cases.ts";

interface ViewCase {
  readonly caption: string;
  readonly change: readonly Change[];
  readonly scope?: "window";
  readonly baseline_change?: readonly Change[];
  readonly candidate_metadata?: WindowMetadata;
  readonly expect: Json;
}

interface ViewFile {
  readonly name: string;
  readonly caption: string;
  readonly view: "waterfall" | "health" | "insights" | "supply" | "compare";
  readonly normalization_metadata?: WindowMetadata;
  readonly events: readonly Json[];
  readonly cases: readonly ViewCase[];
}

const folder = new URL("../../golden/views/", import.meta.url);
const files = readdirSync(folder).map(
  (name) =>
    ({
      ...(JSON.parse(readFileSync(new URL(name, folder), "utf8")) as object),
      name,
    }) as ViewFile,
);

type Look = (events: readonly Json[], one: ViewCase, file: ViewFile) => unknown;

const by = <T, V>(list: readonly T[], name: (item: T) => unknown, value: (item: T) => V): Json =>
  Object.fromEntries(list.map((item) => [String(name(item)), value(item)]));

const waterfall: Look = (events) => {
  const { groups, counts } = buildCausalWaterfall(events);
  const nodes = groups.flatMap((group) => group.nodes);
  return {
    ...counts,
    groups: groups.length,
    order: nodes.map((node) => node.event_id),
    depths: nodes.map((node) => node.depth),
    timings: by(
      nodes,
      (node) => node.event_id,
      (node) => node.timing,
    ),
    durations: by(
      nodes,
      (node) => node.event_id,
      (node) => node.duration_ms,
    ),
  };
};

const health: Look = (events) => {
  const read = normalizeEvents(events);
  return buildTraceHealth(read.events, {
    errors: read.errors,
    duplicatesRemoved: read.duplicates_removed,
    // The cases are whole windows: what has no parent in them has none.
    normalizationMetadata: { window_complete: true, truncated: false },
  });
};

const insights: Look = (events, { scope }) =>
  findInsights(events, { scope: scope ?? "turn" }).insights.map(({ code, priority }) => [
    code,
    priority,
  ]);

const supply: Look = (events) => {
  const { sources, ...stages } = readSupply(normalizeEvents(events).events);
  return {
    ...stages,
    sources: by(
      sources,
      ({ source }) => source,
      ({ reference_state, supplied }) => [reference_state, supplied.value],
    ),
  };
};

const compare: Look = (events, one, file) => {
  const whole = { events: file.events, metadata: null, taskId: null };
  const metadata = file.normalization_metadata ?? null;
  const result = compareTraceWindows(
    applyChanges(whole, one.baseline_change ?? []).events,
    events,
    { baselineMetadata: metadata, candidateMetadata: one.candidate_metadata ?? metadata },
  );
  const { added, removed, changed } = result.counts;
  const change = { name: (item: { name: string | null }) => item.name };
  return {
    counts: { added, removed, changed },
    not_found: result.not_found,
    verdicts: result.verdicts,
    codes: by(
      result.diagnostics,
      ({ code }) => code,
      ({ presence }) => presence,
    ),
    changed: by(
      result.operations.filter((row) => row.change === "changed"),
      (row) => row.candidate_event_id,
      (row) => [...row.changed_fields].toSorted(),
    ),
    beyond: by(
      result.operations,
      (row) => row.candidate_event_id,
      (row) => row.duration_ms.beyond_tolerance,
    ),
    sources: by(
      result.sources,
      ({ ref }) => ref,
      (source) => source.change,
    ),
    artifacts: by(result.artifacts, change.name, (item) => item.change),
    contracts: by(result.contracts, change.name, (item) => item.change),
    deliveries: by(result.deliveries, change.name, (item) => item.change),
  };
};

const looks: { readonly [view in ViewFile["view"]]: Look } = {
  waterfall,
  health,
  insights,
  supply,
  compare,
};

describe.each(files)("$name: $caption", (file) => {
  test.each(file.cases)("$caption", (one) => {
    const window = { events: file.events, metadata: null, taskId: null };
    const { events } = applyChanges(window, one.change);
    const seen = looks[file.view](events, one, file);
    if (Array.isArray(one.expect)) expect(seen).toEqual(one.expect);
    else expect(seen).toMatchObject(one.expect);
  });
});
