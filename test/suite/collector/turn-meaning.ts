/**
 * @module TurnMeaning: what each filter of turns means, written a second time, on a turn's own
 * events and row; and random events of few values, of which some are in every filter.
 */
import { refersTo, turnCalls } from "@turnproof/evidence";
import type { TurnEvent, TurnRow } from "@turnproof/evidence";
import fc from "fast-check";

import { compare, millisecondsOf } from "../../../collector/src/ui/display/comparisons.ts";
import { hasValues } from "../../../collector/src/ui/display/filter-keys.ts";

const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined });
export const word = fc.constantFrom("a", "b", "anonymous");
export const time = fc
  .constantFrom("10:00:00", "10:00:30", "10:01:00", "11:00:00")
  .map((clock) => `2026-11-21T${clock}.000Z`);

const attributes = fc.record(
  {
    tool_name: word,
    error_type: word,
    tool_outcome: fc.constantFrom("success", "fallback", "error"),
    response_model: word,
    service_version: word,
    deployment_environment: word,
    cache_decision: fc.constantFrom("hit", "miss"),
    total_tokens: fc.constantFrom(1, 1000),
    input_tokens: fc.constantFrom(1, 1000),
    supplied_count: fc.constantFrom(0, 2),
    memory_degraded: fc.boolean(),
  },
  { requiredKeys: [] },
);

/** One event. */
export const event: fc.Arbitrary<TurnEvent> = fc
  .record({
    n: fc.nat(),
    said: fc.record(
      { application_id: word, memory_id: word, run_id: word, task_id: word, producer_id: word },
      { requiredKeys: [] },
    ),
    turn: fc.constantFrom("a", "b"),
    agent: maybe(word),
    user: maybe(fc.option(word)),
    kind: fc.constantFrom("turn", "tool_call", "model_call", "memory", "delivery", "span"),
    status: fc.constantFrom("success", "error", "partial", "started", "unknown"),
    phase: fc.constantFrom("start", "result"),
    time,
    ms: fc.constantFrom(0, 1500, 5000),
    ref: maybe(word),
    store: maybe(fc.constantFrom("trace", "tool_log")),
    attributes,
  })
  .map(
    ({
      n,
      said: stated,
      turn,
      agent,
      user,
      kind,
      status,
      phase,
      time: at,
      ms,
      ref,
      store,
      attributes: of,
    }) => {
      const identity = {
        ...stated,
        ...(agent === undefined ? {} : { agent_id: agent }),
        ...(user === undefined ? {} : { user_id: user }),
      };
      return {
        schema_version: 3,
        event_id: `e${n}`,
        event_kind: kind,
        phase,
        status,
        timestamp: at,
        started_at: at,
        duration_ms: ms,
        thread_id: turn,
        root_trace_id: turn,
        turn_id: turn,
        received_at: at,
        attributes: of,
        ...identity,
        ...(ref === undefined ? {} : { input_refs: [{ ref, type: "doc" }] }),
        ...(store === undefined ? {} : { source_store: store }),
      } as unknown as TurnEvent;
    },
  );

/** A turn with its own events. */
export interface Turn {
  readonly row: TurnRow;
  readonly own: readonly TurnEvent[];
}
/** Whether a turn is meant. */
export type Meets = (turn: Turn, value: string) => boolean;

const some =
  (is: (event: TurnEvent, value: string) => boolean): Meets =>
  ({ own }, value) =>
    own.some((one) => is(one, value));
const lasted = ({ duration_ms: ms, timing_state: state }: TurnRow): number | null =>
  state === "missing_completion" || state === "instantaneous" ? null : ms;
const kinds = ({ row }: Turn): Readonly<Record<string, number>> => row.event_kind_counts;
const undelivered = ["delivery_missing", "delivery_unconfirmed"];

