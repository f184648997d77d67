/**
 * @module OTLP exporter: the SDK's own OTLP/HTTP transport (its retries, headers, timeouts, TLS
 * and `OTEL_EXPORTER_OTLP_*` variables) with requests that the gate wrote itself. Span objects are
 * encoded by the SDK's own encoder.
 */
import type { ExportAnswer, ReadableSpanLike } from "../gate/sdk-shapes.ts";
import type { RequestExporter, TraceRequest } from "../wire/trace-request.ts";

/** The parts of the SDK's packages that this is built from. */
export interface OtlpParts {
  /** `@opentelemetry/otlp-exporter-base/node-http`. */
  readonly http: Readonly<Record<string, unknown>>;
  /** `@opentelemetry/otlp-transformer`. */
  readonly transformer: Readonly<Record<string, unknown>>;
}

/** Endpoint options, in the SDK exporter's form. */
export interface OtlpTarget {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How the SDK encodes requests and reads answers. */
interface Serializer {
  serializeRequest(items: unknown): Uint8Array | undefined;
  deserializeResponse(bytes: Uint8Array): unknown;
}

/** The part of Node's HTTP agent that makes and reuses sockets. */
interface SocketMaker {
  createConnection(...given: unknown[]): { unref?(): void } | undefined;
  reuseSocket(socket: { unref(): void }, ...given: unknown[]): void;
}

/** The part of the SDK's parsed options that is read here. */
interface HttpOptions {
  agentFactory?: (protocol: string) => SocketMaker | Promise<SocketMaker>;
}

/** The SDK's retry loop around a transport. */
interface RetryLoop {
  retry(data: unknown, timeoutMs: number, inMs: number): Promise<unknown>;
  readonly _transport: { send(data: unknown, timeoutMs: number): Promise<unknown> };
}

/** Sends items through a serializer; all that the SDK's `OTLPExporterBase` does. */
interface Delegate {
  readonly _transport?: Partial<RetryLoop>;
  export(items: unknown, done: (answer: ExportAnswer) => void): void;
  forceFlush(): Promise<void>;
  shutdown(): Promise<void>;
}

type Make<T> = (...options: readonly unknown[]) => T;
const componentType = "otlp_http_span_exporter";

/** Options for the exporter's effect on its process. */
export interface OtlpManners {
  /** False: neither a request in progress nor a pending retry keeps the process alive. */
  readonly holds: boolean;
  /** False: failures are reported at once; the disk spool retries. */
  readonly retries: boolean;
}

/** The exporter, or undefined where the installed line lacks these parts. */
export function otlpRequestExporter(
  { http, transformer }: OtlpParts,
  target: OtlpTarget,
  manners: OtlpManners,
): RequestExporter<ReadableSpanLike> | undefined {
  const convert = http["convertLegacyHttpOptions"] as Make<HttpOptions> | undefined;
  const connect = http["createOtlpHttpExportDelegate"] as Make<Delegate> | undefined;
  const theirs = transformer["ProtobufTraceSerializer"] as Serializer | undefined;
  if (typeof convert !== "function" || typeof connect !== "function") return undefined;
  if (typeof theirs?.serializeRequest !== "function") return undefined;
  const serializer: Serializer = {
    serializeRequest: (items) => (isRequest(items) ? items.bytes : theirs.serializeRequest(items)),
    deserializeResponse: (bytes) => theirs.deserializeResponse(bytes),
  };
  const headers = { "Content-Type": "application/x-protobuf" };
  const options = convert(target, "TRACES", "v1/traces", headers);
  const delegate = connect(
    manners.holds ? options : withLooseSockets(options),
    serializer,
    // Newer lines require it for their own metrics, which are not used here.
    componentType,
    transformer["TraceExporterMetricsHelper"],
  );
  const state = { retrying: false };
  watchRetries(delegate, state, manners);
  const send = (items: unknown, done: (answer: ExportAnswer) => void): void =>
    delegate.export(items, (answer) => {
      state.retrying = false;
      done(answer);
    });
  return {
    get retrying() {
      return state.retrying;
    },
    export: send,
    exportRequest: send,
    forceFlush: () => delegate.forceFlush(),
    shutdown: () => delegate.shutdown(),
  };
}

function isRequest(items: unknown): items is TraceRequest {
  return !Array.isArray(items) && (items as Partial<TraceRequest>).bytes instanceof Uint8Array;
}

/** The options with an agent whose sockets do not keep the process alive. */
function withLooseSockets(options: HttpOptions): HttpOptions {
  const make = options.agentFactory;
  if (make === undefined) return options;
  return {
    ...options,
    async agentFactory(protocol) {
      const agent = await make(protocol);
      const connect = agent.createConnection.bind(agent);
      const reuse = agent.reuseSocket.bind(agent);
      agent.createConnection = (...given) => {
        const socket = connect(...given);
        socket?.unref?.();
        return socket;
      };
      agent.reuseSocket = (socket, ...given) => {
        reuse(socket, ...given);
        socket.unref();
      };
      return agent;
    },
  };
}

/**
 * Tracks whether a request is being retried; the timer is ours, because the SDK's own keeps the
 * process alive.
 */
function watchRetries(
  delegate: Delegate,
  state: { retrying: boolean },
  { holds, retries }: OtlpManners,
): void {
  const loop = delegate._transport;
  const inner = loop?._transport;
  if (loop === undefined || inner === undefined || typeof loop.retry !== "function") return;
  loop.retry = (data, timeoutMs, inMs) => {
    if (!retries) return Promise.resolve({ status: "failure", error: new Error("unavailable") });
    state.retrying = true;
    return new Promise((resolve, reject) => {
      const again = (): void => void inner.send(data, timeoutMs).then(resolve, reject);
      const timer = setTimeout(again, inMs);
      if (!holds) timer.unref();
    });
  };
}
