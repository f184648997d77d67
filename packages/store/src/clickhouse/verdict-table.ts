/** @module VerdictTable: what the background judge found, the latest per turn of each tenant. */
import { createHash } from "node:crypto";

import type { TurnVerdict } from "../evidence-store.ts";
import { latestVerdicts } from "../latest-verdicts.ts";
import { inScope } from "../scope.ts";
import type { EvidenceScope } from "../scope.ts";
import { clampedNanos } from "../time.ts";
import type { Engine } from "./connection.ts";
import { NativeBlock } from "./native-writer.ts";
import { bindings } from "./sql-text.ts";
import type { Bindings } from "./sql-text.ts";

const texts = ["root_trace_id", "agent_id", "thread_id", "turn_id", "judged_at", "as_of"] as const;

/** Writes verdicts; of two for one turn the later judged stands. */
export async function putVerdicts(engine: Engine, verdicts: readonly TurnVerdict[]): Promise<void> {
  if (verdicts.length === 0) return;
  const block = new NativeBlock();
  for (const [turn, verdict] of latestVerdicts(verdicts)) {
    for (const name of texts) block.set(name, "String", verdict[name]);
    block.set("turn_key", "String", createHash("sha256").update(turn).digest("hex"));
    block.set("application_id", "String", verdict.application_id ?? "");
    const scope =
      verdict.user_id === undefined ? "" : verdict.user_id === null ? "anonymous" : "user";
    block.set("scope", "LowCardinality(String)", scope);
    block.set("user_id", "String", verdict.user_id ?? "");
    block.set("verdict", "LowCardinality(String)", verdict.verdict);
    block.set("finding_codes", "Array(LowCardinality(String))", verdict.finding_codes);
    block.set("judged_nanos", "Int64", clampedNanos(verdict.judged_at));
    block.endRow();
  }
  const encoded = block.encode();
  const token = createHash("sha256").update(encoded.bytes).digest("hex");
  await engine.insert("verdicts", encoded, token);
}

/**
 * Verdicts of these roots in scope. A root's granule holds a hundred others: only where its name is
 * found are the other columns read, which the engine does not do by itself under FINAL.
 */
export async function readVerdicts(
  engine: Engine,
  scope: EvidenceScope,
  rootTraceIds: readonly string[],
): Promise<readonly TurnVerdict[]> {
  if (rootTraceIds.length === 0) return [];
  const bind = bindings();
  const answer = await engine.query(
    `SELECT root_trace_id, application_id, agent_id, scope, user_id, thread_id, turn_id, verdict,
    finding_codes, judged_at, as_of
FROM verdicts PREWHERE root_trace_id IN ${bind.texts(rootTraceIds)}
WHERE true${tenantCondition(scope, bind)}
ORDER BY judged_nanos DESC LIMIT 1 BY root_trace_id, turn_key`,
    bind.parameters,
  );
  const verdicts = Array.from({ length: answer.rows }, (_, i) => {
    const at = (name: string): string => (answer.columns.get(name)?.[i] ?? "") as string;
    const said = at("scope");
    return {
      root_trace_id: at("root_trace_id"),
      turn_id: at("turn_id"),
      ...(at("application_id") === "" ? {} : { application_id: at("application_id") }),
      agent_id: at("agent_id"),
      thread_id: at("thread_id"),
      ...(said === "" ? {} : { user_id: said === "user" ? at("user_id") : null }),
      verdict: at("verdict"),
      finding_codes: (answer.columns.get("finding_codes")?.[i] ?? []) as string[],
      judged_at: at("judged_at"),
      as_of: at("as_of"),
    } satisfies TurnVerdict;
  });
  const own = verdicts.filter((verdict) => inScope(verdict, scope));
  return [...latestVerdicts(own).values()];
}

function tenantCondition(scope: EvidenceScope, bind: Bindings): string {
  if ("operator" in scope) return "";
  return scope.tenant === null
    ? " AND scope = 'anonymous'"
    : ` AND scope = 'user' AND user_id = ${bind.text(scope.tenant)}`;
}
