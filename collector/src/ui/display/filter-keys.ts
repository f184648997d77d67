/** @module FilterKeys: keys of the terms of the filter bar, and values of `has:`. */

/** Keys with a parameter of their own, and its name. */
export const storeKeys: { readonly [key: string]: string } = {
  status: "status",
  tool: "tool_name",
  agent: "agent_id",
  user: "user_id",
  thread: "thread_id",
  memory: "memory_id",
  app: "application_id",
  root: "root_trace_id",
  run: "run_id",
  turn: "turn_id",
  task: "task_id",
  ref: "resource_ref",
  kind: "event_kind",
  after: "start_time",
  before: "end_time",
  verdict: "verdict",
  finding: "finding",
};

/** Values of `has:` that are filter keys, such as `model`: turns with a value for this key. */
export const recordedKeys = ["agent", "app", "model", "release", "tool"] as const;

/** Values of `has:`, for completion. */
export const hasValues: readonly string[] = [
  "finding",
  "error",
  "memory",
  "cache",
  "fallback",
  "gap",
  "dropped",
  "artifact",
  "delivery",
  "degraded",
  "undelivered",
  "feedback",
  "outcome",
  "orphan",
  "parents",
  "reasons",
  "lost",
  ...recordedKeys,
];

/** Keys without a parameter of their own, which are in `q`. */
const otherKeys = [
  "call",
  "error",
  "contract",
  "insight",
  "reason",
  "cache",
  "model",
  "release",
  "env",
  "producer",
  "dialect",
  "has",
  "latency",
  "tokens",
  "received",
] as const;

/** Key of a word without one: free text. */
export const textKey = "text";

/** Keys that mean another one: pages name a user's turns by their tenant. */
const aliases: { readonly [key: string]: string } = { tenant: "user" };

/** The key of a term for one that was typed. */
export function termKey(key: string): string {
  return Object.hasOwn(aliases, key) ? (aliases[key] ?? key) : key;
}

/** Every key of a term. */
export const filterKeys: readonly string[] = [...Object.keys(storeKeys), ...otherKeys];

/** Keys that the bar takes: those of terms, and their aliases. */
export const typedKeys: readonly string[] = [...filterKeys, ...Object.keys(aliases)];
