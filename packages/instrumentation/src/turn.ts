/**
 * @module Turn: one agent turn and everything recorded about it. A turn is a span; its identity is
 * in the OpenTelemetry context, so concurrent turns stay separate.
 */
/// <reference lib="esnext.disposable" preserve="true" />
import { SpanKind, trace } from "@opentelemetry/api";
import type { Context } from "@opentelemetry/api";
import { attribute, CodedError, ownSpanNames, randomId } from "@turnproof/semconv";
import type { EventKind } from "@turnproof/semconv";

import { activeContext, parentsAreKept, runIn } from "./active-context.ts";
import { otelSink } from "./evidence-sink.ts";
import type { EvidenceSink } from "./evidence-sink.ts";
import { feedbackFacts, learningFacts, outcomeFacts } from "./feedback.ts";
import type { Feedback, LearningStep, TaskOutcome } from "./feedback.ts";
import {
  MemoryOperation,
  memoryOperationFacts,
  referencedFacts,
  retrievedFacts,
  suppliedFacts,
} from "./memory-supply.ts";
import type {
  MemoryOperationOptions,
  ReferencedMemory,
  RetrievedMemory,
  SuppliedMemory,
} from "./memory-supply.ts";
import { ModelCall, modelCallFacts, modelCallName } from "./model-call.ts";
import type { ModelCallOptions } from "./model-call.ts";
import { OpenStep, runStep } from "./open-step.ts";
import { provenanceFacts } from "./provenance.ts";
import type { ObservabilityContext } from "./provenance.ts";
import { ObservabilityRecorder } from "./recorder.ts";
import { ledgerAttributes } from "./resource-ref.ts";
import type { Selection } from "./resource-ref.ts";
import { ToolCall, toolCallFacts } from "./tool-call.ts";
import type { ToolCallOptions } from "./tool-call.ts";
import { TraceContext } from "./trace-context.ts";
import { FoundCodes } from "./turn-findings.ts";
import { admittedIdentity } from "./turn-identity.ts";
import type { TurnIdentity } from "./turn-identity.ts";
import { readOptions } from "./turn-options.ts";
import type { TurnOptions } from "./turn-options.ts";
import { GuardedRecorder } from "./guarded-recorder.ts";
import type { RecorderHealth, RecorderOptions } from "./guarded-recorder.ts";
import { stepName } from "./step-name.ts";
import type { Facts, Observation } from "./observation.ts";
import { cacheFacts } from "./cache-decided.ts";
import type { CacheDecided } from "./cache-decided.ts";

/** The span name and the facts of a step's options. */
type Stated = readonly [name: string, facts: Facts];

/** An open turn. */
export class Turn {
  readonly #recorder: GuardedRecorder;
  readonly #step: OpenStep;
  readonly #sink: EvidenceSink;
  readonly #options: TurnOptions;
  /** The trace context of the turn, for jobs, feedback and recorders. */
  readonly traceContext: TraceContext;

