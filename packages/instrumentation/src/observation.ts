/** @module Observation: one thing to record, by the names of span attributes. */
import type { SpanKind, Link, TimeInput } from "@opentelemetry/api";
import type { AttributeValue, EventKind } from "@turnproof/semconv";

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
