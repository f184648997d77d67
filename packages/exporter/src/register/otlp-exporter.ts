/**
 * @module OTLP exporter: the SDK's own OTLP/HTTP transport (its retries, headers, timeouts, TLS and
 * `OTEL_EXPORTER_OTLP_*` variables), given requests that the gate wrote itself. The SDK's own
 * encoder serves whatever comes as spans.
 */
import type { ExportAnswer, ReadableSpanLike } from "../gate/sdk-shapes.ts";
import type { RequestExporter, TraceRequest } from "../wire/trace-request.ts";

/** The parts of the SDK's packages that this is built of. */
export interface OtlpParts {
  /** `@opentelemetry/otlp-exporter-base/node-http`. */
  readonly http: Readonly<Record<string, unknown>>;
  /** `@opentelemetry/otlp-transformer`. */
  readonly transformer: Readonly<Record<string, unknown>>;
}

/** Where to send, as the SDK's exporter takes it. */
export interface OtlpTarget {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How the SDK encodes requests and reads answers. */
interface Serializer {
  serializeRequest(items: unknown): Uint8Array | undefined;
  deserializeResponse(bytes: Uint8Array): unknown;
}

/** Sends items through a serializer; the SDK's `OTLPExporterBase` does nothing beside. */
interface Delegate {
  export(items: unknown, done: (answer: ExportAnswer) => void): void;
  forceFlush(): Promise<void>;
  shutdown(): Promise<void>;
}

type Make<T> = (...options: readonly unknown[]) => T;
const componentType = "otlp_http_span_exporter";

/** The exporter, or undefined where the installed line has no such parts. */
export function otlpRequestExporter(
  { http, transformer }: OtlpParts,
  target: OtlpTarget,
): RequestExporter<ReadableSpanLike> | undefined {
  const options = http["convertLegacyHttpOptions"] as Make<unknown> | undefined;
  const connect = http["createOtlpHttpExportDelegate"] as Make<Delegate> | undefined;
  const theirs = transformer["ProtobufTraceSerializer"] as Serializer | undefined;
  if (typeof options !== "function" || typeof connect !== "function") return undefined;
  if (typeof theirs?.serializeRequest !== "function") return undefined;
  const serializer: Serializer = {
    serializeRequest: (items) => (isRequest(items) ? items.bytes : theirs.serializeRequest(items)),
    deserializeResponse: (bytes) => theirs.deserializeResponse(bytes),
  };
  const delegate = connect(
    options(target, "TRACES", "v1/traces", { "Content-Type": "application/x-protobuf" }),
    serializer,
    // What newer lines want for metrics of their own, which nobody asks for here.
    componentType,
    transformer["TraceExporterMetricsHelper"],
  );
  return {
    export: (spans, done) => delegate.export(spans, done),
    exportRequest: (request, done) => delegate.export(request, done),
    forceFlush: () => delegate.forceFlush(),
    shutdown: () => delegate.shutdown(),
  };
}

function isRequest(items: unknown): items is TraceRequest {
  return !Array.isArray(items) && (items as Partial<TraceRequest>).bytes instanceof Uint8Array;
}