  /**
   * Begins a turn. Invalid options never stop the host: they are left out and counted, and a
   * data-quality event of the turn reports them; with `strict` they throw.
   */
  constructor(given: TurnOptions, parent: Context = activeContext()) {
    const { options, unread } = readOptions(given);
    this.#sink = options.sink ?? otelSink();
    this.#options = options;
    const strict = options.strict === true;
    const findings = new FoundCodes();
    this.#recorder = new GuardedRecorder(
      this.#sink,
      options,
      strict ? undefined : (code) => findings.find(code),
    );
    const named = { ...options, runId: options.runId ?? randomId() };
    const stated = identityOf({ ...named, turnId: options.turnId ?? randomId() });
    const { identity, refused } = strict
      ? { identity: stated, refused: [] }
      : admittedIdentity(stated);
    for (const field of refused) this.#recorder.refuse("identity_refused", field);
    for (const field of unread) this.#recorder.refuse("record_invalid", field);
    // Span ids exist only once the span has begun, but the identity is checked before.
    const seed = new TraceContext(identity, { traceId: "", spanId: "", traceFlags: 0 });
    const name = options.agentName ?? seed.identity.agentId;
    const facts = {
      [attribute.genai_operation.span]: "invoke_agent",
      [attribute.agent_name.span]: name,
      [attribute.coverage_profile.span]: options.coverageProfile,
    };
    // A turn with a refused user could belong to any tenant, so it starts its own root.
    const apart = refused.includes("userId") || isForeign(parent, seed);
    const open = this.#recorder.begin(
      seed,
      apart ? trace.deleteSpan(parent) : parent,
      { kind: "turn", name: stepName("invoke_agent", name), facts },
      "result",
    );
    this.traceContext = seed.at(open.spanContext);
    this.#step = new OpenStep(open, this.traceContext);
    if (!parentsAreKept()) findings.find("context_manager_missing");
    findings.addText((code) => {
      const finding = { kind: "data_quality", name: ownSpanNames.data_quality } as const;
      const stated = { ...finding, facts: { [attribute.quality_code.span]: code } };
      // The recorder has counted the failed write; a finding must not stop the host.
      void this.#recorder.point(this.traceContext, this.context, stated).catch(() => undefined);
    });
  }

  /** Context in which this turn is active and its span is the parent. */
  get context(): Context {
    return this.#step.context;
  }

  /** Counters of what was recorded, refused and failed in this turn. */
  get health(): Readonly<RecorderHealth> {
    return this.#recorder.health;
  }

  /** Runs the function with this turn active. */
  run<T>(fn: () => T): T {
    return runIn(this.context, fn);
  }

  /** A recorder of host evidence for this turn, into the same sink. */
  recorder(options: RecorderOptions = this.#options): ObservabilityRecorder {
    return new ObservabilityRecorder(this.#sink, this.traceContext, options);
  }

  /** Begins a model call under the span that is active here. */
  startModelCall(options: ModelCallOptions): ModelCall {
    const stated = (): Stated => [modelCallName(options), modelCallFacts(options)];
    return new ModelCall(this.#begin("model_call", "chat", stated, SpanKind.CLIENT));
  }

  /**
   * Runs a model call; a throw fails it, a return without `respond` leaves it unknown, never
   * success.
   */
  modelCall<T>(options: ModelCallOptions, fn: (call: ModelCall) => Promise<T> | T): Promise<T> {
    const call = this.startModelCall(options);
    return runStep(
      call.step,
      () => fn(call),
      () => call.unknown(),
      (errorType) => call.fail(errorType),
    );
  }

  /** Begins a tool call. */
  startToolCall(options: ToolCallOptions): ToolCall {
    const stated = (): Stated => [stepName("execute_tool", options.name), toolCallFacts(options)];
    return new ToolCall(this.#begin("tool_call", "execute_tool", stated));
  }

  /** Runs a tool call; a throw is outcome `error`, a return without `result` leaves it unknown. */
  toolCall<T>(options: ToolCallOptions, fn: (call: ToolCall) => Promise<T> | T): Promise<T> {
    const call = this.startToolCall(options);
    return runStep(
      call.step,
      () => fn(call),
      () => call.step.end("unknown"),
      (errorType) => call.result({ outcome: "error", errorType }),
    );
  }

  /** Runs a memory operation; a throw fails it, a return succeeds it with an unknown count. */
  memoryOperation<T>(
    options: MemoryOperationOptions,
    fn: (operation: MemoryOperation) => Promise<T> | T,
  ): Promise<T> {
    const stated = (): Stated => [options.operation, memoryOperationFacts(options)];
    const step = this.#begin("memory_operation", "memory_operation", stated);
    const operation = new MemoryOperation(step);
    return runStep(
      step,
      () => fn(operation),
      () => operation.succeed(),
      (errorType) => operation.fail(errorType),
    );
  }

  /** Stage 1 of memory supply: candidates that retrieval considered. */
  retrieved(memory: RetrievedMemory): Promise<void> {
    return this.#point("memory_retrieval", ownSpanNames.memory_retrieval, () =>
      retrievedFacts(memory),
    );
  }

  /** The ledger of a selection: a line for each candidate, in events of at most 32 lines. */
  async selected(ledger: readonly Selection[]): Promise<void> {
    for (const piece of this.#facts(() => ledgerAttributes(ledger)) ?? []) {
      await this.#point("memory_selection", ownSpanNames.memory_selection, () => piece);
    }
  }

  /**
   * Stage 2: what was placed in the model's context. Record it for every turn the cache did not
   * answer.
   */
  supplied(memory: SuppliedMemory): Promise<void> {
    return this.#point("memory_supply", ownSpanNames.memory_supply, () => suppliedFacts(memory));
  }

  /** Stage 3: exact source overlap in the final text. */
  referenced(memory: ReferencedMemory): Promise<void> {
    return this.#point("memory_reference", ownSpanNames.memory_reference, () =>
      referencedFacts(memory),
    );
  }

  /** What the semantic cache decided. */
  cacheDecided(decided: CacheDecided): Promise<void> {
    return this.#point("cache_decision", ownSpanNames.cache_decision, () => cacheFacts(decided));
  }

  /**
   * The host's context of this run: twelve fields are kept, the rest counted and fingerprinted.
   */
  bindContext(given: ObservabilityContext | Readonly<Record<string, unknown>>): Promise<void> {
    return this.#point("context_binding", ownSpanNames.context_binding, () =>
      provenanceFacts(given, this.#options.fingerprint),
    );
  }

  /** Feedback on this turn. */
  feedback(feedback: Feedback): Promise<void> {
    const { externalId } = feedback;
    const ids = externalId === undefined ? {} : { externalId };
    const facts = (): Facts => feedbackFacts(feedback, this.#options.fingerprint);
    return this.#point("feedback", ownSpanNames.feedback, facts, ids);
  }

  /** The outcome of the task, e.g. `success` or `failure`. */
  taskOutcome(outcome: string, options: TaskOutcome = {}): Promise<void> {
    const ids = {
      ...(options.taskId === undefined ? {} : { taskId: options.taskId }),
      ...(options.externalId === undefined ? {} : { externalId: options.externalId }),
    };
    const facts = (): Facts => outcomeFacts(outcome, options);
    return this.#point("outcome", ownSpanNames.outcome, facts, ids);
  }

  /** A step in the life cycle of a learned skill. */
  learned(learning: LearningStep): Promise<void> {
    const name = `${ownSpanNames.learning}.${learning.event}`;
    return this.#point("learning", name, () => learningFacts(learning));
  }

  /** Ends the turn as success. */
  succeed(): Promise<void> {
    return this.#step.end("success");
  }

  /** Ends the turn as partial: something is missing. */
  partial(): Promise<void> {
    return this.#step.end("partial");
  }

  /** Ends the turn as failed, with the error's class, never its text. */
  fail(errorType?: string): Promise<void> {
    return this.#step.end("error", {}, errorType);
  }

  /** Runs `fn` as the turn: a throw fails it, a return succeeds it. */
  async complete<T>(fn: (turn: Turn) => Promise<T> | T): Promise<T> {
    return runStep(
      this.#step,
      () => fn(this),
      () => this.succeed(),
      (errorType) => this.fail(errorType),
    );
  }

  /** Ends it as unknown unless it has ended already. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#step.end("unknown");
  }

  /** Begins a step; if its options cannot be read it has only its plain name. */
  #begin(kind: EventKind, plain: string, stated: () => Stated, spanKind?: SpanKind): OpenStep {
    const [name, facts] = this.#facts(stated) ?? [plain, {}];
    const { turn, parent } = this.#here();
    const shown = { kind, name, facts, ...(spanKind === undefined ? {} : { spanKind }) };
    const open = this.#recorder.begin(turn, parent, shown, "result");
    return new OpenStep(open, turn);
  }

  async #point(
    kind: EventKind,
    name: string,
    make: () => Facts,
    ids: Pick<Observation, "taskId" | "externalId"> = {},
  ): Promise<void> {
    const facts = this.#facts(make);
    if (facts === undefined) return;
    const { turn, parent } = this.#here();
    await this.#recorder.point(turn, parent, { kind, name, facts, ...ids });
  }

  /** A host's options as facts; undefined, and counted, when they cannot be read. */
  #facts<T>(make: () => T): T | undefined {
    if (this.#options.strict === true) return make();
    try {
      return make();
    } catch (error) {
      this.#recorder.refuse(CodedError.is(error) ? error.code : "record_invalid");
      return undefined;
    }
  }

  #here(): { turn: TraceContext; parent: Context } {
    const active = activeContext();
    const current = TraceContext.active(active);
    const own = current?.identity.turnId === this.traceContext.identity.turnId;
    return own
      ? { turn: current, parent: active }
      : { turn: this.traceContext, parent: this.context };
  }
}

/**
 * True inside a turn of another tenant: a loop that a tool left running keeps that turn's context
 * for all later work. A turn begun there starts its own root.
 */
function isForeign(parent: Context, turn: TraceContext): boolean {
  const around = TraceContext.active(parent)?.identity.userId;
  const { userId } = turn.identity;
  return around !== undefined && userId !== undefined && around !== userId;
}

/** The identity fields of a turn's options; fields that were not set are absent. */
function identityOf(given: TurnIdentity): TurnIdentity {
  const { applicationId, agentId, userId, memoryId, threadId, runId, turnId } = given;
  return {
    agentId,
    threadId,
    runId,
    turnId,
    ...(applicationId === undefined ? {} : { applicationId }),
    ...(userId === undefined ? {} : { userId }),
    ...(memoryId === undefined ? {} : { memoryId }),
  };
}

/** Runs `fn` as one agent turn: a throw fails it, a return succeeds it. */
export function withTurn<T>(options: TurnOptions, fn: (turn: Turn) => Promise<T> | T): Promise<T> {
  return new Turn(options).complete(fn);
}
