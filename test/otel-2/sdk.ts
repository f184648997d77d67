/** @module The 2.x line behind the names that the suites of both lines use. */
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import type { Sampler, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace-base";

/** Folder in which this line is installed. */
export const installFolder: string = import.meta.dirname;

export const line = "2" as const;

/** Settings of the batch processor that both lines know by these names. */
export interface BatchConfig {
  readonly maxQueueSize?: number;
  readonly maxExportBatchSize?: number;
  readonly scheduledDelayMillis?: number;
}

export interface ProviderParts {
  readonly spanProcessors: SpanProcessor[];
  readonly sampler?: Sampler;
  readonly resource?: Record<string, string | string[]>;
}

export function createProvider(parts: ProviderParts): BasicTracerProvider {
  return new BasicTracerProvider({
    spanProcessors: parts.spanProcessors,
    ...(parts.sampler === undefined ? {} : { sampler: parts.sampler }),
    resource: resourceFromAttributes(parts.resource ?? {}),
  });
}

export const simpleProcessor = (exporter: SpanExporter): SpanProcessor =>
  new SimpleSpanProcessor(exporter);
export const batchProcessor = (exporter: SpanExporter, config: BatchConfig = {}): SpanProcessor =>
  new BatchSpanProcessor(exporter, config);
export const memoryExporter = (): InMemorySpanExporter => new InMemorySpanExporter();
/** Exporters of this line by encoding. */
export const otlpExporters: readonly (readonly [string, (url: string) => SpanExporter])[] = [
  ["json", (url) => new OTLPTraceExporter({ url })],
];
export const alwaysOn = (): Sampler => new AlwaysOnSampler();
export const alwaysOff = (): Sampler => new AlwaysOffSampler();
export const contextManager = (): AsyncLocalStorageContextManager =>
  new AsyncLocalStorageContextManager();
export type {
  ReadableSpan,
  Sampler,
  SpanExporter,
  SpanProcessor,
} from "@opentelemetry/sdk-trace-base";
