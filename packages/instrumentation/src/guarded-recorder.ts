/**
 * @module GuardedRecorder: screens a host's values with the guard and writes them to a sink.
 * Everything recorded in this package goes through `begin` or `point`, so one place stamps
 * identity, refuses content and counts failures.
 */
import { diag, INVALID_SPAN_CONTEXT, SpanKind, trace } from "@opentelemetry/api";
import type { Context } from "@opentelemetry/api";
import { attribute, CodedError, screenValue } from "@turnproof/semconv";
import type { AttributeValue, Code, EventPhase, EventStatus } from "@turnproof/semconv";

import type { EvidenceDraft, EvidenceResult, EvidenceSink, OpenEvidence } from "./evidence-sink.ts";
import type { TraceContext } from "./trace-context.ts";
import type { Observation } from "./observation.ts";
import { plainName } from "./step-name.ts";
import { draftAttributes, screened } from "./screened-facts.ts";
import { otherError } from "./error-type.ts";

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
