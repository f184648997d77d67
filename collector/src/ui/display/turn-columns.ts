/**
 * @module TurnColumns: the long lists of a turn as columns: the rows of its waterfall, across
 * turns, and its events. The server writes them, the browser reads them.
 */
import type {
  CausalWaterfall,
  TurnEvent,
  WaterfallGroup,
  WaterfallNode,
} from "@turnproof/evidence";

import { fromColumns, toColumns } from "./columns.ts";
import type { Columns } from "./columns.ts";
import type { Rule } from "./derived-columns.ts";

/** A waterfall with the nodes of all groups in one table, group after group. */
export type WaterfallColumns = Omit<CausalWaterfall, "groups"> & {
  readonly groups: readonly (Omit<WaterfallGroup, "nodes"> & { readonly node_count: number })[];
  readonly nodes: Columns;
};

/** A model with its waterfall and events as columns. */
export type TurnColumns<M> = Omit<M, "waterfall" | "events"> & {
  readonly waterfall: WaterfallColumns;
  readonly events: Columns;
};

/** What an event repeats of itself. */
const eventRules: { readonly [field: string]: Rule } = {
  event_id: { joined: ["span_id", "phase"] },
  started_at: { before: "timestamp", by: "duration_ms" },
};

/** What a node repeats of its event. Offsets are those of the first group. */
function nodeRules(originMs: number | null | undefined): { readonly [field: string]: Rule } {
  return {
    ...Object.fromEntries(
      ["event_id", "event_kind", "operation", "span_id", "parent_span_id", "status"].map(
        (field) => [field, { beside: field }],
      ),
    ),
    event_ids: { list: "event_id" },
    parent_index: { indexOf: "span_id", by: "parent_span_id" },
    duration_ms: { rounded: "duration_ms" },
    ...(typeof originMs !== "number"
      ? {}
      : {
          start_offset_ms: { since: "started_at", from: originMs },
          end_offset_ms: { since: "timestamp", from: originMs },
        }),
  };
}

/** The order of a waterfall with one event for each span. */
const eventWalk = { id: "span_id", parent: "parent_span_id", start: "started_at" };

/** The same model with its long lists as columns. */
export function turnColumns<
  M extends { readonly waterfall: CausalWaterfall; readonly events: readonly TurnEvent[] },
>(model: M): TurnColumns<M> {
  const { groups } = model.waterfall;
  const nodes = groups.flatMap((group) => group.nodes);
  const placeOf = new Map(model.events.map(({ event_id: id }, place) => [id, place]));
  const places = nodes.map(({ event_id: id }) => placeOf.get(id) ?? -1);
  return {
    ...model,
    waterfall: {
      ...model.waterfall,
      groups: groups.map(({ nodes, ...group }) => ({ ...group, node_count: nodes.length })),
      nodes: toColumns(nodes, {
        rules: nodeRules(groups[0]?.origin_ms),
        beside: { records: model.events, places, walk: eventWalk },
      }),
    },
    events: toColumns(model.events, {
      rules: eventRules,
      picks: { parent_span_id: "span_id" },
      times: ["timestamp"],
    }),
  };
}

/** The waterfall from its columns and those of the events. */
export function waterfallOf(
  { groups, nodes, ...rest }: WaterfallColumns,
  events: Columns,
): CausalWaterfall {
  const all = fromColumns<WaterfallNode>(nodes, events);
  let from = 0;
  return {
    ...rest,
    groups: groups.map(({ node_count: count, ...group }) => {
      from += count;
      return { ...group, nodes: all.slice(from - count, from) };
    }),
  };
}
