/**
 * @module OpenStep: a model call, tool call or memory operation while it runs. It ends once; of a
 * thrown error only the class is recorded.
 */
import type { Context } from "@opentelemetry/api";
import type { EventStatus } from "@turnproof/semconv";

import { runIn } from "./active-context.ts";
import type { OpenEvidence } from "./evidence-sink.ts";
import type { TraceContext } from "./trace-context.ts";
import { errorTypeOf } from "./error-type.ts";
import type { Facts } from "./observation.ts";

/** Shared life cycle of the steps of a turn. */
export class OpenStep {
  readonly #open: OpenEvidence;
  readonly #turn: TraceContext;
  /** When the step began, in the clock of durations (milliseconds). */
  readonly startedAt: number = performance.now();
  #ended: Promise<void> | undefined;

  constructor(open: OpenEvidence, turn: TraceContext) {
    this.#open = open;
    this.#turn = turn;
  }

  /** Id of the step's span. */
  get spanId(): string {
    return this.#open.spanContext.spanId;
  }

  /** Context in which this step is the parent. */
  get context(): Context {
    return this.#turn.at(this.#open.spanContext).toContext(this.#open.context);
  }

  /** True once it has ended. */
  get ended(): boolean {
    return this.#ended !== undefined;
  }

  /** Ends it; later calls do nothing. Resolves when the sink has it. */
  end(status: EventStatus, facts: Facts = {}, errorType?: string): Promise<void> {
    const attributes = Object.fromEntries(
      Object.entries(facts).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      ),
    );
    try {
      this.#ended ??= this.#open.end({
        status,
        attributes,
        ...(errorType === undefined ? {} : { errorType }),
      });
      return this.#ended;
    } catch (error) {
      // The guard refused the facts: the step is still open and can be ended with others.
      return Promise.reject(error);
    }
  }
}

/**
 * Runs `fn` inside the step; a throw ends it by `onThrow`, a return without an end by `onReturn`.
 */
export async function runStep<T>(
  step: OpenStep,
  fn: () => Promise<T> | T,
  onReturn: () => Promise<void>,
  onThrow: (errorType: string) => Promise<void>,
): Promise<T> {
  let value: T;
  try {
    value = await runIn(step.context, fn);
  } catch (error) {
    await onThrow(errorTypeOf(error));
    throw error;
  }
  await onReturn();
  return value;
}
