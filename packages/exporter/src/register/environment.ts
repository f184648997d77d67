/**
 * @module Environment: the standard `OTEL_*` variables that `register` reads, and the identity
 * key. The OTLP exporters read their own (endpoint, headers, timeout, compression).
 */
import { CodedError, parseNames } from "@turnproof/semconv";

/** Variables by name; `process.env` outside of tests. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Settings in the environment; absent: not set. */
export interface Environment {
  readonly disabled: boolean;
  readonly serviceName: string | undefined;
  readonly sampler: string | undefined;
  readonly samplerRatio: number;
  readonly queueMax: number | undefined;
  readonly batchMax: number | undefined;
  readonly delayMs: number | undefined;
  readonly exportTimeoutMs: number | undefined;
  /** Secret under which identity is keyed; the collector may have the same. */
  readonly identityKey: string | undefined;
  /** Secret under which inputs of tools are fingerprinted, the same in runs that are compared. */
  readonly fingerprintKey: string | undefined;
  /** Names that are exported unchanged. */
  readonly knownNames: readonly string[];
}

/** Reads the variables. Throws `config_invalid`, naming the variable, never its value. */
export function readEnvironment(variables: Variables = process.env): Environment {
  return {
    disabled: text(variables, "OTEL_SDK_DISABLED")?.toLowerCase() === "true",
    serviceName: text(variables, "OTEL_SERVICE_NAME"),
    sampler: text(variables, "OTEL_TRACES_SAMPLER"),
    samplerRatio: ratio(variables, "OTEL_TRACES_SAMPLER_ARG"),
    queueMax: count(variables, "OTEL_BSP_MAX_QUEUE_SIZE"),
    batchMax: count(variables, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE"),
    delayMs: count(variables, "OTEL_BSP_SCHEDULE_DELAY"),
    exportTimeoutMs: count(variables, "OTEL_BSP_EXPORT_TIMEOUT"),
    identityKey: text(variables, "TURNPROOF_IDENTITY_KEY"),
    fingerprintKey: text(variables, "TURNPROOF_FINGERPRINT_KEY"),
    knownNames: parseNames(text(variables, "TURNPROOF_KNOWN_NAMES") ?? ""),
  };
}

/** An empty variable counts as absent, as OpenTelemetry specifies. */
function text(variables: Variables, name: string): string | undefined {
  const value = variables[name]?.trim();
  return value === undefined || value === "" ? undefined : value;
}

function count(variables: Variables, name: string): number | undefined {
  const value = text(variables, name);
  if (value === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new CodedError("config_invalid", { field: name });
  return Number(value);
}

function ratio(variables: Variables, name: string): number {
  const value = Number(text(variables, name) ?? "1");
  if (!(value >= 0 && value <= 1)) throw new CodedError("config_invalid", { field: name });
  return value;
}
