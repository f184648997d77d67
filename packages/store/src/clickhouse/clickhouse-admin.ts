/**
 * @module ClickhouseAdmin: retention of evidence by class (design 5.4). Weeks that are older than
 * every class go as whole parts; inside younger weeks the rows of an expired class are deleted.
 */
import { CodedError } from "@turnproof/semconv";

import type { EvidenceAdmin, RetentionStep } from "../admin.ts";
import type { RetentionDays } from "../retention.ts";
import type { ClickhouseConnection } from "./clickhouse-options.ts";
import { openEngine } from "./connection.ts";
import type { Engine } from "./connection.ts";

const dayMs = 86_400_000;

/** Tables that are divided by weeks of receipt. */
const weeklyTables = ["events", "locate", "turns", "batches"] as const;

const verified = "event_kind IN ('outcome', 'feedback') AND verified";

/** Opens the administrative side; codes are those of the provider. */
export async function clickhouseAdmin(options: {
  readonly connection: ClickhouseConnection;
}): Promise<EvidenceAdmin> {
  const engine = await openEngine(options.connection);
  const close = (): Promise<void> => engine.close();
  return {
    retentionPlan: (days, now) => plan(engine, days, now),
    applyRetention: (step, days, now) => apply(engine, step, days, now),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The end of what a class keeps, as SQL; every part of it is a number or a time of ours. */
function cut(days: number, now: string): string {
  const at = Date.parse(now) - days * dayMs;
  if (!Number.isFinite(at) || days < 0) throw new CodedError("record_invalid", { field: "days" });
  return `fromUnixTimestamp64Milli(toInt64(${Math.floor(at)}), 'UTC')`;
}

/**
 * What each class has that is past its age. Identity is inherited inside a root, so a root's metadata
 * stays until its last row is past, and turns stay while a verified outcome may rest on them.
 */
function classes(days: RetentionDays, now: string): { readonly [name: string]: string } {
  const evidence = "SELECT root_trace_id FROM events WHERE event_kind != 'span'";
  const [structure, metadata, outcome] = [days.structure, days.metadata, days.outcome].map((age) =>
    cut(age, now),
  );
  const young = `SELECT root_trace_id FROM events WHERE received_at >= ${metadata}`;
  const rests = `SELECT root_trace_id FROM events WHERE ${verified} AND received_at >= ${outcome}`;
  return {
    structure: `event_kind = 'span' AND received_at < ${structure} AND root_trace_id NOT IN (${evidence})`,
    metadata:
      `NOT ifNull(${verified}, false) AND received_at < ${metadata} ` +
      `AND root_trace_id NOT IN (${young}) ` +
      `AND NOT (event_kind = 'turn' AND root_trace_id IN (${rests}))`,
    outcome: `received_at < ${outcome}`,
  };
}

async function plan(engine: Engine, days: RetentionDays, now: string): Promise<RetentionStep[]> {
  if (days.outcome < days.metadata || days.metadata < days.structure) {
    throw new CodedError("record_invalid", { field: "days" });
  }
  const weeks = await engine.query(
    `SELECT toString(toMonday(received_at)) AS week, toUInt64(count()) AS held FROM events ` +
      `GROUP BY week HAVING toDateTime(addDays(toDate(week), 7), 'UTC') <= ${cut(days.outcome, now)} ORDER BY week`,
  );
  const steps: RetentionStep[] = Array.from({ length: weeks.rows }, (_, index) => ({
    step: "drop_week",
    subject: String(weeks.columns.get("week")?.[index]),
    rows: Number(weeks.columns.get("held")?.[index]),
  }));
  const dropped = steps.map(({ subject }) => `'${subject}'`).join(", ");
  const rest = dropped === "" ? "" : ` AND toString(toMonday(received_at)) NOT IN (${dropped})`;
  for (const [subject, where] of Object.entries(classes(days, now))) {
    const answer = await engine.query(
      `SELECT toUInt64(count()) AS held FROM events WHERE ${where}${rest}`,
    );
    const rows = Number(answer.columns.get("held")?.[0] ?? 0);
    if (rows > 0) steps.push({ step: "delete_class", subject, rows });
  }
  return steps;
}

async function apply(
  engine: Engine,
  { step, subject }: RetentionStep,
  days: RetentionDays,
  now: string,
): Promise<void> {
  if (step === "drop_week") {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(subject)) throw new CodedError("record_invalid");
    for (const table of weeklyTables) {
      await engine.command(`ALTER TABLE ${table} DROP PARTITION '${subject}'`);
    }
    return;
  }
  const where = classes(days, now)[subject];
  if (where === undefined) throw new CodedError("record_invalid", { field: "subject" });
  await engine.command(`ALTER TABLE events DELETE WHERE ${where} SETTINGS mutations_sync = 2`);
  if (subject !== "structure") await forgetTurns(engine, cut(days.metadata, now));
}

/**
 * Turns of roots of which nothing is left are not counted any more. Younger ones are left alone:
 * turns are written before their rows, so those of a batch on its way seem to have none.
 */
async function forgetTurns(engine: Engine, before: string): Promise<void> {
  const left = "SELECT murmurHash3_32(root_trace_id) FROM events WHERE event_kind != 'span'";
  const gone = `received_at < ${before} AND toUInt32(root) NOT IN (${left})`;
  await engine.command(`ALTER TABLE turns DELETE WHERE ${gone} SETTINGS mutations_sync = 2`);
}
