/**
 * @module Keyed names: a name that may be content has one form in the store, wherever it was keyed:
 * a producer with the key, a producer without one, or the receiver. Two of them stay two.
 */
import { contentFree, spanRecordOf, spanToEvent } from "@turnproof/exporter";
import type { GateOptions, MappingContext, ReadableSpanLike } from "@turnproof/exporter";
import type { TurnEvent } from "@turnproof/evidence";
import { allowNames, attribute } from "@turnproof/semconv";
import { parseKeyring } from "@turnproof/semconv/fingerprint";
import { createIdentityKey, keyedName, nameDigest } from "@turnproof/semconv/name-key";
import { afterEach, describe, expect, test } from "vitest";

import { createTypedIdentity } from "../../../collector/src/access/typed-identity.ts";

const [key] = parseKeyring("k7:a-key-of-the-deployment-of-32-bytes!");
const keyIdentity = createIdentityKey(key);
const prompt = "Please write me a poem about the sea and the moon";
const other = "What is the weather in Paris on Monday?";

interface Names {
  readonly agent?: string;
  readonly tool?: string;
  readonly service?: string;
  readonly server?: string;
}

function spanOf({ agent, tool, service = "desk", server }: Names): ReadableSpanLike {
  const context = { traceId: "1".repeat(32), spanId: "2".repeat(16), traceFlags: 1 };
  const attributes = {
    [attribute.genai_operation.span]: tool === undefined ? "invoke_agent" : "execute_tool",
    ...(agent === undefined ? {} : { [attribute.agent_name.span]: agent }),
    ...(tool === undefined ? {} : { [attribute.tool_name.span]: tool }),
    ...(server === undefined ? {} : { [attribute.server_address.span]: server }),
  };
  return {
    name: "any",
    kind: 0,
    spanContext: () => context,
    startTime: [1_790_000_000, 0],
    endTime: [1_790_000_001, 0],
    duration: [1, 0],
    ended: true,
    status: { code: 0 },
    attributes,
    events: [],
    links: [],
    resource: { attributes: { "service.name": service } },
    instrumentationScope: { name: "" },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** The span as it leaves a process with these rules. */
function left(span: ReadableSpanLike, options: GateOptions = {}): ReadableSpanLike {
  const out: ReadableSpanLike[] = [];
  const exporter = {
    export: (spans: ReadableSpanLike[], done: (answer: { code: number }) => void) => {
      out.push(...spans);
      done({ code: 0 });
    },
    shutdown: async () => {},
  };
  contentFree(exporter, options).export([span], () => {});
  return out[0] as ReadableSpanLike;
}

function received(span: ReadableSpanLike, rules: Partial<MappingContext> = {}): TurnEvent {
  const receivedAt = "2026-11-22T00:00:00.000000Z";
  return spanToEvent(spanRecordOf(span), { receivedAt, ...rules });
}

afterEach(() => allowNames([]));

describe("one name, one form", () => {
  const stored = keyedName(prompt, key);

  test("from a raw producer, from one with the key and from one without it", () => {
    const raw = received(spanOf({ agent: prompt }), { keyIdentity });
    const keyed = received(left(spanOf({ agent: prompt }), { keyIdentity }), { keyIdentity });
    const keyless = left(spanOf({ agent: prompt }));
    expect(keyless.attributes[attribute.agent_name.span]).toBe(nameDigest(prompt));
    expect(JSON.stringify(keyless.attributes)).not.toContain("poem");
    for (const event of [raw, keyed, received(keyless, { keyIdentity })]) {
      expect(event.agent_id).toBe(stored);
      expect(event.attributes.agent_name).toBe(stored);
      expect(event.operation).toBe(`invoke_agent ${stored}`);
      expect(JSON.stringify(event)).not.toContain("poem");
    }
    expect(raw.dropped).toEqual({ name_keyed: 1 });
  });

  test("and what a person types finds it", () => {
    const typed = createTypedIdentity(key);
    expect(typed(prompt, "agent_id")).toBe(stored);
    expect(typed("Support Desk", "agent_id")).toBe("Support Desk");
    expect(typed(stored, "agent_id")).toBe(stored);
  });

  test("without a key anywhere the digest is kept, never the name, never nothing", () => {
    const event = received(left(spanOf({ agent: prompt })));
    expect(event.agent_id).toBe(nameDigest(prompt));
    expect(nameDigest(prompt)).toMatch(/^n0_[a-z2-7]{26}$/);
  });

  test("another key gives another form, and composed letters give the same", () => {
    const [second] = parseKeyring("k7:another-key-of-a-deployment-32-bytes");
    expect(keyedName(prompt, second)).not.toBe(stored);
    const sentence = "Était-ce là une très longue question, madame la présidente ?";
    expect(nameDigest(sentence.normalize("NFD"))).toBe(nameDigest(sentence));
  });
});

test("two refused agents of one service stay two, and neither is its service", () => {
  const ids = [prompt, other].map(
    (agent) => received(spanOf({ agent }), { keyIdentity }).agent_id ?? "",
  );
  expect(new Set(ids).size).toBe(2);
  expect(ids).not.toContain("desk");
  const kept = received(spanOf({ agent: "Order Manager, EU" }), { keyIdentity });
  expect(kept.agent_id).toBe("Order Manager, EU");
  expect(kept.dropped).toBeUndefined();
});

test("a tool, a service and an address follow the same rule", () => {
  const event = received(
    left(spanOf({ tool: "look up the order", service: other, server: "10.1.2.3" })),
    { keyIdentity },
  );
  expect(event.attributes.tool_name).toBe(keyedName("look up the order", key));
  expect(event.operation).toBe(`execute_tool ${event.attributes.tool_name}`);
  expect(event.application_id).toBe(keyedName(other, key));
  expect(event.attributes.server_address).toBe(keyedName("10.1.2.3", key));
  expect(event.attributes.server_address).not.toBe(
    received(spanOf({ server: "10.1.2.4" }), { keyIdentity }).attributes.server_address,
  );
});

test("an identity of a person is not kept as a digest without a key", () => {
  const span = spanOf({ agent: "helper" });
  const attributes = { ...span.attributes, [attribute.user_id.span]: "ann@example.com" };
  const gone = left({ ...span, attributes });
  expect(gone.attributes[attribute.user_id.span]).toBeUndefined();
  expect(received({ ...span, attributes }, { keyIdentity }).user_id).toMatch(/^k7_/);
});

describe("a list of known names", () => {
  test("makes a name readable where it is raw", () => {
    allowNames([prompt]);
    const event = received(left(spanOf({ agent: prompt })), { keyIdentity });
    expect(event.agent_id).toBe(prompt);
    expect(event.dropped).toBeUndefined();
    expect(received(spanOf({ agent: other }), { keyIdentity }).agent_id).toBe(
      keyedName(other, key),
    );
  });

  test("makes it readable at the receiver, though a producer keyed it or sent its digest", () => {
    const knowing = createIdentityKey(key, [prompt]);
    for (const options of [{}, { keyIdentity }]) {
      const span = left(spanOf({ agent: prompt }), options);
      allowNames([prompt]);
      expect(received(span, { keyIdentity: knowing }).agent_id).toBe(prompt);
      allowNames([]);
    }
  });
});
