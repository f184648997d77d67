/**
 * @module LegacyCollection: the bundles that an earlier version left in a collection of their own.
 * Nothing here is ever written.
 */
import { limits } from "@turnproof/semconv";
import type { Db } from "mongodb";

import { legacyCollection, legacyRowsOf } from "../legacy-bundles.ts";
import type { LegacyBundles, LegacyRows } from "../legacy-bundles.ts";
import { coded } from "./store-error.ts";

/** The legacy bundles of a database; undefined where there are none as it is opened. */
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
  };
}

/** Ids and dates as text, as a record of JSON says them. */
function plain(record: unknown): unknown {
  return JSON.parse(JSON.stringify(record));
}
