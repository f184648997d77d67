/**
 * @module Own spans: spans that the processor itself creates: a start marker of an open span, a
 * report of losses, a heartbeat. All have zero length, so any tool shows them.
 */
import type { Attributes, HrTime } from "@opentelemetry/api";
import { attribute, ownSpanNames, producerReports } from "@turnproof/semconv";

import type { ReadableSpanLike, ResourceLike } from "../gate/sdk-shapes.ts";
import type { ExportHealth } from "./span-counts.ts";

const instrumentationScope = { name: "@turnproof/exporter" } as const;
const noDuration: HrTime = [0, 0];

/** Random lower-case hex digits. */
export function randomHex(digits: number): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(digits / 2));
  let text = "";
  for (const byte of bytes) text += (byte + 256).toString(16).slice(1);
  return text;
}

/**
 * The start marker of an open span: a span of its own, with the event id `<span_id>:start` and the
 * span's attributes so far.
 */
export function startMarker(span: ReadableSpanLike): ReadableSpanLike {
  const marked = span.spanContext();
  const context = { ...marked, spanId: randomHex(16) };
  return {
    name: span.name,
    kind: span.kind,
    spanContext: () => context,
    ...(span.parentSpanContext === undefined ? {} : { parentSpanContext: span.parentSpanContext }),
    ...(span.parentSpanId === undefined ? {} : { parentSpanId: span.parentSpanId }),
    startTime: span.startTime,
    endTime: span.startTime,
    status: { code: 0 },
    attributes: {
      ...span.attributes,
      [attribute.phase.span]: "start",
      [attribute.event_id.span]: `${marked.spanId}:start`,
    },
    links: [],
    events: [],
    duration: noDuration,
    ended: true,
    resource: span.resource,
    instrumentationScope: span.instrumentationScope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/**
 * A producer's report of its own losses, as a span in a trace of its own (evidence: Loss
 * accounting). `earliestMs`: start of its earliest evidence, epoch milliseconds; absent where
 * older evidence may be concerned.
 */
export function lossReport(
  health: ExportHealth,
  producerId: string,
  resource: ResourceLike,
  earliestMs?: number,
): ReadableSpanLike {
  const reasons = Object.keys(health.dropped).toSorted().slice(0, 32);
  const lost = Object.values(health.dropped).reduce((sum, count) => sum + count, 0);
  const attributes: Attributes = {
    [attribute.quality_code.span]: producerReports.losses,
    [attribute.producer_id.span]: producerId,
    [attribute.last_seq.span]: health.created,
    [attribute.loss_created.span]: health.created,
    [attribute.loss_exported.span]: health.exported,
    [attribute.loss_spooled.span]: health.spooled,
    [attribute.loss_dropped.span]: lost,
    [attribute.sampled_out.span]: health.sampled_out,
    [attribute.write_failures.span]: health.write_failures,
  };
  if (reasons.length > 0) {
    attributes[attribute.loss_reasons.span] = reasons;
    attributes[attribute.loss_reason_counts.span] = reasons.map(
      (code) => health.dropped[code] ?? 0,
    );
  }
  if (earliestMs !== undefined) {
    attributes[attribute.loss_covers_ms.span] = Math.max(0, Math.ceil(Date.now() - earliestMs));
  }
  return qualitySpan(attributes, resource);
}

/**
 * A producer's heartbeat while evidence spans are open, with their number (evidence: Reconcile).
 */
export function heartbeat(
  openSpans: number,
  producerId: string,
  resource: ResourceLike,
): ReadableSpanLike {
  return qualitySpan(
    {
      [attribute.quality_code.span]: producerReports.heartbeat,
      [attribute.producer_id.span]: producerId,
      [attribute.open_spans.span]: openSpans,
    },
    resource,
  );
}

/** The service instance of this process; a restarted process is recognized by it. */
function instanceOf({ attributes }: ResourceLike): Attributes {
  const name = attribute.service_instance_id.span;
  const instance = attributes[name];
  return typeof instance === "string" ? { [name]: instance } : {};
}

/** A data-quality event of this process, at the present time, in a trace of its own. */
function qualitySpan(facts: Attributes, resource: ResourceLike): ReadableSpanLike {
  const context = { traceId: randomHex(32), spanId: randomHex(16), traceFlags: 1 };
  const now = hrNow();
  return {
    name: ownSpanNames.data_quality,
    kind: 0,
    spanContext: () => context,
    startTime: now,
    endTime: now,
    status: { code: 0 },
    attributes: {
      [attribute.event_kind.span]: "data_quality",
      [attribute.phase.span]: "event",
      [attribute.status.span]: "success",
      ...instanceOf(resource),
      ...facts,
    },
    links: [],
    events: [],
    duration: noDuration,
    ended: true,
    resource,
    instrumentationScope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function hrNow(): HrTime {
  const now = Date.now();
  return [Math.floor(now / 1_000), (now % 1_000) * 1_000_000];
}
