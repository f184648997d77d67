/**
 * @module SDK: builds a tracer provider of the SDK line that the application has installed, loaded
 * on demand. Every package here is an optional peer, so none is imported statically.
 */
import { createRequire } from "node:module";

import type { ContextManager, TextMapPropagator, TracerProvider } from "@opentelemetry/api";
import { attribute, CodedError } from "@turnproof/semconv";

import type { ReadableSpanLike, ResourceLike, SpanExporterLike } from "../gate/sdk-shapes.ts";
import type { SamplerLike } from "../processor/evidence-sampler.ts";
import type { Environment } from "./environment.ts";
import { otlpRequestExporter } from "./otlp-exporter.ts";
import type { OtlpManners, OtlpParts } from "./otlp-exporter.ts";

/** A provider that can be shut down. */
export interface SdkProvider extends TracerProvider {
  forceFlush(): Promise<void>;
  shutdown(): Promise<void>;
}

type Constructor<T> = new (options?: unknown) => T;
type Module = Readonly<Record<string, unknown>>;

/** The package that holds the tracer provider: 3.x and late 2.x, then all of 2.x. */
const sdkPackages = ["@opentelemetry/sdk-trace", "@opentelemetry/sdk-trace-base"] as const;

/** Protobuf costs half as much as JSON on both sides. */
const exporterPackages = [
  "@opentelemetry/exporter-trace-otlp-proto",
  "@opentelemetry/exporter-trace-otlp-http",
] as const;

/** Packages below both exporters. */
const otlpParts = {
  http: "@opentelemetry/otlp-exporter-base/node-http",
  transformer: "@opentelemetry/otlp-transformer",
} as const;

function placesOf(folder: string | undefined): string[] {
  return folder === undefined ? [import.meta.url, `${process.cwd()}/`] : [`${folder}/`];
}

/** Modules that the application imported itself, by package name. */
export type GivenModules = Readonly<Record<string, unknown>>;

/**
 * Loads optional peers: modules passed by the application first, then from the folder, or from our
 * own place and then the working directory's. In a bundle only passed modules are found.
 */
export class Peers {
  private readonly requires: readonly NodeJS.Require[];
  private readonly given: GivenModules;

  constructor(folder: string | undefined, given: GivenModules = {}) {
    this.given = given;
    this.requires = placesOf(folder).flatMap((place) => {
      try {
        return [createRequire(place)];
      } catch {
        // A bundle in CommonJS has no URL of its own.
        return [];
      }
    });
  }

  load(name: string): Module | undefined {
    if (this.given[name] !== undefined) return this.given[name] as Module;
    for (const require of this.requires) {
      try {
        return require(name) as Module;
      } catch (error) {
        const { code } = error as { code?: string };
        if (code !== "MODULE_NOT_FOUND" && code !== "ERR_PACKAGE_PATH_NOT_EXPORTED") throw error;
      }
    }
    return undefined;
  }

  private first(names: readonly string[]): Module {
    for (const name of names) {
      const found = this.load(name);
      if (found !== undefined) return found;
    }
    throw new CodedError("sdk_missing", { field: names[0] ?? "" });
  }

  /** The tracer SDK; throws `sdk_missing`. */
  sdk(): Module {
    return this.first(sdkPackages);
  }

  /**
   * Packages that a set-up needs and that are not installed, in the form of an install command.
   */
  missing(needs: {
    readonly exporter: boolean;
    readonly contextManager: boolean;
    readonly propagator: boolean;
  }): string[] {
    const wanted: (readonly [needed: boolean, names: readonly string[]])[] = [
      [true, sdkPackages],
      [needs.exporter, exporterPackages],
      [needs.contextManager, ["@opentelemetry/context-async-hooks"]],
      [needs.propagator, ["@opentelemetry/core"]],
      [true, ["@opentelemetry/resources"]],
    ];
    const absent = wanted.flatMap(([needed, names]) =>
      needed && names.every((name) => this.load(name) === undefined) ? names.slice(0, 1) : [],
    );
    // With an SDK of the 2.x line its companions are of that line too.
    const second = this.load(sdkPackages[0]) === undefined && !absent.includes(sdkPackages[0]);
    return absent.map((name) => (second && !name.includes("exporter") ? `${name}@2` : name));
  }

  /** The OTLP exporter, when none is installed. */
  missingExporter(): string[] {
    const none = exporterPackages.every((name) => this.load(name) === undefined);
    return none ? [exporterPackages[0]] : [];
  }

