/** @module ResultRecord: a run's result as a JSON body, in the spelling of every wire. */
import type { SupplyRecord } from "@turnproof/memory";

import type { RunResult } from "./run-result.ts";

/** Any JSON value that a record holds. */
type Plain =
  | string
  | number
  | boolean
  | null
  | readonly Plain[]
  | { readonly [key: string]: Plain };

/** A result as JSON. Null is unknown. */
export interface ResultRecord {
  readonly text: string;
  readonly status: RunResult["status"];
  readonly agent_id: string;
  readonly user_id: string | null;
  readonly memory_id: string;
  readonly thread_id: string;
  readonly run_id: string;
  readonly turn_id: string;
  readonly root_trace_id: string;
  readonly usage: Plain;
  readonly iterations: number;
  readonly response: Plain;
  readonly cache: Plain;
  readonly supply: SupplyRecord | null;
  readonly tools: Plain;
  readonly persisted: Plain;
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Fields of our own plain objects under their wire names. */
function plain(value: unknown): Plain {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return (value ?? null) as Plain;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [snake(name), plain(item)]),
  );
}

/** The record of a result. */
export function resultRecord(result: RunResult): ResultRecord {
  const { traceContext } = result;
  return {
    text: result.text,
    status: result.status,
    agent_id: traceContext.identity.agentId,
    user_id: result.userId,
    memory_id: result.memoryId,
    thread_id: result.threadId,
    run_id: result.runId,
    turn_id: result.turnId,
    root_trace_id: traceContext.rootTraceId,
    usage: plain(result.usage),
    iterations: result.iterations,
    response: plain(result.response),
    cache: plain(result.cache),
    supply: result.supply,
    tools: plain(result.tools),
    persisted: plain(result.persisted),
  };
}
