/** @module VerdictTable: what the background judge found, and which roots it should look at. */
import { createHash } from "node:crypto";

import type { TurnVerdict } from "../evidence-store.ts";
import { latestVerdicts } from "../latest-verdicts.ts";
import { inScope } from "../scope.ts";
import type { EvidenceScope } from "../scope.ts";
import { scopeConditions } from "../search-condition.ts";
import { microseconds } from "../stored-event.ts";
import { clampedNanos, epochMicros } from "../time.ts";
import type { Session } from "./database.ts";
import { conditionSql } from "./evidence-filter.ts";
import { bindings } from "./sql-text.ts";
import { fromStored, fromStoredJson, toStoredJson } from "./stored-text.ts";

/** Writes verdicts; of two for one turn the later judged stands. */
export async function putVerdicts(
  session: Session,
  verdicts: readonly TurnVerdict[],
): Promise<void> {
  const latest = latestVerdicts(verdicts);
  if (latest.size === 0) return;
  const rows = [...latest].map(([key, verdict]) => ({
    turn_key: createHash("sha256").update(key).digest("hex"),
    root_trace_id: verdict.root_trace_id,
    application_id: verdict.application_id ?? null,
    tenant_said: verdict.user_id !== undefined,
    user_id: verdict.user_id ?? null,
    judged_ns: String(nanosOf(verdict)),
    verdict,
  }));
  const bind = bindings();
  await session.query(
    `INSERT INTO evidence_verdicts AS held
    (turn_key, root_trace_id, application_id, tenant_said, user_id, judged_ns, verdict)
SELECT * FROM jsonb_to_recordset(${bind.plain(toStoredJson(rows))}::jsonb) AS r(
    turn_key text, root_trace_id text, application_id text, tenant_said boolean, user_id text,
    judged_ns bigint, verdict jsonb)
ON CONFLICT (turn_key) DO UPDATE SET application_id = excluded.application_id,
    judged_ns = excluded.judged_ns, verdict = excluded.verdict
WHERE held.judged_ns <= excluded.judged_ns`,
    bind.parameters,
  );
}

/** Verdicts of these roots in scope. */
export async function readVerdicts(
  session: Session,
  scope: EvidenceScope,
  rootTraceIds: readonly string[],
): Promise<readonly TurnVerdict[]> {
  if (rootTraceIds.length === 0) return [];
  const bind = bindings();
  const known = rootTraceIds.filter((root) => root.isWellFormed());
  const where = [
    `root_trace_id = ANY(${bind.texts(known)})`,
    ...scopeConditions(scope).map((condition) => conditionSql(condition, bind)),
  ];
  const { rows } = await session.query(
    `SELECT verdict::text AS verdict FROM evidence_verdicts WHERE ${where.join(" AND ")}`,
    bind.parameters,
  );
  const held = rows.map((row) => fromStoredJson(row["verdict"] as string) as TurnVerdict);
  return [...latestVerdicts(held.filter((verdict) => inScope(verdict, scope))).values()];
}

/** Roots whose latest row was received in the half-open span, the longest quiet first. */
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

function nanosOf(verdict: TurnVerdict): bigint {
  return clampedNanos(verdict.judged_at);
}