  /**
   * An OTLP exporter; throws `sdk_missing`. Without a URL it reads `OTEL_EXPORTER_OTLP_*`. It
   * accepts the gate's own requests where the installed line allows it.
   */
  otlpExporter(options: {
    readonly url: string | undefined;
    readonly headers: Readonly<Record<string, string>> | undefined;
    readonly manners: OtlpManners;
  }): SpanExporterLike<ReadableSpanLike> {
    const exporterPackage = this.first(exporterPackages);
    const target = {
      ...(options.url === undefined ? {} : { url: options.url }),
      ...(options.headers === undefined ? {} : { headers: options.headers }),
    };
    const parts = this.otlpParts();
    const own =
      parts === undefined ? undefined : otlpRequestExporter(parts, target, options.manners);
    if (own !== undefined) return own;
    const make = exporterPackage["OTLPTraceExporter"] as Constructor<
      SpanExporterLike<ReadableSpanLike>
    >;
    return new make(target);
  }

  /**
   * The transport and the encoder below the exporter, resolved from its location. Both exporters
   * share them; a receiver must read protobuf, and may read JSON.
   */
  private otlpParts(): OtlpParts | undefined {
    const http = this.given[otlpParts.http] as Module | undefined;
    const transformer = this.given[otlpParts.transformer] as Module | undefined;
    if (http !== undefined && transformer !== undefined) return { http, transformer };
    if (exporterPackages.some((name) => this.given[name] !== undefined)) return undefined;
    for (const name of exporterPackages) {
      for (const require of this.requires) {
        try {
          const inner = createRequire(require.resolve(name));
          return {
            http: inner(otlpParts.http) as Module,
            transformer: inner(otlpParts.transformer) as Module,
          };
        } catch {
          // Not found here, or of a line without these parts: try the next place, or use the
          // exporter itself.
        }
      }
    }
    return undefined;
  }

  /** The context manager of Node, when it is installed. */
  contextManager(): ContextManager | undefined {
    const make = this.load("@opentelemetry/context-async-hooks")?.[
      "AsyncLocalStorageContextManager"
    ] as Constructor<ContextManager & { enable(): ContextManager }> | undefined;
    return make && new make().enable();
  }

  /** W3C trace context and baggage, when the SDK's core is installed. */
  propagator(): TextMapPropagator | undefined {
    const core = this.load("@opentelemetry/core");
    if (core === undefined) return undefined;
    const composite = core["CompositePropagator"] as Constructor<TextMapPropagator>;
    const parts = ["W3CTraceContextPropagator", "W3CBaggagePropagator"].map(
      (name) => new (core[name] as Constructor<TextMapPropagator>)(),
    );
    return new composite({ propagators: parts });
  }

  /** Resource with the service name and `OTEL_RESOURCE_ATTRIBUTES`. */
  resource(serviceName: string | undefined): ResourceLike | undefined {
    const resources = this.load("@opentelemetry/resources");
    if (resources === undefined) return undefined;
    const detect = resources["detectResources"] as (config: unknown) => MergingResource;
    const fromAttributes = resources["resourceFromAttributes"] as (
      attributes: Record<string, string>,
    ) => MergingResource;
    const detected = detect({ detectors: [resources["envDetector"]] });
    if (serviceName === undefined) return detected;
    return detected.merge(fromAttributes({ [attribute.application_id.span]: serviceName }));
  }

  /** A provider of the installed line. */
  provider(options: {
    readonly spanProcessors: readonly unknown[];
    readonly sampler: SamplerLike;
    readonly resource: ResourceLike | undefined;
  }): SdkProvider {
    const sdk = this.sdk();
    const make = (sdk["TracerProvider"] ?? sdk["BasicTracerProvider"]) as Constructor<SdkProvider>;
    const { resource, ...rest } = options;
    return new make(resource === undefined ? rest : { ...rest, resource });
  }

  /** The sampler in `OTEL_TRACES_SAMPLER`; an unknown name records everything. */
  sampler(environment: Environment): SamplerLike {
    const sdk = this.sdk();
    const make = (name: string, argument?: unknown): SamplerLike =>
      new (sdk[name] as Constructor<SamplerLike>)(argument);
    const on = make("AlwaysOnSampler");
    const off = (): SamplerLike => make("AlwaysOffSampler");
    const byRatio = (): SamplerLike => make("TraceIdRatioBasedSampler", environment.samplerRatio);
    const parentBased = (root: SamplerLike): SamplerLike => make("ParentBasedSampler", { root });
    switch (environment.sampler) {
      case "always_on":
        return on;
      case "always_off":
        return off();
      case "traceidratio":
        return byRatio();
      case "parentbased_always_off":
        return parentBased(off());
      case "parentbased_traceidratio":
        return parentBased(byRatio());
      default:
        return parentBased(on);
    }
  }
}

interface MergingResource extends ResourceLike {
  merge(other: ResourceLike): MergingResource;
}

/**
 * The OTLP exporter that `register` uses, for an application that builds its processor itself.
 * Throws `sdk_missing` when no OTLP exporter is installed.
 */
export function otlpExporter(
  options: { readonly url?: string; readonly headers?: Readonly<Record<string, string>> } = {},
  resolveFrom?: string,
): SpanExporterLike<ReadableSpanLike> {
  const { url, headers } = options;
  return new Peers(resolveFrom).otlpExporter({
    url,
    headers,
    manners: { holds: true, retries: true },
  });
}