/** What each key means. */
export const meaning: { readonly [key: string]: Meets } = {
  status: ({ row }, value) => row.status === value,
  tool: some(({ attributes: of }, value) => of.tool_name === value),
  agent: ({ row }, value) => row.agent_id === value,
  user: ({ row: { user_id: id } }, value) =>
    id === value ||
    (value === "anonymous" && id === null) ||
    (value === "unattributed" && id === undefined),
  thread: ({ row }, value) => row.thread_id === value,
  memory: some((one, value) => one.memory_id === value),
  app: some((one, value) => one.application_id === value),
  root: ({ row }, value) => row.root_trace_id === value,
  run: some((one, value) => one.run_id === value),
  turn: ({ row }, value) => row.turn_id === value,
  task: some((one, value) => one.task_id === value),
  ref: some(refersTo),
  kind: some((one, value) => one.event_kind === value),
  after: ({ row }, value) => Date.parse(row.ended_at) >= Date.parse(value),
  before: ({ row }, value) => Date.parse(row.ended_at) < Date.parse(value),
  received: ({ row }, value) => {
    const [last, at] = [row.received_at ?? "", value.replace(/^(>=|<)/, "")].map(Date.parse);
    return value.startsWith("<") ? Number(last) < Number(at) : Number(last) >= Number(at);
  },
  call: ({ own }, value) => {
    const [of = "", name, outcome] = value.split(":");
    const [kind, provider] = of.split("@");
    return turnCalls(own).some(
      (call) =>
        call.kind === kind &&
        (provider === undefined || (call.provider ?? "") === provider) &&
        (name === "*" || (call.name ?? "") === name) &&
        (outcome === "*" ||
          (call.outcome ?? "unknown") === outcome ||
          (outcome === "failed" && call.outcome === "error")),
    );
  },
  error: ({ own }, value) => turnCalls(own).some((call) => call.error_type === value),
  // No turn of this world was judged by a contract; contracts.test.ts has those that were.
  contract: () => false,
  reason: ({ row }, value) => row.verdict_reasons?.includes(value) ?? false,
  verdict: ({ row }, value) => (row.verdict ?? "unjudged") === value,
  finding: ({ row }, value) => row.finding_codes?.includes(value) ?? false,
  insight: ({ row }, value) => row.insight_codes?.includes(value) ?? false,
  cache: ({ row }, value) => (row.cache_decision ?? "none") === value,
  model: ({ row }, value) => row.models.includes(value),
  release: some(({ attributes: of }, value) => of.service_version === value),
  env: some(({ attributes: of }, value) => of.deployment_environment === value),
  producer: some((one, value) => one.producer_id === value),
  dialect: ({ row }, value) => (row.dialects as readonly string[]).includes(value),
  latency: ({ row }, value) => compare(lasted(row), value, millisecondsOf),
  tokens: ({ row }, value) => compare(row.total_tokens, value, Number),
  has: (turn, value) => has[value]?.(turn) ?? false,
};
/** What each word of `has:` means. */
export const has: { readonly [what: string]: (turn: Turn) => boolean } = {
  finding: ({ row }) => (row.finding_codes?.length ?? 0) > 0,
  error: ({ row }) => row.has_error,
  memory: ({ row }) => (row.memory_supplied ?? 0) > 0 || (row.memory_retrieved ?? 0) > 0,
  cache: ({ row }) => row.cache_decision !== null,
  fallback: ({ row }) => row.tools.fallback > 0,
  gap: ({ row }) => row.missing_completion > 0,
  dropped: ({ row }) => Object.keys(row.dropped).length > 0,
  artifact: (turn) => (kinds(turn)["artifact"] ?? 0) > 0,
  delivery: (turn) => (kinds(turn)["delivery"] ?? 0) > 0,
  degraded: ({ row }) => row.memory_degraded === true,
  undelivered: ({ row }) => undelivered.some((code) => row.finding_codes?.includes(code) ?? false),
  feedback: (turn) => (kinds(turn)["feedback"] ?? 0) > 0,
  outcome: (turn) => (kinds(turn)["outcome"] ?? 0) > 0,
  // No span of this world has a parent; health-range.test.ts has those that have one.
  orphan: () => false,
  reasons: ({ row }) => row.verdict !== null,
  lost: ({ row }) => row.verdict_reasons?.includes("known_loss") ?? false,
  parents: ({ row }) => (row.root_trace_id ?? "") !== "",
  agent: ({ row }) => row.agent_id !== null && row.agent_id !== undefined,
  app: ({ own }) => own.some((one) => (one.application_id ?? "") !== ""),
  model: ({ row }) => row.models.length > 0,
  release: ({ own }) => own.some((one) => (one.attributes.service_version ?? "") !== ""),
  tool: ({ own }) => own.some(({ attributes: of }) => (of.tool_name ?? "") !== ""),
};

/** Values to filter by; those of every other key are `a` and `b`. */
export const values: { readonly [key: string]: readonly string[] } = {
  status: ["error", "success", "started", "partial"],
  user: ["a", "b", "anonymous", "unattributed"],
  kind: ["turn", "tool_call", "delivery"],
  after: ["2026-11-21T10:00:30Z", "2026-11-21"],
  before: ["2026-11-21T10:01:00Z"],
  received: [">=2026-11-21T10:00:30Z", "<2026-11-21T10:01:00Z"],
  verdict: ["failed", "unjudged"],
  reason: ["known_loss", "truncated"],
  finding: ["delivery_missing", "ownership_unverified"],
  insight: ["page_thread_mismatch", "ownership_unverified"],
  cache: ["hit", "none"],
  latency: [">1s", "<=1500ms", "=0", "5s"],
  tokens: [">1", "1000", "<5"],
  call: [
    "tool:a:*",
    "tool:b:failed",
    "model:a:*",
    "tool:*:fallback",
    "tool::unknown",
    "model@:b:*",
  ],
  contract: ["a=holds"],
  has: hasValues,
  dialect: ["openinference"],
};
