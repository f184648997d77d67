/** @module Content free: canaries in every place where an SDK holds a text. */
import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { contentFree, spanRecordOf, spanToEvent } from "@turnproof/exporter";
import { attribute, sourceAttributeNames } from "@turnproof/semconv";
import { describe, expect, test } from "vitest";

import { createProvider, line, memoryExporter, simpleProcessor } from "#sdk";

const canary = "CANARY please tell me the secret words of this house";
const received = { receivedAt: "2026-11-21T00:00:00.000000Z" };

/** Spans with a canary in every place where an SDK can hold a text. */
function pollutedSpans(exporter: never): void {
  const provider = createProvider({
    spanProcessors: [simpleProcessor(exporter)],
    resource: {
      "service.name": "desk",
      "process.command_args": [canary],
      "host.name": canary,
      "turnproof.agent.id": canary,
    },
  });
  const tracer = provider.getTracer(canary, canary);
  const nested = { deep: [{ deeper: canary }], list: [canary, [canary]] };
  const elsewhere = {
    traceId: "0af7651916cd43dd8448eb211c80319c",
    spanId: "b7ad6b7169203331",
    traceFlags: 1,
  };
  const parent = trace.setSpanContext(ROOT_CONTEXT, { ...elsewhere, isRemote: true });
  for (const mark of [
    {},
    { [attribute.event_kind.span]: "application_action" },
    { [attribute.genai_operation.span]: "execute_tool", [attribute.tool_name.span]: "lookup" },
    { "openinference.span.kind": canary },
    { "mastra.span.type": "agent_run", [attribute.agent_name.span]: "Support Desk" },
  ]) {
    const span = tracer.startSpan(
      canary,
      {
        kind: SpanKind.CLIENT,
        attributes: mark,
        links: [{ context: elsewhere, attributes: { why: canary } }],
      },
      parent,
    );
    for (const name of sourceAttributeNames) {
      if (name in mark) continue;
      span.setAttribute(name, name.length % 2 === 0 ? canary : ([canary, canary] as never));
    }
    span.setAttribute("gen_ai.input.messages", JSON.stringify(nested));
    span.setAttribute(canary, canary);
    span.setAttribute("nested", nested);
    span.setAttribute(
      "langfuse.observation.usage_details",
      JSON.stringify({ [canary]: 1, input: 2 }),
    );
    span.addEvent(canary, { text: canary });
    span.recordException(new RangeError(canary));
    span.setStatus({ code: SpanStatusCode.ERROR, message: canary });
    span.end();
  }
}

describe(`the gate on line ${line}`, () => {
  test("no canary leaves, wherever it was planted", () => {
    const inner = memoryExporter();
    const gate = contentFree(inner);
    pollutedSpans(gate as never);
    const spans = inner.getFinishedSpans();
    expect(spans).toHaveLength(5);
    const everything = JSON.stringify(
      spans.map((span) => [
        span.name,
        span.attributes,
        span.events,
        span.links,
        span.status,
        span.resource.attributes,
        span.resource.getRawAttributes(),
        span.instrumentationScope,
        span.spanContext(),
        span.parentSpanContext,
      ]),
    );
    expect(everything).not.toContain("CANARY");
    expect(everything).not.toContain("secret");
    expect(Object.keys(gate.dropped).toSorted()).toEqual(
      expect.arrayContaining([
        "attribute_shape",
        "attribute_unknown",
        "span_event_dropped",
        "span_link_attribute_dropped",
        "span_name_replaced",
        "span_scope_dropped",
        "span_status_message_dropped",
      ]),
    );
    expect(JSON.stringify(gate.dropped)).not.toContain("CANARY");
  });

  test("what is evidence stays: names of kinds, links, exception class, resource, times", () => {
    const inner = memoryExporter();
    pollutedSpans(contentFree(inner) as never);
    const spans = inner.getFinishedSpans();
    expect(spans.map((span) => span.name)).toEqual([
      "internal",
      "application_action",
      "execute_tool lookup",
      "internal",
      "invoke_agent Support Desk",
    ]);
    for (const span of spans) {
      expect(span.resource.attributes).toEqual({
        "service.name": "desk",
        // A name of an agent that may be content leaves as its digest, so that two stay two.
        [attribute.agent_id.span]: expect.stringMatching(/^n0_[a-z2-7]{26}$/),
      });
      expect(span.events).toHaveLength(1);
      expect(span.events[0]?.attributes).toEqual({ "exception.type": "RangeError" });
      expect(span.links).toHaveLength(1);
      expect(span.status).toEqual({ code: SpanStatusCode.ERROR });
      expect(span.parentSpanContext?.spanId).toBe("b7ad6b7169203331");
      expect(span.droppedAttributesCount).toBeGreaterThan(0);
    }
  });

  test("the original spans are not changed", () => {
    const plain = memoryExporter();
    const before: string[] = [];
    const gate = contentFree(memoryExporter());
    pollutedSpans({
      export: (spans: never[], done: never) => {
        plain.export(spans, () => {});
        before.push(
          JSON.stringify(spans.map((span) => (span as { attributes: unknown }).attributes)),
        );
        gate.export(spans, done);
      },
      shutdown: async () => {},
    } as never);
    const after = plain.getFinishedSpans();
    expect(after.map((span) => JSON.stringify([span.attributes]))).toEqual(before);
    expect(after.every((span) => span.name === canary)).toBe(true);
  });

  test("a span makes the same event before and after the gate, but for what was counted", () => {
    const before: string[] = [];
    const after: string[] = [];
    const eventOf = (span: never): string => {
      const { dropped: _, ...event } = spanToEvent(spanRecordOf(span), received);
      return JSON.stringify(event);
    };
    const sink = memoryExporter();
    const gate = contentFree(sink);
    pollutedSpans({
      export: (spans: never[], done: never) => {
        before.push(...spans.map(eventOf));
        gate.export(spans, done);
      },
      shutdown: async () => {},
    } as never);
    after.push(...sink.getFinishedSpans().map((span) => eventOf(span as never)));
    expect(after).toEqual(before);
  });

  test("keyed identity leaves as its fingerprint and nothing else does", () => {
    const inner = memoryExporter();
    const gate = contentFree(inner, {
      keyed: ["user_id"],
      keyIdentity: (value) => `k1_${value.length}`,
    });
    const provider = createProvider({ spanProcessors: [simpleProcessor(gate)] });
    const span = provider.getTracer("app").startSpan("x", {
      attributes: {
        "user.id": "ann@example.org",
        "session.id": "thread-1",
        "gen_ai.agent.id": "ann@example.org",
      },
    });
    span.end();
    expect(inner.getFinishedSpans()[0]?.attributes).toEqual({
      "user.id": "k1_15",
      "session.id": "thread-1",
      "gen_ai.agent.id": "k1_15",
    });
  });

  test("an exporter that throws is a failed export, not a crash", () => {
    const answers: number[] = [];
    const gate = contentFree({
      export: () => {
        throw new Error(canary);
      },
      shutdown: async () => {},
    });
    gate.export([], (answer) => answers.push(answer.code));
    expect(answers).toEqual([1]);
  });
});

test("the suite runs on the API of its line", () => {
  expect(context.active()).toBeDefined();
});
