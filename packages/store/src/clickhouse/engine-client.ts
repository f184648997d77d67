/**
 * @module EngineClient: queries through the official client, for either connection: answers in
 * Native, errors as our codes.
 */
import type { Readable } from "node:stream";

import type * as Clickhouse from "@clickhouse/client";
import type { ClickHouseClient } from "@clickhouse/client";

import { loadDriver } from "../driver.ts";
import type { EngineAnswer, QueryParameters, Selected } from "./engine.ts";
import { readNative } from "./native-reader.ts";
import { storeError } from "./store-error.ts";

/**
 * Settings of all our inserts: own blocks, exactly these rows, durable when acknowledged. The rows
 * of a block have distinct keys, so the engine need not replace any of them before it writes the
 * part: that costs a quarter of an insert of turns. Statistics of columns are made by merges; for
 * 400 turns they cost a seventh of the insert, and a quarter of the part's bytes.
 */
export const insertSettings =
  "async_insert = 0, insert_deduplicate = 1, optimize_on_insert = 0, materialize_statistics_on_insert = 0";

/**
 * Settings of the small statements of drain and judge. The engine compiles expressions and
 * aggregates at their fourth run: 40 ms of CPU each, which a scan of few rows never earns.
 */
export const smallSettings =
  "compile_expressions = 0, compile_aggregate_expressions = 0, compile_sort_description = 0";

/**
 * Settings of every connection. Skip indexes are evaluated before a read, once for each part,
 * instead of during it for each range of rows: a root among 10 million events takes 6 ms, not 19.
 */
export const readSettings: Readonly<Record<"use_skip_indexes_on_data_read", 0>> = {
  use_skip_indexes_on_data_read: 0,
};

/** The official client. */
export function loadClient(): Promise<typeof Clickhouse> {
  return loadDriver("@clickhouse/client", () => import("@clickhouse/client"));
}

/** Runs a query, with the answer in Native. */
export async function select(
  client: ClickHouseClient,
  sql: string,
  parameters?: QueryParameters,
  signal?: AbortSignal,
): Promise<Selected> {
  return coded(async () => {
    const { stream, summary } = await client.exec({
      query: `${sql} FORMAT Native`,
      ...(parameters === undefined || Object.keys(parameters).length === 0
        ? {}
        : { query_params: parameters }),
      ...(signal === undefined ? {} : { abort_signal: signal }),
    });
    return { bytes: await drained(stream), rowsRead: Number(summary?.read_rows ?? 0) };
  });
}

/** The columns of an answer. */
export function readAnswer({ bytes, rowsRead }: Selected): EngineAnswer {
  return { ...readNative(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)), rowsRead };
}

/** Runs a statement without an answer. */
export async function run(client: ClickHouseClient, sql: string): Promise<void> {
  await client.command({ query: sql });
}

/** All bytes of an answer. */
export async function drained(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array));
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

/** Runs work and converts its errors to codes. */
export async function coded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storeError(error);
  }
}
