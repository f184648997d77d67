/**
 * @module Register: the complete set-up of an application in three lines. It reads the standard
 * `OTEL_*` variables and builds a provider of the installed SDK line. For an application with a
 * provider of its own it returns one processor to add, and changes nothing else.
 */
import { context, propagation, trace } from "@opentelemetry/api";
import type { TextMapPropagator } from "@opentelemetry/api";
import type { EvidenceWriter } from "@turnproof/evidence";
import { allowNames, CodedError, keyCalls, keyIdentities } from "@turnproof/semconv";
import type { CallFingerprint, Code } from "@turnproof/semconv";
import { callPurpose, keyedFingerprint, parseKeyring } from "@turnproof/semconv/fingerprint";
import { createIdentityKey } from "@turnproof/semconv/name-key";

import { BundleExporter } from "../bundle/bundle-exporter.ts";
import { exportFailed } from "../gate/sdk-shapes.ts";
import type { ReadableSpanLike, SpanExporterLike } from "../gate/sdk-shapes.ts";
import type { KeyIdentity } from "../mapping/span-reading.ts";
import type { EvidenceSamplerOptions, SamplerLike } from "../processor/evidence-sampler.ts";
import type { ExportHealth } from "../processor/span-counts.ts";
import { TurnproofProcessor } from "../processor/turnproof-processor.ts";
import type { TurnproofProcessorOptions } from "../processor/processor-settings.ts";
import { contextWorks, problemOf, problemSentence } from "./problem.ts";
import { readEnvironment } from "./environment.ts";
import type { Environment, Variables } from "./environment.ts";
import { noticeOn } from "./notice.ts";
import { atProcessEnd } from "./process-end.ts";
import { Peers } from "./sdk.ts";
import type { GivenModules, SdkProvider } from "./sdk.ts";

/** Options of `register`; everything has a default. */
export interface RegisterOptions extends Omit<
  TurnproofProcessorOptions<ReadableSpanLike>,
  "exporter" | "keyIdentity"
> {
  readonly serviceName?: string;
  /** Base URL of a collector, e.g. `http://127.0.0.1:4318`; default `OTEL_EXPORTER_OTLP_*`. */
  readonly endpoint?: string;
  /** Sent with every export, e.g. an ingest token. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Another exporter instead of OTLP; it receives screened spans only. */
  readonly exporter?: SpanExporterLike<ReadableSpanLike>;
  /** A store to write evidence to instead of sending it. */
  readonly store?: Pick<EvidenceWriter, "append">;
  /** Secret of at least 32 bytes for keyed identity; default `TURNPROOF_IDENTITY_KEY`. */
  readonly identityKey?: string;
  /**
   * Names of agents, workflows, tools and services that are exported unchanged, whatever their
   * form; default `TURNPROOF_KNOWN_NAMES`, separated by semicolons or line ends.
   */
  readonly knownNames?: readonly string[];
  /** The application's sampler; evidence is kept regardless. Default `OTEL_TRACES_SAMPLER`. */
  readonly sampler?: SamplerLike;
  readonly sampling?: EvidenceSamplerOptions;
  /** Processors of the application beside ours. */
  readonly spanProcessors?: readonly unknown[];
  readonly propagator?: TextMapPropagator;
  /** Folder whose `node_modules` contains the SDK; default: ours, then the working directory's. */
  readonly resolveFrom?: string;
  /**
   * Modules of the SDK that the application imported itself, by package name. A bundle needs them,
   * because modules loaded by name are not in it.
   */
  readonly modules?: GivenModules;
  /** False: build no provider, even when there is none. */
  readonly provider?: boolean;
  /** False: do not handle `beforeExit`, `exit`, SIGTERM and SIGINT. */
  readonly flushOnExit?: boolean;
  /** How long an idle process is kept alive for its spans; default 2,000 ms. */
  readonly exitDeadlineMs?: number;
  /**
   * True: a set-up that would not work throws. Default: it is reported, and the application
   * continues.
   */
  readonly strict?: boolean;
  /** Variables instead of `process.env`. */
  readonly variables?: Variables;
}

/** What `register` set up. */
export interface Registration {
  /** Ours; add it to `spanProcessors` when the application has a provider of its own. */
  readonly processor: TurnproofProcessor<ReadableSpanLike>;
  /** True when a provider was built and is the global one. */
  readonly installed: boolean;
  /**
   * Why nothing was set up although it was requested, or undefined: `sdk_missing`,
   * `provider_registered`, `api_version_mismatch` or `context_manager_missing`.
   */
  readonly problem: Code | undefined;
  readonly health: ExportHealth;
  flush(): Promise<void>;
  shutdown(): Promise<void>;
}

const exitDeadlineDefaultMs = 2_000;

/**
 * Sets up everything or nothing: the cause is in `problem`, and in one line on standard error
 * unless `OTEL_LOG_LEVEL` is `none`. Throws `config_invalid` for a wrong variable or key (naming
 * it, never its value) and, with `strict`, the problem.
 */
