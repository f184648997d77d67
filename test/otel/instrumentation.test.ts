/**
 * @module Instrumentation and gate: what a host records is the same evidence by OpenTelemetry and
 * directly.
 */
import { context, trace } from "@opentelemetry/api";
import type { TurnEvent } from "@turnproof/evidence";
import { BundleExporter, storeSink, turnproofProcessor } from "@turnproof/exporter";
import {
  ObservabilityRecorder,
  otelSink,
  TraceContext,
  withTurn,
} from "@turnproof/instrumentation";
import type { EvidenceSink } from "@turnproof/instrumentation";
import { CodedError } from "@turnproof/semconv";
import { ephemeral } from "@turnproof/store";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { contextManager, createProvider, line } from "#sdk";

const identity = { agentId: "helper", userId: "u-1", threadId: "t-1" };

beforeEach(() => context.setGlobalContextManager(contextManager().enable()));
afterEach(() => {
  trace.disable();
  context.disable();
});

/** A turn with everything that a host can record; returns its root. */
async function play(sink: EvidenceSink): Promise<string> {
  let root = "";
  await withTurn({ ...identity, applicationId: "desk", sink }, async (turn) => {
    root = turn.traceContext.rootTraceId;
    const recorder = turn.recorder({});
    const source = {
      resourceType: "page",
      ref: "p-1",
      version: "3",
      provenanceStatus: "verified" as const,
    };
    await recorder.recordIntent("card", { expectedArtifactTypes: ["card"], inputRefs: [source] });
    await turn.modelCall({ model: "desk-1", provider: "openai" }, async (call) => {
      await turn.toolCall({ name: "lookup" }, (tool) => tool.result({ outcome: "empty" }));
      await call.respond({ usage: { inputTokens: 3, outputTokens: 1 }, finishReason: "stop" });
    });
    await turn.selected([{ resource: source, candidateRank: 1, selected: true }]);
    let producer = "";
    await recorder.span("render_card", async (span) => {
      producer = span.spanContext.spanId;
    });
    const card = { resourceType: "card", ref: "c-1", version: "2" };
    await recorder.recordArtifact(card, {
      inputRefs: [source],
      producingSpanId: producer,
      persistenceVerified: true,
    });
    await recorder
      .contract("card_json")
      .record({ parserStatus: "success", itemCounts: { rows: 2 } });
    await recorder.recordDelivery("browser", { emitted: true, inputRefs: [card] });
  });
  return root;
}

/** An event's content, without what differs from run to run. */
function stated(event: TurnEvent): string {
  const { operation, event_kind, phase, status, input_refs, output_refs, selection_ledger } = event;
  const {
    producing_span_id: _,
    provider_time_ms: __,
    ...attributes
  } = event.attributes as Record<string, unknown>;
  const identityOf = [event.application_id, event.agent_id, event.user_id, event.thread_id];
  const lists = [input_refs, output_refs, selection_ledger];
  const rest = [event.dialect, event.dropped, identityOf, lists, attributes];
  return JSON.stringify([event_kind, operation, phase, status, rest]);
}

async function eventsOf(store: ReturnType<typeof ephemeral>, root: string): Promise<TurnEvent[]> {
  const slice = await store.root({ tenant: "u-1" }, root, { limit: 100 });
  return [...slice.events];
}

describe(`instrumentation on line ${line}`, () => {
  test("says the same through a span processor and straight into a store", async () => {
    const bySpans = ephemeral();
    const processor = turnproofProcessor({ exporter: new BundleExporter({ store: bySpans }) });
    trace.setGlobalTracerProvider(createProvider({ spanProcessors: [processor] }));
    const spanRoot = await play(otelSink());
    await processor.forceFlush();
    const directly = ephemeral();
    const directRoot = await play(storeSink({ store: directly }));
    const received = await eventsOf(bySpans, spanRoot);
    const written = await eventsOf(directly, directRoot);
    expect(new Set(received.map(stated))).toEqual(new Set(written.map(stated)));
    expect(received).toHaveLength(9);
    expect(written).toHaveLength(9);
    expect(received.every((event) => event.dropped === undefined)).toBe(true);
    const kinds = new Set(received.map((event) => event.event_kind));
    for (const kind of ["turn", "intent", "model_call", "tool_call", "artifact", "contract"]) {
      expect(kinds).toContain(kind);
    }
    const delivery = received.find((event) => event.event_kind === "delivery");
    expect(delivery?.attributes.acknowledged).toBeNull();
    expect(delivery?.input_refs).toEqual([{ resource_type: "card", ref: "c-1", version: "2" }]);
    expect(processor.health).toMatchObject({ created: received.length, exported: received.length });
  });

  test("a store that refuses is told to the host when it is strict, and counted when not", async () => {
    const refusing = {
      append: () => Promise.reject(new CodedError("store_rejected_row")),
    };
    const traceContext = new TraceContext(
      { ...identity, runId: "r-1", turnId: "turn-1" },
      {
        traceId: "0af7651916cd43dd8448eb211c80319c",
        spanId: "b7ad6b7169203331",
        traceFlags: 1,
      },
    );
    const sink = storeSink({ store: refusing });
    const lenient = new ObservabilityRecorder(sink, traceContext);
    await lenient.recordDelivery("browser", { emitted: true });
    expect(lenient.health.write_failures).toBe(1);
    const strict = new ObservabilityRecorder(sink, traceContext, { strict: true });
    await expect(strict.recordDelivery("browser", { emitted: true })).rejects.toMatchObject({
      code: "write_failed",
    });
  });
});
