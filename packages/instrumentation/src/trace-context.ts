/**
 * @module TraceContext: identity of a turn and its current parent span. It is stored in the
 * OpenTelemetry context, so concurrent turns of one process never mix.
 */
import { createContextKey, isSpanContextValid, trace, TraceFlags } from "@opentelemetry/api";
import type { Context, SpanContext } from "@opentelemetry/api";
import { attribute, CodedError, knownIdentity } from "@turnproof/semconv";
import type { AttributeRow, IdentityOptions } from "@turnproof/semconv";

import { activeContext, runIn } from "./active-context.ts";
import { readCarrier, writeCarrier } from "./carrier.ts";
import type { Carrier, CarrierContent } from "./carrier.ts";
import { checkedIdentity } from "./turn-identity.ts";
import type { TurnIdentity } from "./turn-identity.ts";

/** What a worker expects of its job; a carrier with other values is refused. */
export interface ExpectedScope
  extends
    Pick<IdentityOptions, "userId">,
    Partial<Pick<IdentityOptions, "agentId" | "memoryId" | "threadId">> {}

const activeKey = createContextKey("turnproof.trace-context");

/** The trace context of a turn at one of its spans; immutable. */
export class TraceContext {
  readonly identity: TurnIdentity;
  readonly spanContext: SpanContext;
  /** Event that caused what is recorded next, if any. */
  readonly causedBy: string | undefined;

  constructor(identity: TurnIdentity, spanContext: SpanContext, causedBy?: string) {
    this.identity = checkedIdentity(identity);
    this.spanContext = spanContext;
    this.causedBy = causedBy;
  }

  /** The root trace id of the turn: the W3C trace id. */
  get rootTraceId(): string {
    return this.spanContext.traceId;
  }

  /** The same turn with another parent span. */
  at(spanContext: SpanContext, causedBy: string | undefined = this.causedBy): TraceContext {
    return new TraceContext(this.identity, spanContext, causedBy);
  }

  /** A carrier for a job: W3C traceparent and our baggage members, with this span as the parent. */
  toCarrier(): Carrier {
    const { traceId, spanId, traceFlags } = this.spanContext;
    const causedBy = this.causedBy === undefined ? {} : { causedBy: this.causedBy };
    return writeCarrier({ traceId, spanId, traceFlags, ...this.identity, ...causedBy });
  }

  /** OpenTelemetry context in which this turn and this span are the active ones. */
  toContext(parent: Context = activeContext()): Context {
    return trace.setSpanContext(parent, this.spanContext).setValue(activeKey, this);
  }

  /** Runs the function with this turn and span active. */
  with<T>(fn: () => T): T {
    return runIn(this.toContext(), fn);
  }

  /**
   * Restores a context from a carrier. A carrier is not a credential: check who owns the job
   * first, or pass `expected`, which must match.
   * @throws CodedError `carrier_…` when it is incomplete, malformed or holds anything unknown
   */
  static fromCarrier(carrier: unknown, expected?: ExpectedScope): TraceContext {
    const content = readCarrier(carrier);
    if (expected !== undefined) checkExpected(content, expected);
    return fromContent(content);
  }

  /**
   * The active turn of an OpenTelemetry context, with that context's active span as the parent.
   */
  static active(from: Context = activeContext()): TraceContext | undefined {
    const found = from.getValue(activeKey);
    if (!(found instanceof TraceContext)) return undefined;
    const span = trace.getSpanContext(from);
    const moved =
      span !== undefined && isSpanContextValid(span) && span.traceId === found.rootTraceId;
    return moved && span.spanId !== found.spanContext.spanId ? found.at(span) : found;
  }
}

/** Builds a context from the content of a carrier or a propagator. */
export function fromContent(content: CarrierContent): TraceContext {
  const { traceId, spanId, traceFlags, traceState: _, causedBy, ...identity } = content;
  const flags = traceFlags & TraceFlags.SAMPLED;
  const spanContext = { traceId, spanId, traceFlags: flags, isRemote: true };
  return new TraceContext(identity, spanContext, causedBy);
}

function checkExpected(content: CarrierContent, expected: ExpectedScope): void {
  const { userId } = expected;
  const same = (
    row: AttributeRow,
    stated: string | undefined,
    wanted: string | undefined,
  ): boolean =>
    // A carrier holds a keyed field as its fingerprint; a worker may expect either form.
    wanted === undefined || stated === wanted || stated === knownIdentity(row, wanted);
  const agrees =
    // An absent user is not the anonymous user: a worker that expects either must find it stated.
    (typeof userId === "string"
      ? same(attribute.user_id, content.userId ?? undefined, userId)
      : content.userId === userId) &&
    same(attribute.agent_id, content.agentId, expected.agentId) &&
    same(attribute.memory_id, content.memoryId, expected.memoryId) &&
    same(attribute.thread_id, content.threadId, expected.threadId);
  if (!agrees) throw new CodedError("carrier_scope_mismatch");
}
