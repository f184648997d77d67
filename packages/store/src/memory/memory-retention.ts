/**
 * @module MemoryRetention: content that memory keeps for people to read expires as a preview
 * (storage: Retention and deletion): the texts of tool calls, comments and imported bundles, and of
 * conversations where an operator sets it. The row is kept, with its time and scope. Rows past
 * their own expiry are deleted.
 */
import { epochMicros, groupBy, scopedKinds } from "@turnproof/semconv";
import type { ScopedKind } from "@turnproof/semconv";

import { unscoped } from "../memory-admin.ts";
import type { MemoryAdmin, RowChange } from "../memory-admin.ts";
import type { Json, MemoryRecord } from "../memory-store.ts";
import { daysOf, microsBefore, shortestDays } from "../retention.ts";
import type { RetentionOptions, RetentionPolicy, RetentionReport } from "../retention.ts";

const batchRowsDefault = 1_000;

/** Fields of a row's data without content; all others are removed with it. */
const wordless: ReadonlySet<string> = new Set([
  "role",
  "complete",
  "turn_id",
  "run_id",
  "root_trace_id",
  "event_id",
  "event_kind",
  "task_id",
  "tool_name",
  "tool_call_id",
  "tool_type",
  "outcome",
  "status",
  "success",
  "duration_ms",
  "started_at",
  "ended_at",
  "rating",
  "label",
  "verified",
  "comment_hash",
]);

/**
 * Runs retention over the rows of a memory. @throws CodedError record_invalid and the provider's
 */
export async function retainMemory(
  admin: MemoryAdmin,
  options: RetentionOptions,
): Promise<RetentionReport> {
  const { policy, now, dryRun = true, batchRows = batchRowsDefault, signal, onProgress } = options;
  // Validates the ages of every tenant before anything is changed.
  shortestDays(policy);
  let all = 0;
  for (const kind of scopedKinds) all += await admin.count(unscoped, kind);
  const expired = { preview: 0, expired: 0 };
  const removed = { preview: 0, expired: 0 };
  let [examined, complete] = [0, true];
  for (const kind of scopedKinds) {
    let step: Aged[] = [];
    const finish = async (): Promise<void> => {
      const taken = step;
      step = [];
      if (dryRun) return;
      for (const [tenant, own] of groupBy(taken, ({ row }) => row.user_id)) {
        for (const name of ["preview", "expired"] as const) {
          const changes = own
            .filter((aged) => aged.class === name)
            .map((aged) => changeOf(aged, now));
          if (changes.length > 0) removed[name] += await admin.rewrite({ tenant }, kind, changes);
        }
      }
    };
    for await (const row of admin.rows(unscoped, kind)) {
      if (signal?.aborted === true) {
        complete = false;
        break;
      }
      examined += 1;
      const name = classOf(row, kind, policy, now);
      if (name !== undefined) {
        expired[name] += 1;
        step.push({ row, class: name });
      }
      if (step.length >= batchRows) await finish();
      onProgress?.(Math.min(examined, all), all);
    }
    await finish();
  }
  const classes = (["preview", "expired"] as const).map((name) => ({
    class: name,
    expired: expired[name],
    removed: removed[name],
  }));
  return { dry_run: dryRun, examined, classes, held: 0, complete };
}

interface Aged {
  readonly row: MemoryRecord;
  readonly class: "preview" | "expired";
}

function classOf(
  row: MemoryRecord,
  kind: ScopedKind,
  policy: RetentionPolicy,
  now: string,
): Aged["class"] | undefined {
  const before = microsBefore(now, daysOf(policy, row.user_id).preview);
  if (row.expires_at !== undefined && epochMicros(row.expires_at) < before) return "expired";
  const isPreview =
    kind === "tool_log" ||
    kind === "feedback" ||
    kind === "trace_content" ||
    (kind === "conversation" && policy.conversations === true);
  return isPreview && epochMicros(row.updated_at) < before && hasWords(row) ? "preview" : undefined;
}

function hasWords({ text, embedding, data }: MemoryRecord): boolean {
  if (text !== undefined || embedding !== undefined) return true;
  return Object.entries(data).some(([name, value]) => !isWordless(name, value));
}

function isWordless(name: string, value: Json): boolean {
  return wordless.has(name) && (typeof value !== "object" || value === null);
}

function changeOf({ row, class: name }: Aged, now: string): RowChange {
  const { id, version } = row;
  if (name === "expired") return { id, version };
  const { text: _text, embedding: _embedding, data, ...rest } = row;
  const kept = Object.entries(data).filter(([field, value]) => isWordless(field, value));
  const record = { ...rest, data: Object.fromEntries(kept), updated_at: now, version: version + 1 };
  return { id, version, record };
}
