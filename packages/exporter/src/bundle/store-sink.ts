/**
 * @module Store sink: writes evidence of a host recorder into a store, one event per call; the
 * promise resolves when it is durable and rejects when it is not. It implements the recorder's sink
 * port and uses the same mapping as every span.
 */
import { trace } from "@opentelemetry/api";
import type { Context, Link, SpanContext, TimeInput } from "@opentelemetry/api";
import { attribute } from "@turnproof/semconv";
import type { AttributeValue, EventStatus, IdentityOptions } from "@turnproof/semconv";

import { nanosecondsOf } from "../gate/span-record-of.ts";
import type { KeyIdentity } from "../mapping/span-reading.ts";
import type { SpanRecord } from "../mapping/span-record.ts";
import { spanToEvent } from "../mapping/span-to-event.ts";
import { randomHex } from "../processor/own-spans.ts";
import { batchOf, microsecondsNow, writeBatch } from "./evidence-write.ts";
import type { EvidenceTaker } from "./evidence-write.ts";

/** Options of the sink. */
export interface StoreSinkOptions {
  readonly store: EvidenceTaker;
  /** `service.name` of the records. */
  readonly applicationId?: IdentityOptions["applicationId"];
  readonly keyIdentity?: KeyIdentity;
  /** Attempts at a write with a retryable error; default 3. */
  readonly attemptsMax?: number;
  /** Time of receipt, ISO 8601 UTC with microseconds; default the clock of this process. */
  readonly now?: () => string;
}

/** A span that begins; attributes by span name, screened by the guard already. */
export interface SinkDraft {
  readonly name: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  readonly parent: Context;
  readonly startTime?: TimeInput;
  readonly links?: readonly Link[];
}

/** The end of a span. */
export interface SinkResult {
  readonly status: EventStatus;
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
  readonly errorType?: string;
  readonly endTime?: TimeInput;
}

/** A span that has begun; its ids are set at once. */
export interface SinkSpan {
  readonly spanContext: SpanContext;
  readonly context: Context;
  /** Rejects with `write_failed` when the store did not store it. */
  end(result: SinkResult): Promise<void>;
}

/** Creates a sink that writes into the store. */
export function storeSink(options: StoreSinkOptions): { start(draft: SinkDraft): SinkSpan } {
  const { store, attemptsMax = 3, now = microsecondsNow, keyIdentity } = options;
  const resource = applicationResource(options.applicationId);
  return {
    start(draft) {
      const parent = trace.getSpanContext(draft.parent);
      const spanContext: SpanContext = {
        traceId: parent?.traceId ?? randomHex(32),
        spanId: randomHex(16),
        traceFlags: 1,
      };
      const started = nanosecondsAt(draft.startTime);
      return {
        spanContext,
        context: trace.setSpanContext(draft.parent, spanContext),
        async end(result) {
          const record = recordOf(draft, result, { spanContext, parent, started, resource });
          const receivedAt = now();
          const context = { receivedAt, ...(keyIdentity === undefined ? {} : { keyIdentity }) };
          const event = spanToEvent(record, context);
          await writeBatch(store, batchOf([event], receivedAt), attemptsMax);
        },
      };
    },
  };
}

function applicationResource(applicationId: string | undefined): SpanRecord["resource"] {
  return applicationId === undefined ? {} : { [attribute.application_id.span]: applicationId };
}

interface Around {
  readonly spanContext: SpanContext;
  readonly parent: SpanContext | undefined;
  readonly started: string;
  readonly resource: SpanRecord["resource"];
}

function recordOf(draft: SinkDraft, result: SinkResult, around: Around): SpanRecord {
  const { spanContext, parent, started, resource } = around;
  const failed = result.status === "error";
  return {
    traceId: spanContext.traceId,
    spanId: spanContext.spanId,
    ...(parent === undefined ? {} : { parentSpanId: parent.spanId }),
    ...(parent?.isRemote === true ? { parentRemote: true } : {}),
    kind: draft.kind + 1,
    name: draft.name,
    startTimeUnixNano: started,
    endTimeUnixNano: nanosecondsAt(result.endTime),
    statusCode: failed ? 2 : 0,
    attributes: {
      ...draft.attributes,
      ...result.attributes,
      [attribute.status.span]: result.status,
      ...(result.errorType === undefined ? {} : { [attribute.error_type.span]: result.errorType }),
    },
    resource,
    ...(draft.links === undefined ? {} : { links: draft.links.map(({ context }) => context) }),
  };
}

/**
 * A smaller number of milliseconds is the age of the process, as `performance.now()` returns it.
 */
const epochMsMin = 1e11;

/** A time of the API in nanoseconds; now when it is absent. */
function nanosecondsAt(time: TimeInput | undefined): string {
  if (Array.isArray(time)) return nanosecondsOf(time);
  const given = time instanceof Date ? time.getTime() : time;
  const ms = given ?? performance.timeOrigin + performance.now();
  const epoch = ms < epochMsMin ? performance.timeOrigin + ms : ms;
  const seconds = Math.floor(epoch / 1_000);
  return nanosecondsOf([seconds, Math.round((epoch - seconds * 1_000) * 1_000) * 1_000]);
}
