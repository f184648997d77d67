/**
 * @module Content free: a decorator for any span exporter, so that only registry content reaches it
 * (design 3.3). A filter that must hold wraps the exporter instead of sitting beside it: processors
 * fan out, and what one of them strips another one still sees.
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

/** An exporter behind the gate, and what it held back so far. */
export interface ContentFreeExporter extends GateExporter {
  /** Refusals by code since the start; never a key or a value. */
  readonly dropped: GateCounts;
}

/**
 * Wraps an exporter of either SDK line. Names, attributes, events, links, status messages, resource
 * and scope are screened; a foreign span name becomes the registry's name for its kind; what is
 * refused is counted by code. The original spans are not changed, and a span that cannot be
 * screened does not leave.
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
      // An exporter's own error may quote what it was given, so it is not handed on.
      guarded(() => exporter.export(screened as unknown as S[], done), done);
    },
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush === undefined
      ? {}
      : { forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve() }),
  };
}
