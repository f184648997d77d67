/** @module QuietRoots: roots for the background judge. */
import type { Collection, Document } from "mongodb";

import { epochMicros } from "@turnproof/semconv";

import { microseconds } from "../stored-event.ts";
import { coded } from "./store-error.ts";

/** Roots whose latest row was received in the half-open interval, oldest first. */
export async function quietRoots(
  bundles: Collection<Document>,
  since: string,
  quietBefore: string,
  limit: number,
): Promise<readonly string[]> {
  const from = epochMicros(microseconds(since));
  const before = epochMicros(microseconds(quietBefore));
  const rows = await coded(() =>
    bundles
      .aggregate([
        { $match: { last_us: { $gte: from } } },
        { $group: { _id: "$root_trace_id", latest: { $max: "$last_us" } } },
        { $match: { latest: { $lt: before } } },
        { $sort: { latest: 1, _id: 1 } },
        { $limit: Math.max(Math.floor(limit), 1) },
      ])
      .toArray(),
  );
  return limit < 1 ? [] : rows.map((row) => String(row["_id"]));
}
