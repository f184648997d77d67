/** @module VerdictCollection: what the background judge found, and which roots it should look at. */
import { createHash } from "node:crypto";

import type { Collection, Document } from "mongodb";

import type { TurnVerdict } from "../evidence-store.ts";
import { latestVerdicts } from "../latest-verdicts.ts";
import { inScope } from "../scope.ts";
import type { EvidenceScope } from "../scope.ts";
import { scopeConditions } from "../search-condition.ts";
import { microseconds } from "../stored-event.ts";
import { clampedNanos, epochMicros } from "../time.ts";
import { nanosKey } from "./nanos-key.ts";
import { conditionFilter } from "./evidence-filter.ts";
import { coded, duplicateKey, numberOf } from "./store-error.ts";

/** Writes verdicts; of two for one turn the later judged stands. */
export async function putVerdicts(
  collection: Collection<Document>,
  verdicts: readonly TurnVerdict[],
): Promise<void> {
  for (const [turn, verdict] of latestVerdicts(verdicts)) {
    const key = createHash("sha256").update(turn).digest("hex");
    const judged = nanosKey(clampedNanos(verdict.judged_at));
    const where = { $and: [{ _id: { $eq: key as never } }, { judged_key: { $lte: judged } }] };
    const fields = {
      root_trace_id: verdict.root_trace_id,
      application_id: verdict.application_id ?? null,
      tenant_said: verdict.user_id !== undefined,
      user_id: verdict.user_id ?? null,
      judged_key: judged,
      verdict: JSON.stringify(verdict),
    };
    await coded(async () => {
      try {
        await collection.updateOne(
          where,
          { $set: fields, $setOnInsert: { _id: key } },
          { upsert: true },
        );
      } catch (error) {
        // The key is there with a later judgement, which stands.
        if (numberOf(error) !== duplicateKey) throw error;
      }
    });
  }
}

/** Verdicts of these roots in scope. */
export async function readVerdicts(
  collection: Collection<Document>,
  scope: EvidenceScope,
  rootTraceIds: readonly string[],
): Promise<readonly TurnVerdict[]> {
  if (rootTraceIds.length === 0) return [];
  const scoped = scopeConditions(scope).map(conditionFilter);
  const where = { $and: [{ root_trace_id: { $in: [...rootTraceIds] } }, ...scoped] };
  const rows = await coded(() => collection.find(where).toArray());
  const held = rows.map((row) => JSON.parse(String(row["verdict"])) as TurnVerdict);
  return [...latestVerdicts(held.filter((verdict) => inScope(verdict, scope))).values()];
}

/** Roots whose latest row was received in the half-open span, the longest quiet first. */
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
