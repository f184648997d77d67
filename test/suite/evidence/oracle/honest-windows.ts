/**
 * @module HonestWindows: windows of turns that did their tasks: several turns and tasks,
 * two services with clocks of their own, nested turns, retries, sources, contracts, deliveries,
 * outcomes, reports of losses that were none, and batches that arrive late.
 */
import type { JudgedWindow } from "./law.ts";
import { randomOf } from "./random.ts";
import type { Random } from "./random.ts";
import type { Json, Ref } from "./reading.ts";
import { addTask } from "./honest-tasks.ts";
import { whole } from "../text-windows.ts";

/** What a window is made of. */
export interface Plan {
  /** Producers are numbered; without, timestamps alone order. */
  readonly numbered: boolean;
  /** A worker of its own produces the artifacts. */
  readonly worker: boolean;
  /** How far the worker's clock is off, in milliseconds, and how late its batches arrive. */
  readonly skew: number;
  readonly late: number;
  readonly labelled: boolean;
  readonly retries: boolean;
  readonly profile: string | undefined;
}

/** What an event is written with. */
export type Write = (
  kind: string,
  attributes: Json,
  extra?: Json,
  producer?: "web" | "worker",
) => Json;

/** A turn that is being written. */
export interface Draft {
  readonly plan: Plan;
  readonly random: Random;
  readonly turn: string;
  readonly write: Write;
  /** Lets time pass, in milliseconds. */
  readonly pass: (ms: number) => void;
  readonly source: Ref;
}

const start = Date.UTC(2026, 10, 21, 10);

/** An ISO time so many milliseconds into the window. */
const time = (ms: number): string => new Date(start + ms).toISOString();

/** The window of a seed. */
export function honestWindow(seed: number): JudgedWindow {
  const random = randomOf(seed);
  const worker = random.chance(0.6);
  const plan: Plan = {
    numbered: worker || random.chance(0.6),
    worker,
    skew: worker ? random.pick([0, 0, -400, -90, 90, 400]) : 0,
    late: worker ? random.pick([0, 0, 2000, 7_200_000]) : 0,
    labelled: random.chance(0.6),
    retries: random.chance(0.5),
    profile: random.pick([
      undefined,
      undefined,
      "chat_response",
      "content_derived_artifact",
      "interactive_response",
    ]),
  };
  const events: Json[] = [];
  const state = { now: 0, count: 0, seq: { web: 0, worker: 0 } };
  const root = "4bf92f3577b34da6a3ce929d0e0e4736";
  const turns = 1 + random.below(2);
  const user = random.pick(["user-1", "user-1", null]);
  for (let index = 0; index < turns; index += 1) {
    const identity = {
      application_id: "app",
      agent_id: "agent",
      user_id: user,
      thread_id: "thread",
      root_trace_id: root,
    };
    const turn = `turn-${index}`;
    const write: Write = (kind, attributes, extra = {}, by = "web") => {
      const producer = plan.worker ? by : "web";
      state.count += 1;
      state.now += 20;
      const off = producer === "worker" ? plan.skew : 0;
      const late = producer === "worker" ? plan.late : 0;
      const event: Json = {
        schema_version: 3,
        event_id: `${turn}-${kind}-${state.count}`,
        event_kind: kind,
        phase: "event",
        status: "success",
        timestamp: time(state.now + off),
        received_at: time(state.now + 600 + late),
        ...identity,
        turn_id: turn,
        ...extra,
        attributes,
      };
      if (plan.numbered) {
        state.seq[producer] += 1;
        Object.assign(event, {
          producer_id: `${producer}-1`,
          producer_seq: state.seq[producer],
        });
      }
      events.push(event);
      return event;
    };
    const pass = (ms: number): void => {
      state.now += ms;
    };
    const source = {
      resource_type: "document",
      ref: "doc-7",
      version: "3",
      provenance_status: "verified",
      ...random.pick([{}, { role: "authoritative_current_source" }]),
    };
    writeTurn({ plan, random, turn, write, pass, source });
    state.now += 60_000;
  }
  return { events, metadata: whole, taskId: null };
}

function writeTurn(draft: Draft): void {
  const { plan, random, turn, write, pass } = draft;
  const span = `${turn}-span`;
  if (random.chance(0.3)) {
    write("data_quality", { loss_created: 1, loss_dropped: 0, sampled_out: 0 });
    pass(1000);
  }
  const reported = random.chance(0.7);
  if (reported && plan.retries && random.chance(0.4)) {
    // The first attempt of the turn broke; a later one supersedes it.
    write("turn", {}, { phase: "start", status: "started", span_id: `${span}-0` });
    write("turn", {}, { phase: "result", status: "error", span_id: `${span}-0` });
    pass(1000);
  }
  if (reported) write("turn", {}, { phase: "start", status: "started", span_id: span });
  if (random.chance(0.3)) {
    write(
      "turn",
      {},
      {
        phase: "result",
        status: random.pick(["success", "error"]),
        span_id: `${span}-nested`,
        parent_span_id: reported ? span : undefined,
        turn_id: `${turn}.nested`,
      },
    );
  }
  const inTurn = reported ? { parent_span_id: span } : {};
  if (random.chance(0.3)) {
    write(
      "context_binding",
      { ownership_verified: false, thread_binding_status: "matched" },
      inTurn,
    );
    pass(1000);
  }
  write("context_binding", { ownership_verified: true, thread_binding_status: "matched" }, inTurn);
  write("memory_supply", { supplied_count: 3 }, inTurn);
  write(
    "memory_selection",
    {},
    {
      ...inTurn,
      selection_ledger: [
        {
          resource: { resource_type: "note", ref: "n1", ownership_verified: false },
          selected: false,
        },
      ],
    },
  );
  write("model_call", { model: "m" }, { ...inTurn, phase: "result", span_id: `${turn}-model` });
  const tasks = plan.labelled ? 1 + random.below(3) : 1;
  for (let task = 0; task < tasks; task += 1) addTask(draft, task, inTurn);
  // Foreign claims of an untrusted producer count for nothing.
  if (random.chance(0.2)) {
    write(
      "delivery",
      { emitted: false, acknowledged: false },
      { ...inTurn, ingest_trusted: false },
    );
  }
  if (random.chance(0.2))
    write("outcome", { outcome: "failure", verified: false, source: "model" });
  pass(500);
  if (reported) {
    write("turn", {}, { phase: "result", span_id: span });
  }
}

/** The labels of the window's tasks. */
export function tasksOf({ events }: JudgedWindow): string[] {
  return events.flatMap((event) =>
    event["event_kind"] === "intent" && typeof event["task_id"] === "string"
      ? [event["task_id"]]
      : [],
  );
}
