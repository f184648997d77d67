/**
 * @module GuardedRecorder: screens a host's values with the guard and writes them to a sink.
 * Everything recorded in this package goes through `begin` or `point`, so one place stamps
 * identity, refuses content and counts failures.
 */
import { diag, INVALID_SPAN_CONTEXT, SpanKind, trace } from "@opentelemetry/api";
import type { Context, Link, TimeInput } from "@opentelemetry/api";
import {
  attribute,
  attributeBySpanName,
  CodedError,
  limits,
  mayCarry,
  ownSpanNames,
  screenOperation,
  screenValue,
} from "@turnproof/semconv";
import type { AttributeValue, Code, EventKind, EventPhase, EventStatus } from "@turnproof/semconv";
import { nameDigest } from "@turnproof/semconv/name-key";
import { externalEventId } from "@turnproof/semconv/external-id";

import type { EvidenceDraft, EvidenceResult, EvidenceSink, OpenEvidence } from "./evidence-sink.ts";
import type { TraceContext } from "./trace-context.ts";
import { version } from "./version.ts";

/** Attributes by span name; undefined means unknown and is left out. */
export type Facts = Readonly<Record<string, AttributeValue | undefined>>;

/** One thing to record. */
export interface Observation {
  readonly kind: EventKind;
  /** Span name. */
  readonly name: string;
  readonly spanKind?: SpanKind;
  readonly facts: Facts;
  readonly taskId?: string;
  /** Makes the event id deterministic, so that recording again replaces. */
  readonly externalId?: string;
  readonly eventId?: string;
  readonly links?: readonly Link[];
  readonly startTime?: TimeInput;
}

/** Counters of a recorder; local to it (requirements: Events and storage rules). */
export interface RecorderHealth {
  recorded: number;
  write_failures: number;
  refused: number;
}

/** How a recorder reacts when its sink fails. */
export interface RecorderOptions {
  /**
   * True: a failed write throws. False (default): the failure is counted and the host continues.
   */
  readonly strict?: boolean;
  /** Receives content-free codes; default: OpenTelemetry's own log (`diag`), as a warning. */
  readonly log?: (code: string) => void;
}

/** Called with a code, never a value, when something is refused and the host continues. */
export type OnRefused = (code: Code, field?: string) => void;

/** Records into one sink under one policy. */
export class GuardedRecorder {
  readonly health: RecorderHealth = { recorded: 0, write_failures: 0, refused: 0 };
  readonly #sink: EvidenceSink;
  readonly #options: RecorderOptions;
  readonly #onRefused: OnRefused | undefined;

  /** @param onRefused set: a refused value is left out, counted and reported; unset: it throws */
  constructor(sink: EvidenceSink, options: RecorderOptions = {}, onRefused?: OnRefused) {
    this.#sink = sink;
    this.#options = options;
    this.#onRefused = onRefused;
  }

