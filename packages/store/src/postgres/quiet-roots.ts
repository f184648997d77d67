/** @module QuietRoots: roots for the background judge. */
import { epochMicros } from "@turnproof/semconv";

import { microseconds } from "../stored-event.ts";
import type { Session } from "./database.ts";
import { bindings } from "./sql-text.ts";
import { fromStored } from "./stored-text.ts";

/** Roots whose latest row was received in the half-open interval, oldest first. */
export async function quietRoots(
  session: Session,
  since: string,
  quietBefore: string,
  limit: number,
): Promise<readonly string[]> {
  const bind = bindings();
  const [from, before] = [since, quietBefore].map(
    (time) => `${bind.plain(String(epochMicros(microseconds(time))))}::bigint`,
  );
  const { rows } = await session.query(
    `SELECT root_trace_id FROM evidence_roots WHERE last_us >= ${from} AND last_us < ${before}
ORDER BY last_us, root_trace_id LIMIT ${Math.max(Math.floor(limit), 0)}`,
    bind.parameters,
  );
  return rows.map((row) => fromStored(row["root_trace_id"] as string));
}
