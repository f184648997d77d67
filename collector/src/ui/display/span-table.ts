/**
 * @module SpanTable: the rows of a waterfall as a table: sorted by a column, a page at a time.
 * Unknown values come last in either direction.
 */
import type { WaterfallNode } from "@turnproof/evidence";

import { nodeTexts } from "./row-summary.ts";
import { waterfallRows } from "./waterfall-rows.ts";

/** Columns by which the table can be sorted. */
export const spanColumns = [
  "start",
  "name",
  "kind",
  "status",
  "duration",
  "level",
  "below",
] as const;
export type SpanColumn = (typeof spanColumns)[number];

/** A row of the table. */
export interface SpanRow {
  readonly node: WaterfallNode;
  readonly name: string;
  readonly kind: string;
  /** Milliseconds from the start of the waterfall; null is unknown. */
  readonly startMs: number | null;
  readonly level: number;
}

/** What is shown: column, direction and page, from 1. */
export interface SpanView {
  readonly by: SpanColumn;
  readonly descending: boolean;
  readonly page: number;
}

/** Rows of a page of the table. */
export const spansPerPage = 200;

/** One page, and how many there are. */
export interface SpanPage {
  readonly rows: readonly SpanRow[];
  readonly total: number;
  readonly pages: number;
  readonly page: number;
}

const valueOf: {
  readonly [C in SpanColumn]: (row: SpanRow) => string | number | null;
} = {
  start: (row) => row.startMs,
  name: (row) => row.name.toLowerCase(),
  kind: (row) => row.kind,
  status: (row) => row.node.status,
  duration: (row) => row.node.duration_ms,
  level: (row) => row.level,
  below: (row) => row.node.descendant_count,
};

/** The page of a waterfall's rows; a page after the last one is the last. */
export function spanPage(
  waterfall: Parameters<typeof waterfallRows>[0],
  { by, descending, page }: SpanView,
): SpanPage {
  const rows = waterfallRows(waterfall).rows.flatMap(({ node, startMs, level }): SpanRow[] =>
    node === undefined ? [] : [{ node, ...nodeTexts(node), startMs, level }],
  );
  const read = valueOf[by];
  const sorted = rows.toSorted((a, b) => compare(read(a), read(b), descending));
  const pages = Math.max(1, Math.ceil(sorted.length / spansPerPage));
  const own = Math.min(Math.max(page, 1), pages);
  return {
    rows: sorted.slice((own - 1) * spansPerPage, own * spansPerPage),
    total: sorted.length,
    pages,
    page: own,
  };
}

function compare(
  a: string | number | null,
  b: string | number | null,
  descending: boolean,
): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (a === b) return 0;
  return a < b === descending ? 1 : -1;
}