  /**
   * Begins a span of the turn. Its `end` throws when the guard refuses something, and it stays
   * open then.
   * @throws CodedError when the guard refuses something, or, strict, when the sink cannot begin
   */
  begin(
    turn: TraceContext,
    parent: Context,
    observation: Observation,
    phase: EventPhase,
  ): OpenEvidence {
    const { refused } = this.health;
    const attributes = this.#judge(turn, observation, phase);
    const { name, spanKind: kind = SpanKind.INTERNAL, links, startTime } = observation;
    const open = this.#start({
      // A name is built from facts, so it could contain a value that was refused.
      name: this.health.refused === refused ? name : plainName(name),
      kind,
      attributes,
      parent,
      ...(links === undefined ? {} : { links }),
      ...(startTime === undefined ? {} : { startTime }),
    });
    return {
      // Children of a span that could not begin get the surrounding span as parent.
      spanContext: open?.spanContext ?? trace.getSpanContext(parent) ?? INVALID_SPAN_CONTEXT,
      context: open?.context ?? parent,
      end: (result) => {
        const judged = this.#judgeResult(observation, result);
        return open === undefined ? Promise.resolve() : this.#settle(() => open.end(judged));
      },
    };
  }

  /** Begins at the sink; undefined, and counted, when that fails outside of strict mode. */
  #start(draft: EvidenceDraft): OpenEvidence | undefined {
    try {
      return this.#sink.start(draft);
    } catch (error) {
      this.#failed(error);
      return undefined;
    }
  }

  /** Records a point in time: a span of zero length under `parent`. */
  async point(
    turn: TraceContext,
    parent: Context,
    observation: Observation,
    status: EventStatus = "success",
  ): Promise<void> {
    const startTime = observation.startTime ?? Date.now();
    const open = this.begin(turn, parent, { ...observation, startTime }, "event");
    await open.end({ status, endTime: startTime });
  }

  #judge(
    turn: TraceContext,
    observation: Observation,
    phase: EventPhase,
  ): Record<string, AttributeValue> {
    return this.#admitted(() => draftAttributes(turn, observation, phase, this.#leaveOut));
  }

  #judgeResult(observation: Observation, given: EvidenceResult): EvidenceResult {
    const result = this.#judgeErrorType(given);
    if (result.attributes === undefined) return result;
    const { attributes } = result;
    return {
      ...result,
      attributes: this.#admitted(() => screened(observation.kind, attributes, this.#leaveOut)),
    };
  }

  #admitted<T>(judge: () => T): T {
    try {
      return judge();
    } catch (error) {
      this.health.refused += 1;
      throw error;
    }
  }

  /** Handles a refusal: throws it, or leaves the value out. */
  readonly #leaveOut = (error: CodedError): void => {
    if (this.#onRefused === undefined) throw error;
    this.refuse(error.code, error.field);
  };

  /** Counts a refusal and reports its code, where the host continues. */
  refuse(code: Code, field?: string): void {
    this.health.refused += 1;
    this.#log(field === undefined ? code : `${code} (${field})`);
    this.#onRefused?.(code, field);
  }

  #log(text: string): void {
    const { log = (code): void => diag.warn(`turnproof: ${code}`) } = this.#options;
    try {
      log(text);
    } catch {
      // The host's own log failed; the failure itself is counted.
    }
  }

  /**
   * A text that is no class is a message and is dropped; the failure is still recorded without it.
   */
  #judgeErrorType(result: EvidenceResult): EvidenceResult {
    const { errorType } = result;
    if (errorType === undefined || screenValue(attribute.error_type, errorType) === undefined) {
      return result;
    }
    this.health.refused += 1;
    return { ...result, errorType: otherError };
  }

  async #settle(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.#failed(error);
      return;
    }
    this.health.recorded += 1;
  }

  /**
   * Counts a failed write and reports its code (requirements: Events and storage rules). Strict:
   * throws it.
   */
  #failed(error: unknown): void {
    this.health.write_failures += 1;
    const failure = CodedError.is(error) ? error : new CodedError("write_failed", { cause: error });
    this.#log(failure.code);
    if (this.#options.strict === true) throw failure;
  }
}

function identityFacts(turn: TraceContext, observation: Observation): Facts {
  const { identity, causedBy } = turn;
  return {
    [attribute.application_id.span]: identity.applicationId,
    [attribute.agent_id.span]: identity.agentId,
    [attribute.user_id.span]: identity.userId ?? undefined,
    [attribute.scope.span]: identity.userId === null ? "anonymous" : undefined,
    [attribute.memory_id.span]: identity.memoryId,
    [attribute.thread_id.span]: identity.threadId,
    [attribute.run_id.span]: identity.runId,
    [attribute.turn_id.span]: identity.turnId,
    [attribute.caused_by_event_id.span]: causedBy,
    [attribute.task_id.span]: observation.taskId,
    [attribute.external_id.span]: observation.externalId,
    [attribute.instrumentation_version.span]: version,
  };
}

