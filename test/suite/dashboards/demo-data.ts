/** @module DemoData: an engine with a turn for every panel, one of odd names and one of none. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createClient } from "@clickhouse/client";
import type { ClickHouseClient, ClickHouseClientConfigOptions } from "@clickhouse/client";
import { createChdbConnection } from "chdb/connection";
import type { TurnEvent } from "@turnproof/evidence";
import { clickhouse } from "@turnproof/store";

import { smallSettings } from "../../../packages/store/src/clickhouse/engine-client.ts";
import { judgeTurns, recordEvents, turnEvents } from "../collector/desk.ts";
import { bareDay, bareTurn } from "./bare-turn.ts";
import { day } from "./grafana-macros.ts";
import { oddDay, oddTurn } from "./odd-names.ts";

export const finding_codes = ["delivery_unconfirmed"];
/** One that only insights have, and one that a finding may have too. */
export const insight_codes = ["repeated_fallback", "ownership_unverified"];

/** A client of an engine that holds the demo data. */
export async function demoClient(): Promise<ClickHouseClient> {
  const dataDir = mkdtempSync(join(tmpdir(), "turnproof-dashboards-"));
  const store = await clickhouse({ connection: { dataDir } });
  const receivedAt = `${day}T10:00:00.000000Z`;
  await store.append({ batchId: "demo", receivedAt, events: demo() });
  // A retry of the same export lies in the table twice and is counted once.
  await store.append({ batchId: "again", receivedAt, events: demo() });
  await recordEvents(store, demo());
  await judgeTurns(store, ["root-demo"], { verdict: "partial", finding_codes, insight_codes });
  for (const [name, on, events] of [
    ["odd", oddDay, oddTurn(demo())],
    ["bare", bareDay, bareTurn(demo())],
  ] as const) {
    await store.append({ batchId: name, receivedAt: `${on}T10:00:00.000000Z`, events });
    await recordEvents(store, events);
    await judgeTurns(store, [`root-${name}`], { verdict: "partial", finding_codes, insight_codes });
  }
  await store.close();
  type Injected = NonNullable<ClickHouseClientConfigOptions["connection"]>;
  const connection = createChdbConnection({ path: join(dataDir, "clickhouse") });
  const opened = createClient({ connection: connection as unknown as Injected });
  await opened.command({ query: `SET ${smallSettings}` });
  for (const view of views)
    await opened.command({
      query: `CREATE TABLE copied_${view} ENGINE = Memory AS SELECT * FROM ${view}`,
    });
  await opened.command({
    query: `CREATE TABLE single_events ENGINE = Memory AS SELECT * FROM copied_events
LIMIT 1 BY ingest_principal, root_trace_id, full_event_id`,
  });
  return opened;
}

const views = ["events", "turns"];

/** The statement over copies of the views: to plan a view costs more than to read its rows. */
export const overCopies = (sql: string): string =>
  sql.replaceAll(new RegExp(`\\b(FROM|JOIN) (${views.join("|")})\\b`, "g"), "$1 copied_$2 AS $2");

/** A statement over copies, read as if no event had been sent again. */
export const overSingles = (sql: string): string =>
  sql.replaceAll("copied_events AS events", "single_events AS events");

/** One turn with something for every panel. */
export function demo(): TurnEvent[] {
  const [turn, model, tool] = turnEvents({ root: "root-demo", user: "alice" });
  if (turn === undefined || model === undefined || tool === undefined) throw new Error("no turn");
  let count = 0;
  const point = (
    event_kind: TurnEvent["event_kind"],
    attributes: TurnEvent["attributes"],
    more: Partial<TurnEvent> = {},
  ): TurnEvent => {
    count += 1;
    const event_id = `root-demo-${event_kind}-${count}`;
    return {
      ...turn,
      event_id,
      span_id: event_id,
      event_kind,
      phase: "event",
      attributes,
      ...more,
    };
  };
  return [
    {
      ...turn,
      duration_ms: 900,
      dropped: { attribute_unknown: 3 },
      attributes: { service_version: "1.4.0", deployment_environment: "production" },
    },
    {
      ...model,
      duration_ms: 700,
      attributes: {
        model: "small-1",
        input_tokens: 12,
        output_tokens: 3,
        ttft_ms: 80,
        finish_reason: ["stop"],
      },
    },
    {
      ...tool,
      duration_ms: 40,
      attributes: { tool_name: "search", tool_outcome: "fallback", fallback_provider: "second" },
    },
    point("outcome", { outcome: "success", verified: true }),
    point("feedback", { rating: 1 }),
    point("memory_retrieval", { retrieved_count: 8, memory_degraded: true }),
    point("memory_supply", { supplied_count: 4, history_count: 3, profile_count: 1 }),
    point("memory_reference", { referenced_count: 1 }),
    point("memory_operation", {
      memory_operation: "search",
      scope_applied: "user",
      foreign_rows: 0,
    }),
    point("cache_decision", { cache_decision: "hit", cache_similarity: 0.9 }),
    point("cache_decision", { cache_decision: "bypassed", cache_bypass_reason: "tools" }),
    point(
      "data_quality",
      {
        quality_code: "queue_full",
        loss_created: 10,
        loss_exported: 8,
        loss_dropped: 2,
        loss_reasons: ["queue_full"],
        loss_reason_counts: [2],
      },
      { producer_id: "producer-1" },
    ),
  ];
}
