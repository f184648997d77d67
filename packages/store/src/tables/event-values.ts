/**
 * @module EventValues: the values of the table `events`, for many rows at once. An event has few of
 * the fields that have a column, so its own fields are placed in their columns; looking for every
 * column in every event costs several times as much.
 */
import type { TurnEvent } from "@turnproof/evidence";

import { eventColumns } from "./event-columns.ts";
import type { EventColumn } from "./event-columns.ts";
import type { ColumnValue } from "./table-column.ts";

/** A column by its position in the table. */
interface ColumnIndex {
  readonly at: number;
  readonly of: EventColumn["of"];
}

const byField = new Map<string, ColumnIndex[]>();
const byAttribute = new Map<string, ColumnIndex[]>();
for (const [at, { field, attribute, of }] of eventColumns.entries()) {
  const [places, name] = attribute === undefined ? [byField, field] : [byAttribute, attribute];
  places.set(name, [...(places.get(name) ?? []), { at, of }]);
}

/** The values of these events, column by column in the order of {@link eventColumns}. */
export function eventValues(events: readonly TurnEvent[]): readonly (readonly ColumnValue[])[] {
  const nulls = Array<ColumnValue>(events.length).fill(null);
  const columns: ColumnValue[][] = eventColumns.map(() => nulls);
  const place = (
    of: Fields,
    places: ReadonlyMap<string, readonly ColumnIndex[]>,
    row: number,
  ): void => {
    for (const name in of) {
      const held = of[name];
      if (held === undefined) continue;
      for (const one of places.get(name) ?? []) {
        let column = columns[one.at] as ColumnValue[];
        if (column === nulls) columns[one.at] = column = nulls.slice();
        column[row] = one.of(held);
      }
    }
  };
  for (let row = 0; row < events.length; row += 1) {
    const event = events[row] as TurnEvent;
    place(event as unknown as Fields, byField, row);
    place(event.attributes, byAttribute, row);
  }
  return columns;
}

type Fields = Readonly<Record<string, unknown>>;
