/** @module Tests that a value which passed the guard does not let another value pass. */
import { attribute } from "@turnproof/semconv";
import { expect, test } from "vitest";

import { spanToEvent } from "./span-to-event.ts";
import type { SourceAttributes } from "./span-record.ts";

const context = { receivedAt: "2026-11-21T10:00:00.123456Z" };

const mapped = (attributes: SourceAttributes): ReturnType<typeof spanToEvent> =>
  spanToEvent(
    {
      traceId: "0af7651916cd43dd8448eb211c80319c",
      spanId: "b7ad6b7169203331",
      kind: 1,
      startTimeUnixNano: "1793491200000000001",
      endTimeUnixNano: "1793491200250000001",
      statusCode: 0,
      attributes: { [attribute.event_kind.span]: "tool_call", ...attributes },
      resource: {},
    },
    context,
  );

/** A display name that is no label: it contains spaces. */
const words = "Support Desk";

test("a text that passed under one name is judged anew under another", () => {
  expect(mapped({ [attribute.agent_name.span]: words }).agent_id).toBe(words);
  const event = mapped({
    [attribute.agent_name.span]: words,
    [attribute.tool_call_id.span]: words,
    [attribute.thread_id.span]: words,
  });
  expect(event.attributes.tool_call_id).toBeUndefined();
  expect(event.thread_id).toBeUndefined();
  expect(event.dropped).toEqual({ attribute_shape: 1, identity_not_opaque: 1 });
});

test("a text that is refused is refused each time, also after one that passed", () => {
  const { span } = attribute.tool_call_id;
  for (let round = 0; round < 3; round++) {
    expect(mapped({ [span]: "call_1" }).attributes.tool_call_id).toBe("call_1");
    const event = mapped({ [span]: "jane.doe@example.com" });
    expect(event.attributes.tool_call_id).toBeUndefined();
    expect(event.dropped).toEqual({ attribute_email: 1 });
  }
});

test("an identity that is not opaque is keyed each time", () => {
  const keyed = (value: string): string => `k1:${value.length}`;
  for (let round = 0; round < 2; round++) {
    const event = spanToEvent(
      {
        traceId: "0af7651916cd43dd8448eb211c80319c",
        spanId: "b7ad6b7169203331",
        kind: 1,
        startTimeUnixNano: "1",
        statusCode: 0,
        attributes: { [attribute.user_id.span]: "jane.doe@example.com" },
        resource: {},
      },
      { ...context, keyIdentity: keyed },
    );
    expect(event.user_id).toBe("k1:20");
    expect(event.dropped).toEqual({ identity_not_opaque: 1 });
  }
});
