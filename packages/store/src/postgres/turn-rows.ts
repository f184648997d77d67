/** @module TurnRows: a record in the table of turns; its columns have the fields' names. */
import { epochKey } from "../ledger/epoch-key.ts";
import {
  listFields,
  numberFields,
  ownLists,
  statedText,
  storedTimeNames,
  textFields,
  timeFields,
} from "../ledger/turn-fields.ts";
import type { ListField, NumberField, TextField, TimeField } from "../ledger/turn-fields.ts";
import {
  codeWeightSql,
  judgedSql,
  textOrderSql,
  verdictRankSql,
  wordsSql,
} from "../ledger/order-sql.ts";
import { isRankOrder, isTextOrder, knownProfiles, requiredStages } from "../ledger/turn-orders.ts";
import type { OrderField, RankOrder } from "../ledger/turn-orders.ts";
import { contractPrefix } from "../ledger/turn-record.ts";
import { endOf, newestWrites, versionNumber } from "../ledger/turn-writes.ts";
import type { TurnWrite } from "../ledger/turn-writes.ts";
import type { Session } from "./database.ts";
import { bindings } from "./sql-text.ts";
import { toStoredJson } from "./stored-text.ts";

const texts = Object.keys(textFields) as readonly TextField[];
const numbers = Object.keys(numberFields) as readonly NumberField[];

/** The column of a field of several values; results of contracts are worked out of the names. */
export function columnOfList(field: ListField): string {
  if (field !== "contract") return `${field}_list`;
  return `ARRAY(SELECT substr(one, ${contractPrefix.length + 1}) COLLATE "C"
  FROM unnest(name_list) AS one WHERE starts_with(one, '${contractPrefix}') AND strpos(one, '@') = 0)`;
}

/**
 * SQL of a turn's time or number; a time that follows from others has no column. The least is that
 * of the known ones.
 */
export function timeOrNumberSql(field: TimeField | NumberField): string {
  return field === "own_time" ? "LEAST(ended_at, received_at)" : field;
}

/** SQL of the value by which a list goes; null is unknown. */
export function orderValueSql(by: OrderField): string {
  if (isTextOrder(by)) return textOrderSql(by);
  if (!isRankOrder(by)) return timeOrNumberSql(by);
  return rankSql[by];
}

const ofList = (field: ListField): string => `unnest(${columnOfList(field)}) AS one`;

const rankSql: Readonly<Record<RankOrder, string>> = {
  verdict: verdictRankSql,
  findings: `CASE WHEN ${judgedSql} THEN
    coalesce((SELECT sum(${codeWeightSql("one")}) FROM ${ofList("code")}), 0) END`,
  stages_missing: `CASE WHEN cardinality(${columnOfList("coverage_profile")}) > 0 THEN ${[
    ...requiredStages.map(
      ({ kind, profiles }) =>
        `(${columnOfList("coverage_profile")} && ARRAY[${wordsSql(profiles)}]
      AND NOT ${columnOfList("event_kind")} @> ARRAY['${kind}'])::int`,
    ),
    `(SELECT count(*) FROM ${ofList("coverage_profile")} WHERE one NOT IN (${wordsSql(knownProfiles)}))`,
  ].join(" + ")} END`,
};

/** Name and type of every column. */
const turnColumns: readonly (readonly [name: string, type: string])[] = [
  ["key", "text"],
  ["version", "bigint"],
  ["gone", "boolean"],
  ["has_error", "boolean"],
  ...texts.map((name) => [name, "text"] as const),
  ...ownLists.map((name) => [columnOfList(name), "text[]"] as const),
  ...numbers.map((name) => [name, "double precision"] as const),
  ...storedTimeNames.map((name) => [name, "bigint"] as const),
  ["calls", "jsonb"],
  ["record", "text"],
];

/** Rows of one statement. */
const chunkRows = 500;

const insertSql = (json: string): string => {
  const names = turnColumns.map(([name]) => name);
  const changed = names.filter((name) => name !== "key");
  return `INSERT INTO turn_ledger AS held (${names.join(", ")})
SELECT ${names.map((name) => `r.${name}`).join(", ")} FROM jsonb_to_recordset(${json}::jsonb) AS r(
    ${turnColumns.map(([name, type]) => `${name} ${type}`).join(", ")},
    epoch int, epoch_key bigint)
LEFT JOIN root_epochs AS raised ON raised.root = r.epoch_key
WHERE raised.epoch IS NULL OR raised.epoch <= r.epoch
ON CONFLICT (key) DO UPDATE SET ${changed.map((name) => `${name} = excluded.${name}`).join(", ")}
WHERE held.version <= excluded.version`;
};

/** Writes versions that are newer than the stored ones and not based on rows deleted since. */
export async function writeTurns(session: Session, writes: readonly TurnWrite[]): Promise<void> {
  // In the order of their keys, so that two writers never deadlock.
  const rows = newestWrites(writes)
    .toSorted((a, b) => (endOf(a).key < endOf(b).key ? -1 : 1))
    .map(rowOf);
  for (let from = 0; from < rows.length; from += chunkRows) {
    const bind = bindings();
    const json = bind.plain(toStoredJson(rows.slice(from, from + chunkRows)));
    await session.query(insertSql(json), bind.parameters);
  }
}

function rowOf(write: TurnWrite): object {
  const { key, version } = endOf(write);
  const row: Record<string, unknown> = { key, version: String(versionNumber(version)) };
  if ("drop" in write) return { ...row, gone: true };
  const record = write.put;
  for (const name of texts) row[name] = textFields[name](record);
  for (const name of ownLists) row[columnOfList(name)] = listFields[name](record);
  for (const name of numbers) row[name] = numberFields[name](record);
  for (const name of storedTimeNames) row[name] = timeFields[name](record);
  const calls = record.calls.map((call) => ({
    ...call,
    name: statedText(call.name),
    provider: statedText(call.provider),
    outcome: statedText(call.outcome),
    error_type: statedText(call.error_type),
    service_tier: statedText(call.service_tier),
  }));
  row["epoch"] = record.version.epoch;
  row["epoch_key"] = epochKey(record.row.root_trace_id ?? "");
  const record_text = JSON.stringify(record);
  return { ...row, gone: false, has_error: record.row.has_error, calls, record: record_text };
}
