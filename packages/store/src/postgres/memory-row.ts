/** @module MemoryRow: a memory record as a row of its table, and back. */
import type { ScopedKind, SharedKind } from "@turnproof/semconv";

import { timeKey } from "../memory/similarity.ts";
import type { Json, MemoryRecord, SharedRecord } from "../memory-store.ts";
import type { PostgresRow } from "./database.ts";
import type { Bindings } from "./sql-text.ts";
import { fromStored } from "./stored-text.ts";

/** Columns selected of a shared row; every value as text, the same from both drivers. */
export const sharedColumns: string =
  "row_no::text AS row_no, id, body, embedding::text AS embedding, data::text AS data, " +
  "created_at, updated_at, version::text AS version";

/** Columns selected of a scoped row. */
export const scopedColumns: string = `${sharedColumns}, user_id, agent_id, memory_id, thread_id, expires_at`;

/** Columns of a written row and the SQL of their values. */
export type Assignments = readonly (readonly [column: string, value: string])[];

type Common = Pick<SharedRecord, "id" | "text" | "embedding" | "data" | "created_at"> & {
  readonly updated_at: string;
};

/** Values of the columns common to both kinds of rows; the statement sets the version. */
export function sharedValues(record: Common, bind: Bindings): Assignments {
  const { embedding } = record;
  return [
    ["id", bind.text(record.id)],
    ["body", bind.text(record.text)],
    ["embedding", `${bind.plain(arrayText(embedding))}::double precision[]`],
    ["data", `${bind.plain(JSON.stringify(record.data))}::json`],
    ["created_at", bind.plain(record.created_at)],
    ["created_key", bind.plain(timeKey(record.created_at))],
    ["updated_at", bind.plain(record.updated_at)],
  ];
}

/** Values of a scoped row; `vectors` when the table has pgvector's column. */
export function scopedValues(record: MemoryRecord, bind: Bindings, vectors: boolean): Assignments {
  const expires = record.expires_at;
  const direction = record.embedding === undefined ? undefined : directionText(record.embedding);
  return [
    ...sharedValues(record, bind),
    ["user_id", bind.text(record.user_id)],
    ["agent_id", bind.text(record.agent_id)],
    ["memory_id", bind.text(record.memory_id)],
    ["thread_id", bind.text(record.thread_id)],
    ["expires_at", bind.plain(expires ?? null)],
    [
      "expires_ms",
      `${bind.plain(expires === undefined ? null : String(Date.parse(expires)))}::bigint`,
    ],
    ...(vectors
      ? ([["embedding_vector", `${bind.plain(direction ?? null)}::vector`]] as const)
      : []),
  ];
}

/** The record of a scoped row. */
export function scopedRecord(row: PostgresRow, kind: ScopedKind): MemoryRecord {
  const level = (name: string): string | undefined => optional(row[name]);
  const user = level("user_id");
  const agent = level("agent_id");
  const memory = level("memory_id");
  const thread = level("thread_id");
  const expires = level("expires_at");
  return {
    ...common(row),
    kind,
    user_id: user ?? null,
    ...(agent === undefined ? {} : { agent_id: agent }),
    ...(memory === undefined ? {} : { memory_id: memory }),
    ...(thread === undefined ? {} : { thread_id: thread }),
    ...(expires === undefined ? {} : { expires_at: expires }),
  };
}

/** The record of a shared row. */
export function sharedRecord(row: PostgresRow, kind: SharedKind): SharedRecord {
  return { ...common(row), kind };
}

function common(row: PostgresRow): Omit<SharedRecord, "kind"> {
  const text = optional(row["body"]);
  const embedding = embeddingOf(row["embedding"]);
  return {
    id: fromStored(row["id"] as string),
    ...(text === undefined ? {} : { text }),
    ...(embedding === undefined ? {} : { embedding }),
    data: JSON.parse(row["data"] as string) as { readonly [key: string]: Json },
    created_at: row["created_at"] as string,
    updated_at: row["updated_at"] as string,
    version: Number(row["version"]),
  };
}

/** Numbers of a column that was selected as text. */
function embeddingOf(value: unknown): number[] | undefined {
  if (typeof value !== "string") return undefined;
  return value === "{}" ? [] : value.slice(1, -1).split(",").map(Number);
}

function optional(value: unknown): string | undefined {
  return typeof value === "string" ? fromStored(value) : undefined;
}

/** A number that JSON would change, -0, is preserved. */
function arrayText(numbers: readonly number[] | undefined): string | null {
  if (numbers === undefined) return null;
  return `{${numbers.map((n) => (Object.is(n, -0) ? "-0" : String(n))).join(",")}}`;
}

/** Largest number of dimensions of pgvector's type. */
const dimensionsMax = 16_000;

/** The unit vector in pgvector's form; undefined for a zero vector. */
export function directionText(vector: readonly number[]): string | undefined {
  if (vector.length === 0 || vector.length > dimensionsMax) return undefined;
  const largest = vector.reduce((max, n) => Math.max(max, Math.abs(n)), 0);
  if (largest === 0 || !Number.isFinite(largest)) return undefined;
  const scaled = vector.map((n) => n / largest);
  const length = Math.sqrt(scaled.reduce((sum, n) => sum + n * n, 0));
  // Digits beyond a float4 are noise, and a number below its range is an error.
  return `[${scaled.map((n) => Number((n / length).toFixed(12)).toString()).join(",")}]`;
}
