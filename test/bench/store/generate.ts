/**
 * @module Generate: realistic evidence from a seed: agents, users and threads of uneven popularity,
 * turns of a dozen spans of which only the turn has an owner, memory, tools, artifacts,
 * deliveries, and a few plain spans of the same traces. The same seed gives the same events.
 */
import type { TurnEvent } from "@turnproof/evidence";

/** A seeded stream of turns. */
export interface Stream {
  /** The next turn's events, as one request would carry them. */
  next(): TurnEvent[];
  /** What a later read may look for. */
  readonly known: { user: string; thread: string; agent: string; ref: string; root: string };
}

/** Mulberry32: small, seeded, good enough for a shape. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const tools = Array.from({ length: 24 }, (_, i) => `tool_${i}`);
const models = ["claude-sonnet-4@20250514", "gpt-5-mini", "gemini-3-flash", "mistral-large"];
const startMs = Date.UTC(2026, 4, 4);

/** Turns spread evenly over this many days. */
export function stream(seed: number, turns: number, days: number): Stream {
  const random = randomOf(seed);
  const hex = (digits: number): string => {
    let text = "";
    while (text.length < digits) {
      text += Math.floor(random() * 4_294_967_296)
        .toString(16)
        .padStart(8, "0");
    }
    return text.slice(0, digits);
  };
  const skewed = (count: number): number => Math.floor(count * random() ** 3);
  const users = Math.max(Math.floor(turns / 40), 10);
  const known = { user: "", thread: "", agent: "", ref: "", root: "" };
  const stepMs = (days * 86_400_000) / turns;
  let turn = 0;

  function next(): TurnEvent[] {
    const atMs = startMs + turn * stepMs;
    turn += 1;
    const user = `user-${Math.floor(random() * users)
      .toString(36)
      .padStart(6, "0")}`;
    const agent = `agent-${skewed(40)}`;
    const thread = `thread-${user.slice(5)}-${Math.floor(random() * 4)}`;
    const root = hex(32);
    const turnSpan = hex(16);
    const ref = `doc-${hex(12)}`;
    const events: TurnEvent[] = [];
    let offsetUs = 0;
    const span = (fields: Partial<TurnEvent>, tookMs: number, parent = turnSpan): string => {
      const id = fields.event_kind === "turn" ? turnSpan : hex(16);
      const startNs = Math.floor(offsetUs * 1000 + random() * 1000);
      if (fields.event_kind !== "turn") offsetUs += tookMs * 1000;
      const tookNs = Math.floor(tookMs * 1e6);
      events.push({
        schema_version: 3,
        event_id: `${id}:result`,
        event_kind: "span",
        phase: "result",
        status: "success",
        timestamp: iso(atMs, startNs + tookNs),
        started_at: iso(atMs, startNs),
        duration_ms: tookNs / 1e6,
        span_id: id,
        ...(fields.event_kind === "turn" ? {} : { parent_span_id: parent }),
        root_trace_id: root,
        ingest_principal: "default",
        dialect: "turnproof",
        application_id: `app-${agent.slice(6)}`,
        producer_id: "p-1",
        producer_seq: turn * 16 + events.length,
        attributes: {},
        ...fields,
      });
      return id;
    };
    const delivered = turnOf(span, { random, skewed, hex, agent, user, thread, ref });
    // What reads look for lies in the middle of the history and has a delivered artifact.
    if (delivered && known.root === "" && turn >= turns / 3) {
      Object.assign(known, { user, thread, agent, ref, root });
    }
    return events;
  }
  return { next, known };
}

type Span = (fields: Partial<TurnEvent>, tookMs: number, parent?: string) => string;

interface Turn {
  readonly random: () => number;
  readonly skewed: (count: number) => number;
  readonly hex: (digits: number) => string;
  readonly agent: string;
  readonly user: string;
  readonly thread: string;
  readonly ref: string;
}

/** One turn; true when it ends in an artifact that is delivered. */
function turnOf(span: Span, turn: Turn): boolean {
  const { random, skewed, hex } = turn;
  const identity = { agent_id: turn.agent, user_id: turn.user, thread_id: turn.thread };
  const request = `req_${hex(20)}`;
  span({ ...identity, event_kind: "turn", operation: "invoke_agent" }, 4000 + random() * 9000);
  span(
    {
      event_kind: "context_binding",
      operation: "context.bind",
      attributes: { thread_binding_status: "matched", grounding_status: "ready" },
    },
    0.2,
  );
  span(
    {
      event_kind: "memory_supply",
      operation: "memory.supply",
      input_refs: [{ resource_type: "memory", ref: `mem-${hex(10)}` }],
      attributes: {
        retrieved_count: Math.floor(random() * 40),
        supplied_count: Math.floor(random() * 12),
        history_count: Math.floor(random() * 10),
      },
    },
    3 + random() * 20,
  );
  span({ event_kind: "cache_decision", attributes: { cache_decision: "miss" } }, 0.1);
  const rounds = 1 + Math.floor(random() * 3);
  for (let round = 0; round < rounds; round += 1) {
    const input = 200 + Math.floor(random() * 8000);
    span(
      {
        event_kind: "model_call",
        operation: "chat",
        attributes: {
          model: models[skewed(models.length)] ?? "m",
          provider: "anthropic",
          request_id: request + round,
          input_tokens: input,
          output_tokens: Math.floor(random() * 900),
          finish_reason: [round + 1 < rounds ? "tool_use" : "stop"],
          ttft_ms: Math.floor(random() * 4e5) / 1000,
        },
      },
      400 + random() * 3000,
    );
    const failed = random() < 0.02;
    const call = span(
      {
        event_kind: "tool_call",
        operation: "execute_tool",
        status: failed ? "error" : "success",
        attributes: {
          tool_name: tools[skewed(tools.length)] ?? "t",
          tool_outcome: failed ? "provider_error" : "success",
          tool_call_id: `call_${hex(16)}`,
        },
      },
      20 + random() * 800,
    );
    span({ operation: "http.client" }, 10 + random() * 300, call);
  }
  const delivers = random() < 0.3;
  if (delivers) deliver(span, turn);
  return delivers;
}

function deliver(span: Span, { hex, ref }: Turn): void {
  const task_id = `task-${hex(8)}`;
  const version = "1";
  const resource = { resource_type: "report", ref, version };
  span({ event_kind: "intent", task_id, operation: "intent.plan" }, 0);
  span(
    {
      event_kind: "artifact",
      task_id,
      operation: "artifact.report",
      output_refs: [{ ...resource, ownership_verified: true, provenance_status: "verified" }],
      attributes: { artifact_status: "created", persistence_verified: true },
    },
    0,
  );
  span(
    {
      event_kind: "delivery",
      task_id,
      operation: "delivery.report",
      input_refs: [resource],
      attributes: { emitted: true, acknowledged: true, delivery_target: "browser" },
    },
    0,
  );
}

/** An ISO time with nanoseconds from milliseconds and an offset in nanoseconds. */
function iso(ms: number, offsetNs: number): string {
  const totalNs = (ms % 1000) * 1e6 + offsetNs;
  const seconds = Math.floor(ms / 1000) + Math.floor(totalNs / 1e9);
  const nanos = Math.floor(totalNs % 1e9);
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${String(nanos).padStart(9, "0")}Z`;
}

/** Received time of a turn's request: a little after it began. */
export function receiptOf(events: readonly TurnEvent[]): string {
  const at = events[0]?.timestamp ?? "";
  return `${at.slice(0, 26)}Z`;
}
