/**
 * @module Turns for the ledger bench, the same in every run: 30 days, 20 agents, 4,600 users, four
 * releases, ten tools, six models, about five calls a turn, durations with a long tail.
 */
import type { TurnRecord } from "@turnproof/store";
import { sampleRecord } from "@turnproof/store/testing";

const firstMs = Date.UTC(2026, 4, 1);
/** 100,000 turns are 30 days. */
const millisecondsEach = (30 * 86_400_000) / 100_000;

/** A number of 0 to 1 that the seed alone decides (mulberry32). */
function chance(seed: number): number {
  let state = (seed + 0x6d2b79f5) | 0;
  state = Math.imul(state ^ (state >>> 15), state | 1);
  state ^= state + Math.imul(state ^ (state >>> 7), state | 61);
  return ((state ^ (state >>> 14)) >>> 0) / 4_294_967_296;
}

/** When a history begins, epoch milliseconds, and the time from a turn to the next. */
export interface HistoryTimes {
  readonly firstMs: number;
  readonly everyMs: number;
}

/** Turns `from` to `to` of the history. */
export function turnsBetween(
  from: number,
  to: number,
  times: HistoryTimes = { firstMs, everyMs: millisecondsEach },
): readonly TurnRecord[] {
  return Array.from({ length: to - from }, (_, at) => turnAt(from + at, times));
}

function turnAt(at: number, times: HistoryTimes): TurnRecord {
  const draw = (n: number): number => chance(at * 31 + n);
  const pick = (n: number, of: number): number => Math.floor(draw(n) ** 2 * of);
  const startMs = times.firstMs + at * times.everyMs;
  const time = (ms: number): string => new Date(ms).toISOString();
  const lasted = Math.round(Math.exp(draw(1) * 11));
  const failed = draw(2) < 0.05;
  const tools = [`tool ${pick(3, 10)}`, `tool ${pick(4, 10)}`];
  const model = `model ${pick(5, 6)}`;
  const key = `${Math.floor(draw(6) * 2 ** 32)
    .toString(16)
    .padStart(8, "0")}${at.toString(16).padStart(40, "0")}`;
  const record = sampleRecord(key, {
    application_id: `application ${pick(7, 3)}`,
    agent_id: `agent ${pick(8, 20)}`,
    user_id: `user ${pick(9, 4_600)}`,
    thread_id: `thread ${Math.floor(at / 2)}`,
    root_trace_id: key.slice(0, 32),
    started_at: time(startMs),
    ended_at: time(startMs + lasted),
    received_at: time(startMs + lasted + 900),
    duration_ms: lasted,
    status: failed ? "error" : "success",
    has_error: failed,
    event_count: 11,
    models: [model],
    tool_names: [...new Set(tools)],
    input_tokens: pick(10, 8_000),
    output_tokens: pick(11, 900),
    releases: [`1.${pick(12, 4)}.0`],
    verdict: failed ? "failed" : draw(13) < 0.8 ? "success" : "partial",
    finding_codes: draw(14) < 0.02 ? ["artifact_missing"] : [],
  });
  const [tool] = record.calls;
  if (tool === undefined) return record;
  const called = tools.map((name, n) => ({
    ...tool,
    name,
    duration_ms: Math.round(lasted / (n + 3)),
  }));
  const requested = {
    ...tool,
    kind: "model" as const,
    name: model,
    provider: "provider",
    input_tokens: 9,
  };
  return {
    ...record,
    first_received: time(startMs + 1_000),
    calls: [...called, requested, requested],
    names: [key.slice(0, 16)],
  };
}
