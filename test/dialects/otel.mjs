/** @module One OpenTelemetry 2.x provider for the recordings. */
import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { trace } from "@opentelemetry/api";

import { recording } from "./record.mjs";

/** Registers a provider with these processors, by default one that records everything. */
export function provider(processors = [new SimpleSpanProcessor(recording)]) {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const made = new BasicTracerProvider({
    resource: resourceFromAttributes({ "service.name": "support-desk" }),
    spanProcessors: processors,
  });
  trace.setGlobalTracerProvider(made);
  return made;
}
