/**
 * @module The app's own OpenTelemetry: a provider, a batch processor, OTLP over HTTP to
 * `OTEL_EXPORTER_OTLP_ENDPOINT`. It sends to no other address.
 */
import { OpenTelemetry } from "@ai-sdk/otel";
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { registerTelemetry } from "ai";

/** Registers tracing for the process; call the result before it exits. */
export function startTelemetry(serviceName: string, endpoint: string): () => Promise<void> {
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": serviceName, "service.version": "2.4.1" }),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: 200 })],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  registerTelemetry(new OpenTelemetry({ runtimeContext: true }));
  return async () => {
    await provider.forceFlush();
    await provider.shutdown();
  };
}
