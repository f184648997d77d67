/** The order of a waterfall follows from its events, and any other order travels as it is. */
import fc from "fast-check";
import { expect, test } from "vitest";

import { fromColumns, toColumns } from "./columns.ts";
import { walkPlaces } from "./walk-places.ts";

const walk = { id: "span_id", parent: "parent_span_id", start: "started_at" };

interface Row {
  readonly span_id: string;
  readonly parent_span_id?: string;
  readonly started_at: string;
}

const rows = fc
  .array(fc.record({ parent: fc.nat(), at: fc.nat({ max: 3 }), id: fc.nat({ max: 200 }) }), {
    maxLength: 40,
  })
  .map((drawn) =>
    drawn.map(({ parent, at, id }, index): Row => {
      // Below an earlier row, or none; itself is a cycle.
      const above = drawn[(parent % (index + 2)) - 1];
      return {
        span_id: `s${id}`,
        ...(above === undefined ? {} : { parent_span_id: `s${above.id}` }),
        started_at: `2026-11-26T02:00:0${at}Z`,
      };
    }),
  );

/** The walk by another path: recursion over the children of each id. */
function recursed(all: readonly Row[]): readonly Row[] {
  const byStart = (list: readonly Row[]): readonly Row[] =>
    list.toSorted((a, b) => a.started_at.localeCompare(b.started_at));
  const under = (row: Row): readonly Row[] => [
    row,
    ...byStart(all.filter((one) => one.parent_span_id === row.span_id)).flatMap(under),
  ];
  const ids = new Set(all.map((one) => one.span_id));
  return byStart(all.filter((one) => !ids.has(one.parent_span_id ?? ""))).flatMap(under);
}

const placesIn = (all: readonly Row[]): readonly number[] =>
  walkPlaces(walk, all.length, (field) => (place) => (all[place] as object)[field as never]);

test("the walk is parents before children, siblings by start", () => {
  fc.assert(
    fc.property(rows, (drawn) => {
      const distinct = [...new Map(drawn.map((row) => [row.span_id, row])).values()];
      expect(placesIn(distinct).map((place) => distinct[place])).toEqual(recursed(distinct));
    }),
  );
});

test("rows in the walk's order travel without places, rows in another order with them", () => {
  fc.assert(
    fc.property(rows, fc.boolean(), (drawn, inOrder) => {
      const walked = placesIn(drawn);
      const places = inOrder ? walked : walked.toReversed();
      const nodes = places.map((place) => ({ span_id: drawn[place]?.span_id, kind: "a" }));
      const events = toColumns(drawn);
      const columns = toColumns(nodes, {
        rules: { span_id: { beside: "span_id" } },
        beside: { records: drawn, places, walk },
      });
      if (inOrder) expect(columns.places).toEqual(walk);
      else if (walked.length > 1) expect(columns.places).toHaveLength(walked.length);
      const sent = JSON.parse(JSON.stringify([columns, events])) as [typeof columns, typeof events];
      expect(fromColumns(...sent)).toEqual(nodes);
    }),
  );
});
