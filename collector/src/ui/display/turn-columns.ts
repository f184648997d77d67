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

/** The same model with its long lists as columns. */
export function turnColumns<
  M extends { readonly waterfall: CausalWaterfall; readonly events: readonly TurnEvent[] },
>(model: M): TurnColumns<M> {
  const { groups } = model.waterfall;
  return {
    ...model,
    waterfall: {
      ...model.waterfall,
      groups: groups.map(({ nodes, ...group }) => ({ ...group, node_count: nodes.length })),
      nodes: toColumns(groups.flatMap(({ nodes }) => nodes)),
    },
    events: toColumns(model.events),
  };
}

/** The waterfall from its columns. */
export function waterfallOf({ groups, nodes, ...rest }: WaterfallColumns): CausalWaterfall {
  const all = fromColumns<WaterfallNode>(nodes);
  let from = 0;
  return {
    ...rest,
    groups: groups.map(({ node_count: count, ...group }) => {
      from += count;
      return { ...group, nodes: all.slice(from - count, from) };
    }),
  };
}
