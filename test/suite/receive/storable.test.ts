/**
 * What the receiver accepts, every store takes: a span that was acknowledged and then refused
 * permanently would be lost to its readers. Every source attribute at the edge of its type, under
 * every kind that may carry it, through the mapping and the frame into the stored form and the
 * engine's rows.
 */
import { sourceNames, spanToEvent } from "@turnproof/exporter";
import type { SpanRecord } from "@turnproof/exporter";
import { attribute, eventKinds, limits } from "@turnproof/semconv";
import type { AttributeValue } from "@turnproof/semconv";
import type { TurnEvent } from "@turnproof/evidence";
import { BlockPreparer } from "@turnproof/store/prepare";
import { expect, test } from "vitest";

import { decodeFrame, encodeFrame } from "../../../collector/src/receive/otlp/frame-codec.ts";
import { storedForm } from "../../../packages/store/src/stored-event.ts";

const most = limits.stringCharsMax;
const entries = limits.listEntriesMax;
const extremes: readonly AttributeValue[] = [
  "x".repeat(most),
  "a/".repeat(most / 2),
  "ü".repeat(most),
  "9999-12-31T23:59:59.999999999Z",
  "2026-11-21T10:00:00.123456789123456789+05:00",
  '{"input":9007199254740991,"output":9007199254740991}',
  0.5,
  -1,
  2 ** 53 - 1,
  2 ** 64,
  1.7e308,
  Array.from({ length: entries }, () => "y".repeat(most)),
  Array.from({ length: entries }, () => 1.7e308),
  true,
];

/** What makes a span one of each kind: its own word, or that of a library. */
const hosts: readonly SpanRecord["attributes"][] = [
  {},
  ...eventKinds.map((kind) => ({ [attribute.event_kind.span]: kind })),
  ...["chat", "execute_tool", "invoke_agent", "search_memory"].map((operation) => ({
    [attribute.genai_operation.span]: operation,
  })),
  { "openinference.span.kind": "LLM" },
  { "traceloop.span.kind": "tool" },
  { "ai.operationId": "ai.generateText" },
  { "langfuse.observation.type": "generation" },
];

const blank = {
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  kind: 3,
  startTimeUnixNano: "1790000000000000001",
  endTimeUnixNano: "1790000000500000002",
  statusCode: 0,
  resource: {},
} satisfies Omit<SpanRecord, "attributes">;
const receivedAt = "2026-11-21T10:00:00.000001Z";

function eventOf(attributes: SpanRecord["attributes"]): TurnEvent {
  const context = { receivedAt, keyIdentity: () => `k1_${"a".repeat(26)}` };
  return spanToEvent({ ...blank, attributes }, context);
}

/** True when the event holds something, beside the count of what was left out of it. */
function isStated(event: TurnEvent, bare: string): boolean {
  const { dropped: _, ...rest } = event;
  return JSON.stringify(rest) !== bare;
}

/** Undefined when every store takes the event, else which one does not. */
function refusal(mapped: TurnEvent, rows: BlockPreparer): string | undefined {
  const [event] = decodeFrame(encodeFrame([mapped]));
  if (event === undefined) return "no event";
  try {
    storedForm(event, receivedAt);
  } catch {
    return "the stored form";
  }
  try {
    rows.add(event, receivedAt);
  } catch {
    return "the engine's rows";
  }
  return undefined;
}

test("no attribute at the edge of its type makes a row that a store refuses", () => {
  const refused = new Set<string>();
  let seen = 0;
  for (const host of hosts) {
    let rows = new BlockPreparer();
    const bare = JSON.stringify(eventOf(host));
    for (const name of sourceNames) {
      for (const [index, value] of extremes.entries()) {
        const event = eventOf({ ...host, [name]: value });
        if (!isStated(event, bare)) continue;
        seen += 1;
        const by = refusal(event, rows);
        if (by === undefined) continue;
        refused.add(`${name}, value ${index}: ${by}`);
        rows = new BlockPreparer();
      }
    }
    rows.finish("batch", receivedAt);
  }
  expect([...refused]).toEqual([]);
  expect(seen).toBeGreaterThan(5_000);
});

test("an operation keeps its subject as long as both fit, and goes without it beyond", () => {
  const operationOf = (length: number): string | undefined => {
    const attributes = {
      [attribute.genai_operation.span]: "chat",
      [attribute.model.span]: "m".repeat(length),
    };
    return spanToEvent({ ...blank, attributes }, { receivedAt }).operation;
  };
  expect(operationOf(most - 5)).toBe(`chat ${"m".repeat(most - 5)}`);
  expect(operationOf(most - 4)).toBe("chat");
  expect(operationOf(most)).toBe("chat");
});
