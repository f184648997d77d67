/**
 * @module Payloads of the receive bench: batches as our own exporter sends them (≤ 1 kB a span),
 * and spans of a library that sends 11 kB of content with each, plain and gzipped.
 */
import { gzipSync } from "node:zlib";

import { attribute } from "@turnproof/semconv";

import { encodeProtobuf, traceRequest } from "../../otlp/encode.ts";
import type { PlainAttributes, PlainSpan } from "../../otlp/encode.ts";

/** Spans of one batch, as SDKs send them by default. */
export const spansPerBatch = 512;

/** A batch of requests of one sort. */
export interface Load {
  readonly name: string;
  readonly bodies: readonly Uint8Array[];
  readonly encoding: "gzip" | "identity";
  readonly bytesPerSpan: number;
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0");
const words = "the customer asked where the parcel is and the agent looked it up in the system ";

function ownAttributes(index: number): PlainAttributes {
  const turn = Math.floor(index / 8);
  const shared = {
    [attribute.agent_id.span]: "support-desk",
    [attribute.user_id.span]: `user-${turn % 500}`,
    [attribute.thread_id.span]: `thread-${turn % 2_000}`,
    [attribute.turn_id.span]: `turn-${turn}`,
    [attribute.run_id.span]: `run-${turn}`,
    [attribute.memory_id.span]: "memory-main",
    [attribute.producer_id.span]: "producer-01",
    [attribute.producer_seq.span]: index,
  };
  if (index % 8 === 0) {
    return {
      ...shared,
      [attribute.genai_operation.span]: "invoke_agent",
      [attribute.agent_name.span]: "Support Desk",
      [attribute.event_kind.span]: "turn",
    };
  }
  if (index % 8 < 4) {
    return {
      ...shared,
      [attribute.event_kind.span]: "model_call",
      [attribute.genai_operation.span]: "chat",
      [attribute.provider.span]: "openai",
      [attribute.model.span]: "gpt-5.2-mini",
      [attribute.response_model.span]: "gpt-5.2-mini-2026-08-01",
      [attribute.input_tokens.span]: 1_200 + (index % 97),
      [attribute.output_tokens.span]: 240 + (index % 31),
      [attribute.finish_reason.span]: ["stop"],
      [attribute.ttft_ms.span]: 120.5 + (index % 11),
    };
  }
  return {
    ...shared,
    [attribute.event_kind.span]: "tool_call",
    [attribute.genai_operation.span]: "execute_tool",
    [attribute.tool_name.span]: "order_lookup",
    [attribute.tool_call_id.span]: `call_${hex(index, 12)}`,
    [attribute.tool_outcome.span]: "success",
    [attribute.result_count.span]: index % 5,
  };
}

const vocabulary = words.trim().split(" ");

/** About 3.6 kB of words in an order of their own, which compresses as prose does. */
function prose(seed: number): string {
  let state = seed + 1;
  let text = "";
  while (text.length < 3_600) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    text += `${vocabulary[(state >>> 16) % vocabulary.length]}${(state >>> 8) % 97} `;
  }
  return text;
}

function contentAttributes(index: number): PlainAttributes {
  const text = prose(index);
  return {
    [attribute.genai_operation.span]: "chat",
    [attribute.provider.span]: "openai",
    [attribute.model.span]: "gpt-5.2-mini",
    [attribute.input_tokens.span]: 1_200 + (index % 97),
    [attribute.output_tokens.span]: 240,
    [attribute.thread_id.span]: `thread-${index % 2_000}`,
    "gen_ai.input.messages": text,
    "gen_ai.output.messages": text,
    "gen_ai.system_instructions": text,
  };
}

function span(index: number, attributes: PlainAttributes, base: bigint): PlainSpan {
  const start = base + BigInt(index) * 1_000_003n;
  const root = index % 8 === 0;
  return {
    traceId: hex(Math.floor(index / 8) + 1, 32),
    spanId: hex(index + 1, 16),
    ...(root ? {} : { parentSpanId: hex(index - (index % 8) + 1, 16) }),
    name: root ? "invoke_agent Support Desk" : "chat gpt-5.2-mini",
    kind: root ? 1 : 3,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + 1_234_567n),
    status: { code: 1 },
    attributes,
    scope: { name: "@turnproof/instrumentation", version: "0.1.0" },
  };
}

/** Batches of spans, every one with ids of its own. */
export function batches(
  name: string,
  count: number,
  content: boolean,
  encoding: Load["encoding"],
  offset: number = 0,
  perBatch: number = spansPerBatch,
): Load {
  const base = 1_790_000_000_000_000_000n;
  const bodies: Uint8Array[] = [];
  let bytes = 0;
  for (let batch = 0; batch < count; batch++) {
    const spans = Array.from({ length: perBatch }, (_, at) => {
      const index = offset + batch * perBatch + at;
      return span(index, content ? contentAttributes(index) : ownAttributes(index), base);
    });
    const body = encodeProtobuf(traceRequest(spans, { "service.name": "support-desk" }));
    bytes += body.byteLength;
    bodies.push(encoding === "gzip" ? gzipSync(body, { level: 6 }) : body);
  }
  return { name, bodies, encoding, bytesPerSpan: bytes / (count * perBatch) };
}
