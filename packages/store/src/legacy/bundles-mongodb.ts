/**
 * @module LegacyCollection: the bundles collection of an earlier version. Never written to;
 * documents with only one user's data can be deleted.
 */
import { limits } from "@turnproof/semconv";
import type { Db } from "mongodb";

import { legacyCollection, legacyErasure, legacyRowsOf } from "./bundles.ts";
import type { LegacyBundles, LegacyRows } from "./bundles.ts";
import { coded } from "../mongodb/store-error.ts";

/** The legacy bundles of a database; undefined without any when it is opened. */
export async function legacyBundles(database: Db): Promise<LegacyBundles | undefined> {
  const records = database.collection(legacyCollection);
  if ((await coded(() => records.findOne({}))) === null) return undefined;
  let known: { readonly count: number; readonly rows: LegacyRows } | undefined;
  return {
    read: () =>
      coded(async () => {
        const count = await records.countDocuments({});
        if (known?.count !== count) {
          const found = await records.find({}).limit(limits.rootEventsMax).toArray();
          known = { count, rows: legacyRowsOf(found.map(plain)) };
        }
        return known.rows;
      }),
    erase: legacyErasure({
      async *list() {
        for await (const found of records.find({})) yield { key: found._id, record: plain(found) };
      },
      remove: (ids) =>
        coded(async () => {
          for (let at = 0; at < ids.length; at += idsPerStep) {
            await records.deleteMany({ _id: { $in: ids.slice(at, at + idsPerStep) } });
          }
          return true;
        }),
    }),
  };
}

const idsPerStep = 1_000;

/** Ids and dates as text, as in a JSON record. */
function plain(record: unknown): unknown {
  return JSON.parse(JSON.stringify(record));
}
