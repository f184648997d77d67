/**
 * @module Span ledger: what a test sent, what was acknowledged, and what must therefore be stored.
 * It lives in the test's process, outside of what is killed.
 */
import { attribute } from "@turnproof/semconv";
import type { TurnEvent } from "@turnproof/evidence";

import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import type { PlainSpan } from "../../otlp/encode.ts";

/** The part of an event that a span determines, written down before it is sent. */
export interface Expected {
  readonly event_id: string;
  readonly root_trace_id: string;
  readonly parent_span_id: string;
  readonly application_id: string;
  readonly agent_id: string;
  readonly user_id: string;
  readonly thread_id: string;
  readonly timestamp: string;
  readonly model: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
}

/** A request, ready to send. */
export interface Batch {
  readonly body: Uint8Array;
  readonly headers: Record<string, string>;
  readonly ids: readonly string[];
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0");
const base = 1_790_000_000_000_000_000n;

/** Makes spans that never repeat, and keeps what is known of each. */
export class SpanLedger {
  readonly sent = new Map<string, Expected>();
  readonly acknowledged = new Set<string>();
  private next: number;

  /** Spans are numbered from `first`; equal numbers make equal spans. */
  constructor(first = 1) {
    this.next = first;
  }

  /** A batch of `count` spans, by turns in protobuf and in JSON. */
  batch(count: number): Batch {
    const spans = Array.from({ length: count }, () => this.span(this.next++));
    const request = traceRequest(spans, { "service.name": "shop" });
    const json = this.next % 2 === 0;
    return {
      body: json ? Buffer.from(JSON.stringify(request)) : encodeProtobuf(request),
      headers: { "content-type": json ? "application/json" : "application/x-protobuf" },
      ids: spans.map((span) => `${span.spanId}:result`),
    };
  }

  /** Everything in the batch is durable, by the collector's answer. */
  acknowledge(batch: Batch): void {
    for (const id of batch.ids) this.acknowledged.add(id);
  }

  private span(index: number): PlainSpan {
    const spanId = hex(index, 16);
    const traceId = hex(Math.floor(index / 5) + 1, 32);
    const start = base + BigInt(index) * 1_000_000_007n;
    const end = start + 12_345_678n;
    const seconds = Number(end / 1_000_000_000n);
    const nanos = String(end % 1_000_000_000n).padStart(9, "0");
    this.sent.set(`${spanId}:result`, {
      event_id: `${spanId}:result`,
      root_trace_id: traceId,
      parent_span_id: hex(index + 1_000_000, 16),
      application_id: "shop",
      agent_id: `agent-${index % 7}`,
      user_id: `user-${index % 13}`,
      thread_id: `thread-${index % 101}`,
      timestamp: `${new Date(seconds * 1_000).toISOString().slice(0, 19)}.${nanos}Z`,
      model: `model-${index % 3}`,
      input_tokens: index,
      output_tokens: index * 3,
    });
    return {
      traceId,
      spanId,
      parentSpanId: hex(index + 1_000_000, 16),
      name: "chat",
      kind: 3,
      startTimeUnixNano: String(start),
      endTimeUnixNano: String(end),
      attributes: {
        [attribute.genai_operation.span]: "chat",
        [attribute.agent_id.span]: `agent-${index % 7}`,
        [attribute.user_id.span]: `user-${index % 13}`,
        [attribute.thread_id.span]: `thread-${index % 101}`,
        [attribute.model.span]: `model-${index % 3}`,
        [attribute.input_tokens.span]: index,
        [attribute.output_tokens.span]: index * 3,
        "gen_ai.input.messages": `content of ${index}, which is refused`,
      },
    };
  }
}

/** The same part of a stored event. */
export function expectedOf(event: TurnEvent): Record<keyof Expected, unknown> {
  return {
    event_id: event.event_id,
    root_trace_id: event.root_trace_id,
    parent_span_id: event.parent_span_id,
    application_id: event.application_id,
    agent_id: event.agent_id,
    user_id: event.user_id,
    thread_id: event.thread_id,
    timestamp: event.timestamp,
    model: event.attributes.model,
    input_tokens: event.attributes.input_tokens,
    output_tokens: event.attributes.output_tokens,
  };
}
