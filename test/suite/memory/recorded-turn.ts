/** @module A turn whose evidence is kept as drafts, so that tests see exactly what was recorded. */
import { context, SpanKind, trace } from "@opentelemetry/api";
import { Turn } from "@turnproof/instrumentation";
import type { EvidenceDraft, EvidenceResult, EvidenceSink } from "@turnproof/instrumentation";
import { attribute } from "@turnproof/semconv";
import type { AttributeName, AttributeValue } from "@turnproof/semconv";

/** One thing that was recorded, whole. */
export interface Recorded {
  readonly draft: EvidenceDraft;
  readonly result: EvidenceResult;
}

/** A sink that keeps everything. */
function keepingSink(): EvidenceSink & { readonly recorded: Recorded[] } {
  const recorded: Recorded[] = [];
  let serial = 0;
  return {
    recorded,
    start: (draft) => {
      serial += 1;
      const parent = trace.getSpanContext(draft.parent);
      const spanContext = {
        traceId: parent?.traceId ?? serial.toString(16).padStart(32, "a"),
        spanId: serial.toString(16).padStart(16, "0"),
        traceFlags: 1,
      };
      return {
        spanContext,
        context: trace.setSpanContext(draft.parent, spanContext),
        end: async (result) => void recorded.push({ draft, result }),
      };
    },
  };
}

/** An open turn over a keeping sink. */
export function recordedTurn(userId: string | null = "ann"): {
  readonly turn: Turn;
  readonly recorded: readonly Recorded[];
  /** Values of an attribute over everything recorded, in order. */
  readonly values: (name: AttributeName) => AttributeValue[];
} {
  const sink = keepingSink();
  const turn = new Turn(
    { agentId: "desk", userId, threadId: "t1", memoryId: "m1", sink },
    context.active(),
  );
  return {
    turn,
    recorded: sink.recorded,
    values: (name) =>
      sink.recorded.flatMap(({ draft, result }) => {
        const all = { ...draft.attributes, ...result.attributes };
        const value = all[attribute[name].span];
        return value === undefined ? [] : [value];
      }),
  };
}

/** Everything that was recorded as one text, for canaries. */
export function textOf(recorded: readonly Recorded[]): string {
  return JSON.stringify(
    recorded.map(({ draft, result }) => [
      draft.name,
      SpanKind[draft.kind],
      draft.attributes,
      result,
    ]),
  );
}
