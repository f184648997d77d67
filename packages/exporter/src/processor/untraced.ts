/**
 * @module Untraced: runs our own work without tracing. Otherwise a request that carries spans
 * would become a span itself and be carried by the next request, without end.
 */
import { context, createContextKey, ROOT_CONTEXT } from "@opentelemetry/api";
import type { Context } from "@opentelemetry/api";

import type { SpanExporterLike } from "../gate/sdk-shapes.ts";
import type { SpoolJournal } from "../spool/disk-spool.ts";
import { takesRequests } from "../wire/trace-request.ts";
import type { RequestExporter } from "../wire/trace-request.ts";

/**
 * The key that `suppressTracing` of `@opentelemetry/core` sets, in both lines. All copies of the
 * API share a key by name, so it needs no import of the package, which is an optional peer.
 */
const suppressKey = createContextKey("OpenTelemetry SDK Context Key SUPPRESS_TRACING");

/** Outside of any turn: the host's context is neither traced nor retained by an open socket. */
const untracedContext: Context = ROOT_CONTEXT.setValue(suppressKey, true);

/** Runs the function, and everything that it starts, in a context without tracing. */
export function untraced<T>(fn: () => T): T {
  return context.with(untracedContext, fn);
}

/** Wraps an exporter so that each call is untraced. */
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

/** Wraps a journal so that each call, and each step of a reader, is untraced. */
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
