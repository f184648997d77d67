/**
 * @module Generated spans: every source name with good and bad values, times, flags and scopes.
 */
import { sourceNames } from "@turnproof/exporter";
import { attribute, eventKinds } from "@turnproof/semconv";
import fc from "fast-check";

import type { PlainSpan, PlainValue } from "../../otlp/encode.ts";

const short =
  "chat execute_tool gpt-4o user-1 somebody@example.com success true 12 1.5 ü 日本 😀".split(" ");
const lengths = [239, 240, 241, 1_024, 1_025];
const words = short.concat(
  [
    "",
    "Research Agent",
    "{}",
    '{"input":3}',
    '["stop"]',
    "LLM",
    "anonymous",
    "\u0000",
    "2026-11-21T10:00:00Z",
  ],
  lengths.map((length) => "x".repeat(length)),
);
const word = fc.constantFrom(...words);
const value: fc.Arbitrary<PlainValue> = fc.oneof(
  { weight: 4, arbitrary: word },
  fc.constantFrom<PlainValue>(0, -1, 12, 2 ** 31, 2 ** 53 - 1, 0.5, -0.25, true, false, null),
  fc.array(word, { maxLength: 4 }),
  fc.array(fc.integer(), { minLength: 31, maxLength: 33 }),
  fc.constantFrom<PlainValue>({ a: 1 }, Buffer.from("ab"), [[1]], [true, 1], [true, false]),
);
const key = fc.constantFrom(...sourceNames, "foreign.key", "constructor");
/** Attributes of a span or a resource. */
export const generatedAttributes = fc
  .record({
    kind: fc.option(fc.constantFrom(...eventKinds), { nil: undefined }),
    operation: fc.option(fc.constantFrom("chat", "execute_tool", "invoke_agent", "plan"), {
      nil: undefined,
    }),
    pairs: fc.array(fc.tuple(key, value), { maxLength: 14 }),
  })
  .map(({ kind, operation, pairs }): Record<string, PlainValue> => ({
    ...(kind === undefined ? {} : { [attribute.event_kind.span]: kind }),
    ...(operation === undefined ? {} : { [attribute.genai_operation.span]: operation }),
    ...Object.fromEntries(pairs),
  }));
const nanos = fc.constantFrom("0", "5", "1790000000000000001", "18446744073709551615");
/** A span. */
export const generatedSpan: fc.Arbitrary<PlainSpan> = fc.record({
  traceId: fc.constantFrom("1".repeat(32), "0".repeat(32)),
  spanId: fc.constantFrom("2".repeat(16), "3".repeat(16)),
  name: fc.oneof(
    word,
    fc.constantFrom("turnproof.intent.plan", "my.operation", "n".repeat(300)),
    fc.constantFrom(`invoke_workflow ${"n".repeat(1_100)}`, `chat ${"ü".repeat(600)}`),
  ),
  kind: fc.integer({ min: 0, max: 5 }),
  startTimeUnixNano: nanos,
  endTimeUnixNano: nanos,
  flags: fc.constantFrom(0, 1, 256, 768),
  status: fc.record({ code: fc.integer({ min: 0, max: 2 }) }),
  attributes: generatedAttributes,
  events: fc.constantFrom(
    [],
    [{ name: "exception", attributes: { "exception.type": "TypeError" } }],
    [{ name: "exception", attributes: { "exception.type": "of somebody@example.com" } }],
  ),
  links: fc.constantFrom([], [{ traceId: "4".repeat(32), spanId: "5".repeat(16) }]),
  scope: fc.record({ name: fc.constantFrom("ai", "langfuse-sdk", "@mastra/otel", "x") }),
});