export function register(options: RegisterOptions = {}): Registration {
  const environment = readEnvironment(options.variables);
  const identity = identityOf(options, environment);
  keyCalls(callsOf(environment));
  const notice = noticeOn(options.variables ?? process.env);
  const knownNames = options.knownNames ?? environment.knownNames;
  if (knownNames.length > 0) allowNames(knownNames);
  const peers = new Peers(options.resolveFrom, options.modules);
  const requested = options.provider !== false && !environment.disabled;
  const missing = requested || options.provider === false ? missingFor(options, peers) : [];
  const processor = new TurnproofProcessor<ReadableSpanLike>({
    ...batching(environment),
    ...options,
    ...identity,
    exporter: exporterOf(options, peers),
  });
  const built = requested && missing.length === 0 && !hasProvider();
  const provider = built ? install(processor, options, environment, peers) : undefined;
  const problem = problemOf({ requested, missing, built, installed: provider !== undefined });
  if (problem !== undefined) {
    const field = missing.length === 0 ? {} : { field: missing.join(" ") };
    if (options.strict === true) throw new CodedError(problem, field);
    notice(problemSentence(problem, missing));
  }
  let ending: Promise<void> | undefined;
  // A signal and the application may both call it; both wait for the same end.
  const end = (): Promise<void> =>
    (ending ??= provider === undefined ? processor.shutdown() : provider.shutdown());
  if (options.flushOnExit !== false) {
    const { exitDeadlineMs = exitDeadlineDefaultMs } = options;
    atProcessEnd({ processor, exitDeadlineMs, end, notice });
  }
  return {
    processor,
    installed: provider !== undefined,
    problem,
    get health() {
      return processor.health;
    },
    flush: () => processor.forceFlush(),
    shutdown: end,
  };
}

/**
 * Packages that are not installed; an application with a provider of its own needs an exporter.
 */
function missingFor(options: RegisterOptions, peers: Peers): string[] {
  const exporter = options.exporter === undefined && options.store === undefined;
  // Where a provider exists already, ours would not be built.
  if (options.provider === false || hasProvider()) return exporter ? peers.missingExporter() : [];
  const propagator = options.propagator === undefined;
  return peers.missing({ exporter, propagator, contextManager: !contextWorks() });
}

function batching(environment: Environment): Partial<TurnproofProcessorOptions> {
  const { queueMax, batchMax, delayMs, exportTimeoutMs } = environment;
  return {
    ...(queueMax === undefined ? {} : { queueMax }),
    ...(batchMax === undefined ? {} : { batchMax }),
    ...(delayMs === undefined ? {} : { delayMs }),
    ...(exportTimeoutMs === undefined ? {} : { exportTimeoutMs }),
  };
}

function callsOf({ fingerprintKey: secret }: Environment): CallFingerprint | undefined {
  if (secret === undefined) return undefined;
  try {
    const [key] = parseKeyring(secret);
    return (text) => keyedFingerprint(text, { key, purpose: callPurpose });
  } catch (cause) {
    throw new CodedError("config_invalid", { field: "TURNPROOF_FINGERPRINT_KEY", cause });
  }
}

function identityOf(
  options: RegisterOptions,
  environment: Environment,
): { readonly keyIdentity?: KeyIdentity } {
  const secret = options.identityKey ?? environment.identityKey;
  if (secret === undefined) {
    // Keying without a key would silently drop every identity.
    if ((options.keyed ?? []).length > 0) {
      throw new CodedError("config_invalid", { field: "TURNPROOF_IDENTITY_KEY" });
    }
    return {};
  }
  const [key] = parseKeyring(secret);
  const keyIdentity = createIdentityKey(key);
  const fields = options.keyed ?? [];
  if (fields.length > 0) keyIdentities({ fields, key: keyIdentity });
  return { keyIdentity };
}

function exporterOf(options: RegisterOptions, peers: Peers): SpanExporterLike<ReadableSpanLike> {
  if (options.exporter !== undefined) return options.exporter;
  if (options.store !== undefined) return new BundleExporter({ store: options.store });
  const url = tracesUrl(options.endpoint);
  if (peers.missingExporter().length > 0) return nowhere;
  const manners = { holds: options.flushOnExit === false, retries: options.spool === undefined };
  return peers.otlpExporter({ url, headers: options.headers, manners });
}

/** Used when no exporter is installed; its spans are counted as lost. */
const nowhere: SpanExporterLike<ReadableSpanLike> = {
  export: (_, done) => done({ code: exportFailed }),
  shutdown: () => Promise.resolve(),
};

/** OTLP's own rule: the path of the signal is added to a base URL. */
function tracesUrl(endpoint: string | undefined): string | undefined {
  if (endpoint === undefined) return undefined;
  let url: URL;
  try {
    url = new URL(endpoint);
  } catch {
    throw new CodedError("config_invalid", { field: "endpoint" });
  }
  if (!url.pathname.endsWith("/v1/traces")) {
    url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/traces`;
  }
  return url.href;
}

/** True when the application registered a provider already. */
function hasProvider(): boolean {
  const global = trace.getTracerProvider() as { getDelegateTracer?: (name: string) => unknown };
  // The API's placeholder provider has a delegate once a provider is registered.
  return (
    global.getDelegateTracer === undefined || global.getDelegateTracer("turnproof") !== undefined
  );
}

function install(
  processor: TurnproofProcessor<ReadableSpanLike>,
  options: RegisterOptions,
  environment: Environment,
  peers: Peers,
): SdkProvider | undefined {
  const provider = peers.provider({
    spanProcessors: [processor, ...(options.spanProcessors ?? [])],
    sampler: processor.sampler(options.sampler ?? peers.sampler(environment), options.sampling),
    resource: peers.resource(options.serviceName ?? environment.serviceName),
  });
  // Refused when another copy of the API, of an incompatible version, registered one that is
  // invisible here.
  if (!trace.setGlobalTracerProvider(provider)) return undefined;
  const manager = contextWorks() ? undefined : peers.contextManager();
  if (manager !== undefined) context.setGlobalContextManager(manager);
  const propagator = options.propagator ?? peers.propagator();
  if (propagator !== undefined) propagation.setGlobalPropagator(propagator);
  return provider;
}
