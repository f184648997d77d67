/**
 * @module SoakTurns: turns as an application sends them now, eight spans each: an agent, three
 * model calls and four tool calls. 500 users and 2,000 threads come again and again.
 */
import { attribute } from "@turnproof/semconv";

import { encodeProtobuf, traceRequest } from "../otlp/encode.ts";
import type { PlainAttributes, PlainSpan } from "../otlp/encode.ts";

const turnSpans = 8;
const tookNanos = 90_000_000n;

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0");

function attributesOf(index: number): PlainAttributes {
  const turn = Math.floor(index / turnSpans);
  const shared = {
    [attribute.agent_id.span]: "support-desk",
    [attribute.user_id.span]: `user-${turn % 500}`,
    [attribute.thread_id.span]: `thread-${turn % 2_000}`,
    [attribute.turn_id.span]: `turn-${turn}`,
    [attribute.run_id.span]: `run-${turn}`,
  };
  if (index % turnSpans === 0) {
    return { ...shared, [attribute.genai_operation.span]: "invoke_agent" };
  }
  if (index % turnSpans < 4) {
    return {
      ...shared,
      [attribute.genai_operation.span]: "chat",
      [attribute.provider.span]: "openai",
      [attribute.model.span]: "gpt-5.2-mini",
      [attribute.input_tokens.span]: 1_200 + (index % 97),
      [attribute.output_tokens.span]: 240 + (index % 31),
      "gen_ai.input.messages": `content of ${index}, which is refused`,
    };
  }
  return {
    ...shared,
    [attribute.genai_operation.span]: "execute_tool",
    [attribute.tool_name.span]: `lookup-${index % turnSpans}`,
    [attribute.tool_call_id.span]: `call_${hex(index, 12)}`,
    [attribute.tool_outcome.span]: "success",
    [attribute.result_count.span]: index % 5,
  };
}

function spanOf(index: number, endNanos: bigint): PlainSpan {
  const place = index % turnSpans;
  const start = endNanos - tookNanos * BigInt(turnSpans + 1 - place);
  return {
    traceId: hex(Math.floor(index / turnSpans) + 1, 32),
    spanId: hex(index + 1, 16),
    ...(place === 0 ? {} : { parentSpanId: hex(index - place + 1, 16) }),
    name: place === 0 ? "invoke_agent" : "operation",
    kind: place === 0 ? 1 : 3,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(place === 0 ? endNanos : start + tookNanos),
    attributes: attributesOf(index),
  };
}

/** A request of so many spans that ended just now, numbered from `first`. */
export function turnsBody(first: number, spans: number): Uint8Array<ArrayBuffer> {
  const endNanos = BigInt(Date.now()) * 1_000_000n;
  const all = Array.from({ length: spans }, (_, at) => spanOf(first + at, endNanos));
  const request = traceRequest(all, { "service.name": "support-desk" });
  return Uint8Array.from(encodeProtobuf(request));
}
