/** @module QuietRoots: roots without new rows for a while, for the judge. */
import { epochMicros } from "@turnproof/semconv";

import { microseconds } from "../stored-event.ts";
import type { Engine } from "./engine.ts";
import { smallSettings } from "./engine-client.ts";

/** Roots whose latest row was received in the half-open interval, oldest first. */
export async function quietRoots(
  engine: Engine,
  since: string,
  quietBefore: string,
  limit: number,
): Promise<readonly string[]> {
  const [from, before] = [since, quietBefore].map((time) => epochMicros(microseconds(time)));
  const answer = await engine.query(
    `SELECT root_trace_id, max(received_at) AS last FROM bundles
WHERE received_at >= fromUnixTimestamp64Micro(${from}) AND events > 0
GROUP BY root_trace_id HAVING last < fromUnixTimestamp64Micro(${before})
ORDER BY last, root_trace_id LIMIT ${Math.max(Math.floor(limit), 0)}
SETTINGS ${smallSettings}`,
  );
  return (answer.columns.get("root_trace_id") ?? []) as string[];
}
