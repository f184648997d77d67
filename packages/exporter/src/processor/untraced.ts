/**
 * @module Untraced: work of ours that no instrumentation may trace. A request that carries spans
 * would otherwise become a span itself, and be carried by the next request, for ever.
 */
import { context, createContextKey, ROOT_CONTEXT } from "@opentelemetry/api";
import type { Context } from "@opentelemetry/api";

import type { SpanExporterLike } from "../gate/sdk-shapes.ts";
import type { SpoolJournal } from "../spool/disk-spool.ts";
import { takesRequests } from "../wire/trace-request.ts";
import type { RequestExporter } from "../wire/trace-request.ts";

/**
 * What `suppressTracing` of `@opentelemetry/core` sets, in both lines. The API makes one key of one
 * name for all copies of it, so the key is had without the package, which is an optional peer.
 */
const suppressKey = createContextKey("OpenTelemetry SDK Context Key SUPPRESS_TRACING");

/** Of nobody's turn: the host's context is neither traced nor held by a socket that stays open. */
const untracedContext: Context = ROOT_CONTEXT.setValue(suppressKey, true);

/** Runs the function, and everything that it starts, in a context where nothing is traced. */
export function untraced<T>(fn: () => T): T {
  return context.with(untracedContext, fn);
}

/** The exporter, each call of it untraced. */
export function untracedExporter<S>(exporter: SpanExporterLike<S>): SpanExporterLike<S> {
  const same: SpanExporterLike<S> = {
    export: (spans, done) => untraced(() => exporter.export(spans, done)),
    shutdown: () => untraced(() => exporter.shutdown()),
    ...(exporter.forceFlush === undefined
      ? {}
      : { forceFlush: () => untraced(() => exporter.forceFlush?.() ?? Promise.resolve()) }),
  };
  if (!takesRequests(exporter)) return same;
  const whole: RequestExporter<S> = {
    ...same,
    get retrying() {
      return exporter.retrying === true;
    },
    exportRequest: (request, done) => untraced(() => exporter.exportRequest(request, done)),
  };
  return whole;
}

/** The journal, each call of it untraced; a reader's steps too. */
export function untracedJournal(journal: SpoolJournal): SpoolJournal {
  return {
    append: (...given) => untraced(() => journal.append(...given)),
    checkpoint: (...given) => untraced(() => journal.checkpoint(...given)),
    stats: () => journal.stats(),
    read(...given) {
      const reading = untraced(() => journal.read(...given));
      return {
        [Symbol.asyncIterator]() {
          const steps = reading[Symbol.asyncIterator]();
          return {
            next: () => untraced(() => steps.next()),
            return: () => untraced(async () => (await steps.return?.()) ?? endOfSteps),
          };
        },
      };
    },
  };
}

const endOfSteps = { done: true, value: undefined } as const;
