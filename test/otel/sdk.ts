/** @module The 3.x line behind the names that the suites of both lines use. */
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  TracerProvider,
  BatchSpanProcessor,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace";
import type { Sampler, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace";

/** Folder in which this line is installed. */
export const installFolder: string = import.meta.dirname;

export const line = "3" as const;

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

export function createProvider(parts: ProviderParts): TracerProvider {
  return new TracerProvider({
    spanProcessors: parts.spanProcessors,
    ...(parts.sampler === undefined ? {} : { sampler: parts.sampler }),
    resource: resourceFromAttributes(parts.resource ?? {}),
  });
}

export const simpleProcessor = (exporter: SpanExporter): SpanProcessor =>
  new SimpleSpanProcessor({ exporter });
export const batchProcessor = (exporter: SpanExporter, config: BatchConfig = {}): SpanProcessor =>
  new BatchSpanProcessor({ exporter, ...config });
export const memoryExporter = (): InMemorySpanExporter => new InMemorySpanExporter();
/** Exporters of this line by encoding. */
export const otlpExporters: readonly (readonly [string, (url: string) => SpanExporter])[] = [
  ["json", (url) => new OTLPTraceExporter({ url })],
  ["protobuf", (url) => new ProtobufExporter({ url })],
];
export const alwaysOn = (): Sampler => new AlwaysOnSampler();
export const alwaysOff = (): Sampler => new AlwaysOffSampler();
export const contextManager = (): AsyncLocalStorageContextManager =>
  new AsyncLocalStorageContextManager();
export type { ReadableSpan, Sampler, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace";
