/** @module EveryClause: contracts that use every clause in several ways, for properties. */
import { defineContract } from "@turnproof/contracts";
import type { Clause, TurnContract, Golden } from "@turnproof/contracts";

const modes = ["strict", "unordered", "subset", "superset", "ordered"] as const;

/** The golden trajectory of the clauses below. */
export const golden: Golden = {
  golden: "usual",
  steps: [
    { kind: "tool", name: "a", outcome: "success" },
    { kind: "tool", name: "b", outcome: "success" },
  ],
};

/** Every clause. */
const clauses: readonly Clause[] = [
  { clause: "ended" },
  { clause: "status", is: "success" },
  { clause: "verdict", is: ["success", "unknown"] },
  { clause: "no_errors" },
  { clause: "tools_clean" },
  { clause: "tools_clean", tool: "a" },
  { clause: "duration", at_most_ms: 3_000 },
  { clause: "duration", at_least_ms: 3_000 },
  { clause: "tokens", at_most: 250 },
  { clause: "tokens", of: "input", at_least: 150 },
  { clause: "cost", at_most: 3 },
  { clause: "retries", at_most: 1 },
  { clause: "fallbacks", at_most: 0 },
  { clause: "depth", at_most: 2 },
  { clause: "calls", tool: "a", at_least: 1 },
  { clause: "calls", tool: "a", at_most: 1 },
  { clause: "calls", tool: "*", exactly: 2 },
  { clause: "calls", tool: "b", never: true },
  { clause: "calls", tool: "a", outcome: "success", at_least: 1 },
  { clause: "calls", kind: "tool_call", outcome: ["error", "provider_error"], never: true },
  { clause: "calls", model: "m-1", at_most: 1 },
  { clause: "calls", kind: "model_call", at_least: 1 },
  { clause: "calls", kind: "artifact", at_least: 1 },
  { clause: "calls", operation: "memory_*", at_most: 1 },
  { clause: "calls", kind: "application_action", status: "error", never: true },
  { clause: "tools", allowed: ["a", "b"] },
  { clause: "tools", forbidden: ["c"] },
  { clause: "arguments", tool: "a", any_of: ["k1_aaaaaaaaaaaaaaaaaaaaaaaaaa"] },
  { clause: "each_call", tool: "*", duration_at_most_ms: 50, outcome_in: ["success", "empty"] },
  { clause: "each_call", tool: "a", results_at_least: 1 },
  { clause: "each_call", kind: "model_call", tokens_at_most: 150 },
  { clause: "statistic", tool: "*", of: "duration_ms", percentile: 90, at_most: 20 },
  { clause: "statistic", kind: "model_call", of: "tokens", average: true, at_least: 150 },
  { clause: "calls", tool: "b", inside: { tool: "a" }, never: true },
  { clause: "calls", tool: "b", inside: { kind: "turn" }, at_least: 1 },
  { clause: "each_call", tool: "*", inside: { operation: "*" }, duration_at_most_ms: 50 },
  { clause: "order", tool: "a", before: { tool: "b" } },
  { clause: "order", tool: "b", after: { tool: "a" }, within_ms: 500 },
  { clause: "order", tool: "b", never_after: { tool: "c" } },
  { clause: "order", tool: "a", before: { tool: "b" }, immediately: true },
  { clause: "order", tool: "a", before: { tool: "b" }, within_calls: 2 },
  ...modes.map((match): Clause => ({ clause: "trajectory", match, golden: "usual" })),
  ...modes.map((match): Clause => ({
    clause: "trajectory",
    match,
    golden: "usual",
    compare: ["outcome"],
  })),
  { clause: "trajectory", match: "superset", of: "calls", steps: [{ kind: "model", name: "m-1" }] },
  { clause: "model", pinned: ["m-1"] },
  { clause: "release", pinned: ["3.*"] },
  { clause: "services", pinned: ["support-desk"] },
  { clause: "memory", supplied: { at_least: 2 } },
  { clause: "memory", supplied: { at_most: 2 }, degraded: false },
  { clause: "memory", retrieved: { at_least: 1 }, referenced: { at_most: 1 } },
  { clause: "cache", decision: ["miss", "bypassed"] },
  { clause: "ownership" },
  { clause: "provenance" },
  { clause: "context", binding: "matched", grounding: "ready" },
  { clause: "stages", profile: "chat_response" },
  { clause: "stages", stages: ["artifact", "delivery", "tool_call_result"] },
  { clause: "artifact", type: "report", persisted: true },
  { clause: "delivery", target: "browser", acknowledged: true },
  { clause: "output", name: "feed", recovery: false },
  { clause: "outcome" },
  { clause: "score", name: "faithful", at_least: 0.5 },
  { clause: "ended", when: { calls: { tool: "c" } } },
  { clause: "calls", tool: "b", at_least: 1, when: { calls: { tool: "a" }, release: "3.*" } },
  { clause: "calls", tool: "b", never: true, when: { status: "success", intent: "answer" } },
];

/** Each clause as a contract of its own. */
export const contracts: readonly TurnContract[] = clauses.map((clause, at) =>
  defineContract({ name: `clause-${at}-${clause.clause}`, expect: [clause] }),
);
