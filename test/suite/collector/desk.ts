/**
 * @module A desk for the collector's suites: a collector in the process over an ephemeral store,
 * and evidence to put into it.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { TurnEvent } from "@turnproof/evidence";
import { ephemeral, recordStored } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";
import { createCollector, parseConfig } from "turnproof";
import type { Collector, CollectorOptions } from "turnproof";

/** Nothing is logged by a collector of these suites. */
export const quiet = { info: (): void => {}, warn: (): void => {}, error: (): void => {} };

/** A collector in the process, with requests to it and evidence into its store. */
export interface Desk {
  readonly collector: Collector;
  readonly store: EvidenceStore;
  readonly dataDir: string;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  json<T = Record<string, unknown>>(path: string, headers?: Record<string, string>): Promise<T>;
  put(events: readonly TurnEvent[], receivedAt?: string): Promise<void>;
}

let batches = 0;

/** Opens a desk; `env` are variables of the collector. */
export async function openDesk(
  env: Record<string, string> = {},
  options: Pick<CollectorOptions, "hooks" | "judge" | "log" | "memory" | "now" | "store"> = {},
): Promise<Desk> {
  const dataDir = env["TURNPROOF_DATA_DIR"] ?? mkdtempSync(join(tmpdir(), "turnproof-desk-"));
  // COLLECTOR_STORE=clickhouse runs the same suites over the embedded engine.
  const backend = env["TURNPROOF_BACKEND"] ?? process.env["COLLECTOR_STORE"] ?? "ephemeral";
  const config = parseConfig({
    TURNPROOF_BACKEND: backend,
    TURNPROOF_DATA_DIR: dataDir,
    ...env,
  });
  const given = options.store ?? (backend === "ephemeral" ? ephemeral() : undefined);
  const collector = await createCollector({
    config,
    log: quiet,
    ...options,
    ...(given === undefined ? {} : { store: given }),
  });
  const store = given ?? collector.store;
  const get: Desk["get"] = async (path, headers = {}) =>
    collector.app.request(`http://localhost:4318${path}`, { headers });
  return {
    collector,
    store,
    dataDir,
    get,
    json: async <T>(path: string, headers?: Record<string, string>) => {
      const response = await get(path, headers);
      if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
      return (await response.json()) as T;
    },
    async put(events, receivedAt = "2026-11-21T10:00:00.000000Z") {
      await store.append({ batchId: `batch-${++batches}`, receivedAt, events });
      const roots = new Set(events.flatMap(({ root_trace_id: root }) => root ?? []));
      await recordStored(store, allTenants, [...roots]);
    },
  };
}

/** Writes the turns of events that a test appended to a store, as the drain does. */
export async function recordEvents(
  store: EvidenceStore,
  events: readonly TurnEvent[],
): Promise<void> {
  const roots = [...new Set(events.map(({ root_trace_id: root = "" }) => root))];
  await recordStored(store, allTenants, roots);
}

/** Settles the turns of these roots with a test's findings. */
export async function judgeTurns(
  store: EvidenceStore,
  roots: readonly string[],
  found: {
    readonly verdict: string;
    readonly finding_codes: readonly string[];
    readonly insight_codes?: readonly string[];
  },
  contracts: readonly string[] = [],
): Promise<void> {
  const any = roots.map((is) => ({ text: "root_trace_id" as const, is }));
  const { records } = await store.ledger.listTurns(
    { scope: allTenants, where: [{ any }] },
    { order: { by: "first_received" }, limit: 10_000 },
  );
  await store.ledger.putTurns(
    records.map((record) => ({
      ...record,
      version: { ...record.version, settled: true },
      names: [...record.names, ...contracts],
      row: { ...record.row, insight_codes: [], ...found },
      judged_at: record.row.received_at,
      as_of: record.row.received_at,
    })),
  );
}

/** Events of one turn of one tenant: the turn, a model call and a tool call. */
export function turnEvents(of: {
  readonly root: string;
  readonly user?: string | null;
  readonly agent?: string;
  readonly thread?: string;
  readonly application?: string;
  readonly at?: string;
}): TurnEvent[] {
  const at = of.at ?? "2026-11-21T09:59:00.000Z";
  const identity = {
    application_id: of.application ?? "desk",
    agent_id: of.agent ?? "helper",
    thread_id: of.thread ?? "thread-1",
    root_trace_id: of.root,
    run_id: `${of.root}-run`,
    turn_id: `${of.root}-turn`,
    ...(of.user === undefined ? {} : { user_id: of.user }),
  };
  const event = (
    span: string,
    kind: TurnEvent["event_kind"],
    more: Partial<TurnEvent>,
  ): TurnEvent => ({
    ...identity,
    schema_version: 3,
    event_id: `${of.root}-${span}:result`,
    event_kind: kind,
    phase: "result",
    status: "success",
    timestamp: at,
    started_at: at,
    duration_ms: 0,
    span_id: `${of.root}-${span}`,
    attributes: {},
    ...more,
  });
  const parent = `${of.root}-turn-span`;
  return [
    event("turn-span", "turn", {}),
    event("model", "model_call", {
      parent_span_id: parent,
      attributes: { model: "small-1", input_tokens: 12, output_tokens: 3 },
    }),
    event("tool", "tool_call", {
      parent_span_id: parent,
      attributes: { tool_name: "search", tool_outcome: "success" },
    }),
  ];
}
