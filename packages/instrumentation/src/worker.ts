/**
 * @module Worker: continues a turn in a job. The carrier is checked against the job's owner;
 * without a carrier, a worker with a fallback records that and continues.
 */
import { trace } from "@opentelemetry/api";
import { attribute, CodedError, ownSpanNames } from "@turnproof/semconv";

import { activeContext } from "./active-context.ts";
import type { EvidenceSink } from "./evidence-sink.ts";
import { TraceContext } from "./trace-context.ts";
import type { ExpectedScope } from "./trace-context.ts";
import type { TurnIdentity } from "./turn-identity.ts";
import { GuardedRecorder } from "./guarded-recorder.ts";
import type { RecorderOptions } from "./guarded-recorder.ts";

/** What a worker receives with its job. */
export interface WorkerOptions extends RecorderOptions {
  readonly sink: EvidenceSink;
  /** The validated owner of the job; a carrier with another owner is refused. */
  readonly expected: ExpectedScope;
  /** Identity to continue with when there is no usable carrier. Without it, that is an error. */
  readonly fallback?: TurnIdentity;
}

/**
 * The turn that a job belongs to. With a fallback, a missing or refused carrier is recorded as the
 * data-quality event `trace_context_missing` under a new root, and no verdict counts that as
 * success. A carrier of another tenant is refused in any case.
 * @throws CodedError `carrier_…`
 */
export async function forWorker(carrier: unknown, options: WorkerOptions): Promise<TraceContext> {
  try {
    if (carrier === undefined || carrier === null) throw new CodedError("carrier_missing");
    return TraceContext.fromCarrier(carrier, options.expected);
  } catch (error) {
    const foreign = CodedError.is(error) && error.code === "carrier_scope_mismatch";
    if (foreign || options.fallback === undefined) throw error;
    return goOnWithout(options.fallback, options);
  }
}

async function goOnWithout(identity: TurnIdentity, options: WorkerOptions): Promise<TraceContext> {
  const recorder = new GuardedRecorder(options.sink, options);
  const seed = new TraceContext(identity, { traceId: "", spanId: "", traceFlags: 0 });
  const open = recorder.begin(
    seed,
    trace.deleteSpan(activeContext()),
    {
      kind: "data_quality",
      name: ownSpanNames.data_quality,
      facts: {
        [attribute.quality_code.span]: "trace_context_missing",
        [attribute.context_missing.span]: true,
      },
    },
    "event",
  );
  await open.end({ status: "error" });
  return seed.at(open.spanContext);
}
