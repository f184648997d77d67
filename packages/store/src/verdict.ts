/** @module Verdict: what makes two verdicts speak of the same turn. */
import type { TurnVerdict } from "./evidence-store.ts";

/** Verdicts with this key speak of one turn of one tenant; the latest judged stands. */
export function verdictKey(verdict: TurnVerdict): string {
  return JSON.stringify([
    verdict.application_id,
    verdict.agent_id,
    verdict.user_id === undefined ? 0 : verdict.user_id,
    verdict.thread_id,
    verdict.root_trace_id,
    verdict.turn_id,
  ]);
}
