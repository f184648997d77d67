/**
 * @module RecorderSpan: a host operation while it runs. Without an explicit end its status is
 * unknown, never success.
 */
/// <reference lib="esnext.disposable" preserve="true" />
import type { Context, SpanContext } from "@opentelemetry/api";
import type { EventStatus } from "@turnproof/semconv";

import { runIn } from "./active-context.ts";
import type { Carrier } from "./carrier.ts";
import type { OpenEvidence } from "./evidence-sink.ts";
import { refAttributes } from "./resource-ref.ts";
import type { ResourceRef } from "./resource-ref.ts";
import type { TraceContext } from "./trace-context.ts";
import { errorTypeOf } from "./error-type.ts";
import type { Facts } from "./observation.ts";

/** Fields of the end of an operation. */
export interface SpanResult {
  readonly outputRefs?: readonly ResourceRef[];
  /** Attributes by their event names, as in `startSpan`. */
  readonly facts?: Facts;
}

/** An open host span; end it by `succeed`, `partial` or `fail`; disposing it leaves it unknown. */
export class RecorderSpan implements Disposable, AsyncDisposable {
  readonly #open: OpenEvidence;
  readonly #turn: TraceContext;
  #ended: Promise<void> | undefined;

  constructor(open: OpenEvidence, turn: TraceContext) {
    this.#open = open;
    this.#turn = turn;
  }

  /** Id of this span, for `producingSpanId`. */
  get spanId(): string {
    return this.#open.spanContext.spanId;
  }

  get spanContext(): SpanContext {
    return this.#open.spanContext;
  }

  /** OpenTelemetry context in which this span is the parent of what is recorded. */
  get context(): Context {
    return this.traceContext.toContext(this.#open.context);
  }

  /** The turn with this span as the parent. */
  get traceContext(): TraceContext {
    return this.#turn.at(this.#open.spanContext);
  }

  /** Runs the function with this span as the parent of everything recorded in it. */
  run<T>(fn: () => T): T {
    return runIn(this.context, fn);
  }

  /** A carrier for a job whose parent is this span. */
  toCarrier(): Carrier {
    return this.traceContext.toCarrier();
  }

  /** Ends it as success. Resolves when the sink has it. */
  succeed(result: SpanResult = {}): Promise<void> {
    return this.#end("success", result);
  }

  /** Ends it as partial: something is missing. */
  partial(result: SpanResult = {}): Promise<void> {
    return this.#end("partial", result);
  }

  /** Ends it as failed, with the error's class, never its text. */
  fail(error?: unknown, result: SpanResult = {}): Promise<void> {
    return this.#end("error", result, error === undefined ? undefined : errorTypeOf(error));
  }

  /** Ends it as unknown unless it has ended already. */
  [Symbol.dispose](): void {
    // `using` cannot wait, and the recorder has counted a failed write already.
    void this.#end("unknown", {}).catch(() => undefined);
  }

  /** Ends it as unknown unless it has ended already, and waits for the sink. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end("unknown", {});
  }

  #end(status: EventStatus, { outputRefs, facts }: SpanResult, errorType?: string): Promise<void> {
    try {
      this.#ended ??= this.#open.end({
        status,
        attributes: { ...definedFacts(facts), ...refAttributes("output", outputRefs) },
        ...(errorType === undefined ? {} : { errorType }),
      });
      return this.#ended;
    } catch (error) {
      // The guard refused the facts: the span is still open and can be ended with others.
      return Promise.reject(error);
    }
  }
}

function definedFacts(facts: Facts = {}): Record<string, NonNullable<Facts[string]>> {
  return Object.fromEntries(
    Object.entries(facts).filter(
      (entry): entry is [string, NonNullable<Facts[string]>] => entry[1] !== undefined,
    ),
  );
}
