/**
 * @module Content free: a decorator for any span exporter, so that only registry content reaches it
 * (design 3.3). A filter that must hold wraps the exporter instead of sitting beside it: processors
 * fan out, and what one of them strips another one still sees.
 */
import type { RegistryName } from "@turnproof/semconv";

import type { KeyIdentity } from "../mapping/span-reading.ts";
import type { IdentityRules } from "./screened-attributes.ts";
import { exportFailed } from "./sdk-shapes.ts";
import type {
  ExportAnswer,
  GateExporter,
  ReadableSpanLike,
  SpanExporterLike,
} from "./sdk-shapes.ts";
import { screenedSpan } from "./screened-span.ts";
import type { GateMemory } from "./screened-span.ts";

/** Options of the gate. */
export interface ContentFreeOptions {
  /** Identity fields that always leave as their fingerprint, e.g. `["user_id"]`. */
  readonly keyed?: readonly RegistryName[];
  /** Makes the fingerprint; without it an identity that is not opaque is dropped and counted. */
  readonly keyIdentity?: KeyIdentity;
}

/** An exporter behind the gate, and what it held back so far. */
export interface ContentFreeExporter extends GateExporter {
  /** Refusals by code since the start; never a key or a value. */
  readonly dropped: Readonly<Record<string, number>>;
}

/**
 * Wraps an exporter of either SDK line. Names, attributes, events, links, status messages, resource
 * and scope are screened; a foreign span name becomes the registry's name for its kind; what is
 * refused is counted by code. The original spans are not changed, and a span that cannot be
 * screened does not leave.
 */
export function contentFree<S>(
  exporter: SpanExporterLike<S>,
  options: ContentFreeOptions = {},
): ContentFreeExporter {
  const dropped: Record<string, number> = Object.create(null);
  const drop = (code: string): void => {
    dropped[code] = (dropped[code] ?? 0) + 1;
  };
  const rules: IdentityRules = {
    keyed: new Set(options.keyed),
    keyIdentity: options.keyIdentity,
  };
  const memory: GateMemory = { resources: new WeakMap(), scopes: new Map() };
  const screenAll = (spans: readonly ReadableSpanLike[]): ReadableSpanLike[] =>
    spans.flatMap((span) => {
      try {
        return [screenedSpan(span, rules, memory, drop)];
      } catch {
        drop("span_unmapped");
        return [];
      }
    });
  return {
    dropped,
    export(spans: ReadableSpanLike[], done: (answer: ExportAnswer) => void): void {
      const screened = screenAll(spans);
      try {
        exporter.export(screened as unknown as S[], done);
      } catch {
        // An exporter's own error may quote what it was given, so it is not handed on.
        done({ code: exportFailed });
      }
    },
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush === undefined
      ? {}
      : { forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve() }),
  };
}
