/** @module Dialects: spans of the real libraries become the reviewed events. */
import { readFileSync, writeFileSync } from "node:fs";

import { spanToEvent } from "@turnproof/exporter";
import type { SpanRecord } from "@turnproof/exporter";
import {
  attribute,
  dialectOfScope,
  namedSpanMarks,
  sourceAttributeNames,
} from "@turnproof/semconv";
import type { AttributeValue } from "@turnproof/semconv";
import { describe, expect, test } from "vitest";

const folder = new URL("../../fixtures/dialects/", import.meta.url);
const dialects = [
  "vercel-ai-5",
  "vercel-ai-6",
  "vercel-ai-7",
  "openinference",
  "openllmetry",
  "langfuse",
  "mastra",
];

interface FixtureSpan extends Omit<SpanRecord, "attributes" | "resource" | "statusCode"> {
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  readonly status: { readonly code: number };
  readonly scope: { readonly name: string };
  readonly events: readonly {
    readonly name: string;
    readonly attributes: Readonly<Record<string, string>>;
  }[];
}

interface Fixture {
  readonly resource: Readonly<Record<string, string>>;
  readonly spans: readonly FixtureSpan[];
}

/** As the receiver does: allowlisted keys are copied, the rest is counted. */
function recordOf(span: FixtureSpan, resource: Fixture["resource"]): SpanRecord {
  const attributes: Record<string, AttributeValue> = Object.create(null);
  let unknown = 0;
  for (const [name, value] of Object.entries(span.attributes)) {
    if (sourceAttributeNames.has(name)) attributes[name] = value;
    else unknown++;
  }
  const named = namedSpanMarks.some((mark) => attributes[mark] !== undefined);
  const exception = span.events.find((event) => event.name === "exception");
  const exceptionType = exception?.attributes["exception.type"];
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId === undefined ? {} : { parentSpanId: span.parentSpanId }),
    kind: span.kind,
    ...(named ? { name: span.name } : {}),
    startTimeUnixNano: span.startTimeUnixNano,
    endTimeUnixNano: span.endTimeUnixNano ?? "0",
    statusCode: span.status.code,
    attributes,
    resource,
    ...(dialectOfScope(span.scope.name) === undefined ? {} : { scopeName: span.scope.name }),
    ...(exceptionType === undefined ? {} : { exceptionType }),
    ...(unknown === 0 ? {} : { dropped: { attribute_unknown: unknown } }),
  };
}

function eventsOf(dialect: string): ReturnType<typeof spanToEvent>[] {
  const fixture = JSON.parse(readFileSync(new URL(`${dialect}.json`, folder), "utf8")) as Fixture;
  const context = { receivedAt: "2026-11-01T00:00:01.000000Z" };
  return fixture.spans.map((span) => spanToEvent(recordOf(span, fixture.resource), context));
}

describe.each(dialects)("%s", (dialect) => {
  test("spans of the real library become the reviewed events", () => {
    const file = new URL(`${dialect}.events.json`, folder);
    const events = eventsOf(dialect);
    if (process.env["UPDATE_FIXTURES"] === "1") {
      writeFileSync(file, `${JSON.stringify(events, null, 2)}\n`);
    }
    expect(events).toEqual(JSON.parse(readFileSync(file, "utf8")));
  });

  test("no content survives", () => {
    expect(JSON.stringify(eventsOf(dialect))).not.toContain("CANARY");
  });

  test("every turn has an agent where the library names one, and none is an error without cause", () => {
    const events = eventsOf(dialect);
    const failed = events.filter((event) => event.status === "error");
    for (const event of failed) {
      expect(["turn", "model_call", "tool_call"]).toContain(event.event_kind);
    }
    expect(events.every((event) => event.application_id === "support-desk")).toBe(true);
  });
});

describe("rules that one dialect alone would break", () => {
  const failures = (dialect: string, kind: string): number =>
    eventsOf(dialect).filter((event) => event.event_kind === kind && event.status === "error")
      .length;

  test.each([["vercel-ai-5"], ["vercel-ai-6"], ["vercel-ai-7"], ["openinference"], ["mastra"]])(
    "one provider error and one tool error in %s are one failure each",
    (dialect) => {
      expect(failures(dialect, "model_call")).toBe(1);
      expect(failures(dialect, "tool_call")).toBe(1);
      expect(failures(dialect, "turn")).toBe(1);
    },
  );

  test("a failure that Langfuse leaves unset is a failure", () => {
    const tools = eventsOf("langfuse").filter((event) => event.dialect === "langfuse");
    expect(
      tools.filter((event) => event.status === "error").map((event) => event.event_kind),
    ).toEqual(["tool_call"]);
  });

  test("an embedding that is reported on two levels is one call", () => {
    const calls = eventsOf("vercel-ai-7").filter(
      (event) => event.attributes.genai_operation === "embeddings",
    );
    expect(calls.map((event) => event.event_kind)).toEqual(["model_call", "span"]);
  });

  test("a turn's usage stays the turn's and its calls' their own", () => {
    const [call] = eventsOf("vercel-ai-7").filter((event) => event.event_kind === "model_call");
    expect(call?.attributes.input_tokens).toBe(21);
    const turn = eventsOf("vercel-ai-7").find((event) => event.event_kind === "turn");
    expect(turn?.attributes.input_tokens).toBe(42);
  });

  test("GenAI's names win where a bridge writes both", () => {
    const bridged = {
      [attribute.genai_operation.span]: "chat",
      [attribute.input_tokens.span]: 5,
      "openinference.span.kind": "LLM",
      "llm.token_count.prompt": 50,
      "llm.model_name": "other-model",
      [attribute.model.span]: "asked-model",
    };
    for (const entries of [Object.entries(bridged), Object.entries(bridged).toReversed()]) {
      const event = spanToEvent(
        {
          traceId: "a".repeat(32),
          spanId: "b".repeat(16),
          kind: 3,
          startTimeUnixNano: "1793491200000000000",
          endTimeUnixNano: "1793491200000000001",
          statusCode: 0,
          attributes: Object.fromEntries(entries),
          resource: {},
        },
        { receivedAt: "2026-11-01T00:00:01Z" },
      );
      expect(event.attributes).toMatchObject({ input_tokens: 5, model: "asked-model" });
      expect(event.dialect).toBe("openinference");
    }
  });
});
