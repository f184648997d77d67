/** @module TurnCollection: turns in MongoDB; the reference is `memoryTurns`. */
import type { Collection, Document } from "mongodb";

import { isoOfMicros } from "@turnproof/semconv";

import { turnPositionOf } from "../ledger/turn-conditions.ts";
import type { TurnLedger } from "../ledger/turn-query.ts";
import type { TurnRecord } from "../ledger/turn-record.ts";
import { versionOfNumber } from "../ledger/turn-writes.ts";
import { raisedEpochs } from "./root-counts.ts";
import { coded } from "./store-error.ts";
import { writeTurns } from "./turn-documents.ts";
import { callsOf, facetOf, figuresOf } from "./turn-figures.ts";
import { countsByFigures } from "../ledger/figure-rows.ts";
import { groupsOf } from "./turn-groups.ts";
import { filterOf } from "./turn-filter.ts";
import { orderedDocuments } from "./turn-order-values.ts";

/** Turns of this collection, with the epochs of their roots. */
export function mongodbTurns(
  collection: Collection<Document>,
  epochs: Collection<Document>,
): TurnLedger {
  return {
    answeredIn: "store",
    async putTurns(records) {
      const roots = new Set(records.map(rootOf));
      const raised = await raisedEpochs(epochs, [...roots]);
      // The writer of the others read rows that were deleted since.
      const standing = records.filter(
        (record) => (raised.get(rootOf(record)) ?? 0) <= record.version.epoch,
      );
      await writeTurns(
        collection,
        standing.map((put) => ({ put })),
      );
    },
    dropTurns: (gone) =>
      writeTurns(
        collection,
        gone.map((drop) => ({ drop })),
      ),
    async turnsOf(roots) {
      const projection = { root_trace_id: 1, version: 1, first_received: 1 };
      const rows = await coded(() =>
        collection.find({ root_trace_id: { $in: [...roots] } }, { projection }).toArray(),
      );
      return rows.map((row) => ({
        key: String(row._id),
        root_trace_id: String(row["root_trace_id"]),
        version: versionOfNumber(BigInt(String(row["version"]))),
        first_received: isoOfMicros(Number(row["first_received"])),
      }));
    },
    async listTurns(query, { order, limit, after }) {
      query.signal?.throwIfAborted();
      const rows = await coded(() => orderedDocuments(collection, query, { order, limit, after }));
      const page = rows.slice(0, limit);
      const records = page.map(({ record }) => JSON.parse(String(record)) as TurnRecord);
      const last = records.at(-1);
      const more = rows.length > limit && last !== undefined;
      return { records, next: more ? turnPositionOf(last, order) : null };
    },
    async countTurns(query) {
      query.signal?.throwIfAborted();
      return coded(() => collection.countDocuments(filterOf(query)));
    },
    turnFacets: (query, fields, valuesMax) =>
      Promise.all(fields.map((field) => facetOf(collection, query, field, valuesMax))),
    turnCounts: (query, options) =>
      countsByFigures((of, by) => figuresOf(collection, of, by), query, options),
    turnFigures: (query, options) => figuresOf(collection, query, options),
    callFigures: (query, kind, by, options) => callsOf(collection, query, { kind, by, options }),
    turnGroups: (query, by, paging) => groupsOf(collection, query, by, paging),
  };
}

function rootOf({ row }: TurnRecord): string {
  return row.root_trace_id ?? "";
}