function eventIdOf(
  turn: TraceContext,
  { kind, name, externalId, eventId }: Observation,
  phase: EventPhase,
): string | undefined {
  if (externalId === undefined) return eventId;
  const { applicationId, agentId, userId, threadId, turnId } = turn.identity;
  return externalEventId([
    applicationId ?? null,
    agentId,
    userId === undefined ? ["unattributed"] : userId,
    threadId,
    turn.rootTraceId,
    turnId,
    externalId,
    `${kind}:${name}`,
    phase,
  ]);
}

function draftAttributes(
  turn: TraceContext,
  observation: Observation,
  phase: EventPhase,
  refused: (error: CodedError) => void,
): Record<string, AttributeValue> {
  const own = {
    ...identityFacts(turn, observation),
    [attribute.event_kind.span]: observation.kind,
    [attribute.phase.span]: phase,
    [attribute.event_id.span]: eventIdOf(turn, observation, phase),
  };
  const { kind, facts } = observation;
  return { ...screened(kind, own, refused), ...screened(kind, facts, refused) };
}

/**
 * Facts that the guard admits, with names keyed; each refusal goes to `refused` as an error with
 * the field's name.
 */
function screened(
  kind: EventKind,
  facts: Facts,
  refused: (error: CodedError) => void,
): Record<string, AttributeValue> {
  const kept: Record<string, AttributeValue> = {};
  let count = 0;
  for (const [name, value] of Object.entries(facts)) {
    if (value === undefined) continue;
    const refusal =
      count === limits.attributesMax
        ? new CodedError("attribute_limit")
        : refusalOf(kind, name, value);
    if (refusal === undefined) {
      kept[name] = value;
      count += 1;
      continue;
    }
    refused(refusal);
    const keyed = count < limits.attributesMax ? keyedNameOf(kind, name, value) : undefined;
    if (keyed === undefined) continue;
    kept[name] = keyed;
    count += 1;
  }
  return kept;
}

/** A name that the guard refuses, as its digest, so that different names stay distinct. */
function keyedNameOf(kind: EventKind, name: string, value: AttributeValue): string | undefined {
  const row = attributeBySpanName.get(name);
  if (row?.keyed !== "name" || !mayCarry(row, kind)) return undefined;
  return typeof value === "string" && value !== "" ? nameDigest(value) : undefined;
}

function refusalOf(kind: EventKind, name: string, value: AttributeValue): CodedError | undefined {
  const row = attributeBySpanName.get(name);
  if (row === undefined) return new CodedError("attribute_unknown");
  if (!mayCarry(row, kind)) return new CodedError("attribute_kind", { field: row.event });
  const code = screenValue(row, value);
  return code === undefined ? undefined : new CodedError(code, { field: row.event });
}

/** Span name of a step (GenAI: `{operation} {what}`); a host without types may pass no text. */
export function stepName(operation: unknown, what: unknown): string {
  const words = [operation, what].filter((word) => typeof word === "string");
  return words.join(" ");
}

/** A span name without any host value: `chat`, `turnproof.learning`. */
function plainName(name: string): string {
  const own = Object.values(ownSpanNames).find((each) => name.startsWith(`${each}.`));
  return own ?? name.split(" ", 1)[0] ?? "";
}

/**
 * The name of a host operation, validated.
 * @throws CodedError operation_name_invalid
 */
export function operationName(name: string): string {
  const code = screenOperation(name);
  if (code !== undefined) throw new CodedError(code);
  return name;
}

/** OpenTelemetry's value for an error without a class of its own. */
const otherError = "_OTHER";

/** The class of a thrown error, never its text: a short name, or `_OTHER`. */
export function errorTypeOf(error: unknown): string {
  if (CodedError.is(error)) return error.code;
  const name = error instanceof Error ? classNameOf(error) : typeof error;
  return screenValue(attribute.error_type, name) === undefined ? name : otherError;
}

/** A minifier shortens class names to a letter or two, but not the `name` of their errors. */
function classNameOf(error: Error): string {
  const ofClass = error.constructor.name;
  return ofClass.length > 2 ? ofClass : error.name;
}
