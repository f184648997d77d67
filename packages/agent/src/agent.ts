/**
 * @module Agent: one agent for all users. The user is an argument of each call; the state of a
 * turn is in its own asynchronous context (requirements: Scope hierarchy).
 */
import { ObservabilityRecorder, otelSink } from "@turnproof/instrumentation";
import type {
  EvidenceSink,
  Feedback,
  RecorderSpan,
  SpanOptions,
  TaskOutcome,
  TraceContext,
} from "@turnproof/instrumentation";
import type { Memory } from "@turnproof/memory";
import { CodedError } from "@turnproof/semconv";

import type { AgentOptions, RunOptions } from "./agent-options.ts";
import { agentParts } from "./agent-parts.ts";
import type { AgentParts } from "./parts.ts";
import { EventChannel } from "./event-channel.ts";
import type { RunResult } from "./run-result.ts";
import {
  beginOwn,
  callerScope,
  hasTurnContext,
  inCallerScope,
  runInTurn,
  ownTurn,
} from "./own-turn.ts";
import type { CallerScope } from "./own-turn.ts";
import { runTurn } from "./run-turn.ts";
import { summarizeAgent } from "./summary.ts";
import type { StoredCounts, SummaryOptions } from "./summary.ts";
import type { RunEvent } from "./turn-events.ts";
import { openTurn, failTurn } from "./open-turn.ts";
import type { Listener } from "./open-turn.ts";

/**
 * Feedback on a turn. `traceContext` defaults to the caller's own turn: the one that runs here, or
 * the last of {@link Agent.withCaller}. Any other turn could be another user's and is refused.
 */
export interface FeedbackOptions extends Feedback {
  readonly traceContext?: TraceContext;
  /** True: the comment is stored in memory as text. Default: as its hash. */
  readonly includeComment?: boolean;
}

/** A task's outcome; `traceContext` defaults as in {@link FeedbackOptions}. */
export interface OutcomeOptions extends TaskOutcome {
  readonly traceContext?: TraceContext;
}

/** A streamed turn: its events in order. Ending the iteration cancels the turn. */
export type TurnStream = AsyncIterableIterator<RunEvent> &
  AsyncDisposable & {
    /** The turn's trace context; undefined until the first event was read. */
    readonly traceContext: TraceContext | undefined;
  };

/** A stream whose trace context is set when its turn begins. */
class OpenStream extends EventChannel<RunEvent> {
  traceContext: TraceContext | undefined;
}

/** An agent. */
export class Agent {
  readonly #parts: AgentParts;
  readonly #sink: EvidenceSink;
  /** For reading only: nothing is recorded on it. */
  #last: TraceContext | undefined;
  /** Tenants seen so far, kept only to distinguish none, one and several. */
  readonly #tenants: Set<string | null> = new Set();

  /**
   * @throws CodedError record_invalid (two tools of one name), model_unsupported
   */
  constructor(options: AgentOptions) {
    this.#parts = agentParts(options);
    this.#sink = options.sink ?? otelSink();
  }

  /** The memory of this agent; every operation takes a place with a tenant. */
  get memory(): Memory {
    return this.#parts.memory;
  }

