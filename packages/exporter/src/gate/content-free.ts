/**
 * @module Content free: a decorator for any span exporter that passes only registry content
 * (vocabulary: Attributes). It wraps the exporter instead of being a processor beside it, because
 * processors run side by side: what one removes, another still sees.
 */
import { guarded } from "../processor/exporter-call.ts";
import { untracedExporter } from "../processor/untraced.ts";
import { createGate } from "./gate.ts";
import type { GateCounts, GateOptions } from "./gate.ts";
import type {
  ExportAnswer,
  GateExporter,
  ReadableSpanLike,
  SpanExporterLike,
} from "./sdk-shapes.ts";

/** An exporter behind the gate, with the counts of what was refused. */
export interface ContentFreeExporter extends GateExporter {
  /** Refusals by code since the start; never a key or a value. */
  readonly dropped: GateCounts;
}

/**
 * Wraps an exporter of either SDK line. Screens names, attributes, events, links, status messages,
 * resource and scope; a foreign span name becomes the registry's name for its kind; what is
 * refused is counted by code. The original spans are not changed, and a span that cannot be
 * screened is not exported.
 */
export function contentFree<S>(
  given: SpanExporterLike<S>,
  options: GateOptions = {},
): ContentFreeExporter {
  const gate = createGate(options);
  const exporter = untracedExporter(given);
  return {
    dropped: gate.dropped,
    export(spans: ReadableSpanLike[], done: (answer: ExportAnswer) => void): void {
      const screened = spans.flatMap((span) => gate.screen(span) ?? []);
      // An exporter's own error may quote its input, so it is not passed on.
      guarded(() => exporter.export(screened as unknown as S[], done), done);
    },
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush === undefined
      ? {}
      : { forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve() }),
  };
}