  /**
   * Runs one turn. Rejects with the error of the model or a store, with the signal's reason when
   * it was aborted, or with CodedError `identity_empty`, `identity_not_opaque`,
   * `attribute_too_long`, `record_invalid`.
   */
  run(query: string, options: RunOptions = {}): Promise<RunResult> {
    const caller = callerScope(this.#parts);
    return this.#turn(query, options, { caller, streaming: false, signal: signalOf(options) });
  }

  /**
   * Runs one turn as a stream of events, ordered and numbered. It begins at the first read, waits
   * for a slow reader, and is cancelled by `break`, `return()` or the signal. A failure ends the
   * stream with `run.done` and then throws; a cancelled turn ends it with `run.done` alone.
   */
  runStream(query: string, options: RunOptions = {}): TurnStream {
    const caller = callerScope(this.#parts);
    const left = new AbortController();
    const given = options.signal;
    const signal = given === undefined ? left.signal : AbortSignal.any([given, left.signal]);
    const stream: OpenStream = new OpenStream(
      async (send) => {
        try {
          const opened = (turn: TraceContext): void => void (stream.traceContext = turn);
          const how = { caller, streaming: true, signal, listener: send, opened };
          await this.#turn(query, options, how);
        } catch (error) {
          if (!signal.aborted) throw error;
        }
      },
      () => left.abort(new DOMException("The reader left.", "AbortError")),
    );
    return stream;
  }

  /**
   * Runs `fn` as one caller, e.g. one request: inside it, calls without a turn use the last turn
   * that `fn` began. There is no last turn when turns ran at the same time or belonged to two
   * users or threads, and none after `fn` has ended, even in its asynchronous context.
   */
  withCaller<T>(fn: () => Promise<T> | T): Promise<T> {
    return inCallerScope(this.#parts, fn);
  }

  /**
   * The caller's own turn: the one that runs here, or the last of {@link withCaller}. Outside of
   * both: the agent's last turn if all of its turns had one tenant, else undefined.
   */
  getTraceContext(): TraceContext | undefined {
    const own = ownTurn(this.#parts);
    if (own !== undefined || hasTurnContext(this.#parts)) return own;
    return this.#tenants.size === 1 ? this.#last : undefined;
  }

  /**
   * Records feedback on a turn: evidence with the comment's hash, and a memory row of the turn's
   * tenant, with the comment's text only with `includeComment`. @throws CodedError
   * identity_missing when there is no turn
   */
  async recordFeedback(options: FeedbackOptions): Promise<void> {
    const { traceContext: given, includeComment, ...feedback } = options;
    const traceContext = this.#turnOf(given);
    const { fingerprint } = this.#parts.options;
    await this.#recorder(traceContext).recordFeedback(feedback, fingerprint);
    const { userId, agentId, memoryId, threadId, turnId } = traceContext.identity;
    const { rootTraceId } = traceContext;
    await this.memory.feedback.record(
      { userId, agentId, memoryId, threadId },
      { ...feedback, turnId, rootTraceId, includeComment: includeComment ?? false },
    );
  }

  /**
   * Records the task outcome, e.g. `success` or `failure`. `verified` means that a trusted
   * application or operator confirmed it, never a model.
   * @throws CodedError identity_missing when there is no turn
   */
  async recordTaskOutcome(outcome: string, options: OutcomeOptions = {}): Promise<void> {
    const { traceContext, ...stated } = options;
    await this.#recorder(this.#turnOf(traceContext)).recordTaskOutcome(outcome, stated);
  }

  /** Bounded counts and freshness of a scope, without content. */
  observabilitySummary(options: SummaryOptions = {}): Promise<StoredCounts> {
    return summarizeAgent(this.#parts, options);
  }

  /**
   * Begins a host span in the caller's own turn; end it by `succeed`, `partial` or `fail`.
   * @throws CodedError identity_missing when there is no turn
   */
  observe(name: string, options: SpanOptions = {}): RecorderSpan {
    return this.#recorder(this.#turnOf(undefined)).startSpan(name, options);
  }

  /**
   * Stores the agent's definition under its id: name, model, instructions, tools, memory.
   * Definitions have no tenant (requirements: Scope hierarchy 5), so they contain nothing about a
   * user.
   */
  async saveDefinition(): Promise<void> {
    const { agentId, model, options, tools } = this.#parts;
    await this.memory.shared.of("agent_definition").put(agentId, {
      name: options.name ?? agentId,
      model: `${model.provider}/${model.modelId}`,
      instructions: options.instructions ?? null,
      persona: typeof options.persona === "string" ? options.persona : null,
      memory_id: options.memoryId ?? agentId,
      tools: tools.map(({ name, description }) => ({ name, description })),
    });
  }

  /** Closes connections to tool servers; the caller closes the store. */
  close(): Promise<void> {
    return this.#parts.sharedTools.close();
  }

  /**
   * A recorder of host evidence for the caller's own turn, or for a given one.
   * @throws CodedError identity_missing when there is no turn
   */
  recorder(traceContext?: TraceContext): ObservabilityRecorder {
    return this.#recorder(this.#turnOf(traceContext));
  }

  #recorder(traceContext: TraceContext): ObservabilityRecorder {
    const { strict } = this.#parts.options;
    return new ObservabilityRecorder(
      this.#sink,
      traceContext,
      strict === undefined ? {} : { strict },
    );
  }

  /** Records go to the turn that was passed or to the caller's own; without either it throws. */
  #turnOf(given: TraceContext | undefined): TraceContext {
    const found = given ?? ownTurn(this.#parts);
    if (found === undefined) throw new CodedError("identity_missing", { field: "traceContext" });
    return found;
  }

  async #turn(
    query: string,
    options: RunOptions,
    how: {
      readonly caller: CallerScope | undefined;
      readonly streaming: boolean;
      readonly signal: AbortSignal;
      readonly listener?: Listener;
      readonly opened?: (turn: TraceContext) => void;
    },
  ): Promise<RunResult> {
    if (typeof query !== "string") throw new CodedError("record_invalid", { field: "query" });
    how.signal.throwIfAborted();
    const { signal, listener } = how;
    const call = { query, options, signal, listener };
    const state = openTurn(this.#parts, this.#sink, call);
    const ended = how.caller === undefined ? undefined : beginOwn(how.caller, state.traceContext);
    how.opened?.(state.traceContext);
    this.#last = state.traceContext;
    if (this.#tenants.size < 2) this.#tenants.add(state.place.userId);
    const turn = runInTurn(state, () =>
      state.turn.run(async () => {
        const { runId, turnId, threadId } = state.traceContext.identity;
        const { rootTraceId } = state.traceContext;
        try {
          await state.emit({ type: "run.started", runId, turnId, threadId, rootTraceId });
          const result = await runTurn(this.#parts, state, how.streaming);
          await (result.status === "success" ? state.turn.succeed() : state.turn.partial());
          const { status, persisted } = result;
          await state.emit({ type: "run.done", status, persisted, result });
          return result;
        } catch (error) {
          await failTurn(this.#parts, state, error);
          throw error;
        }
      }),
    );
    return turn.finally(ended);
  }
}

/** A signal of our own for a call without one, so that tools always have one. */
function signalOf(options: RunOptions): AbortSignal {
  return options.signal ?? new AbortController().signal;
}
