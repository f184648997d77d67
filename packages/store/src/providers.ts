/**
 * @module Providers: every provider once, with its capabilities and the variables that it is
 * opened from. The collector's configuration, its help texts and the table of the README are
 * derived from it, an open store reports its capabilities from it, and the contract kit has a
 * clause for each of them.
 */

/**
 * `evidence` and `memory`: ports it serves. `durable`: rows outlive the process. `prepared` and
 * `packed`: accepts batches that another thread prepared (`appendPrepared`), as blocks of an
 * engine or as rows of bundles. `shared`: rows that all collectors of one store share (`state`).
 */
export type Capability = "evidence" | "memory" | "durable" | "prepared" | "packed" | "shared";

/** Providers of each port; the type form of the table. */
interface ProviderNames {
  readonly evidence: "clickhouse" | ProviderNames["memory"];
  readonly memory: "filesystem" | "postgres" | "mongodb" | "ephemeral";
}

/** Names of the providers that serve a port. */
export type ProviderName<P extends keyof ProviderNames = "evidence"> = ProviderNames[P];

/** One provider. */
export interface ProviderEntry {
  readonly name: ProviderName;
  readonly capabilities: readonly Capability[];
  /** Variables of the collector, without their prefix, that open it. */
  readonly variables: readonly string[];
  /** The one of them that is required. */
  readonly required?: string;
}

/** The providers in display order. */
export const providers: readonly ProviderEntry[] = [
  {
    name: "clickhouse",
    capabilities: ["evidence", "durable", "prepared", "shared"],
    variables: [
      "DATA_DIR",
      "CLICKHOUSE_URL",
      "CLICKHOUSE_USER",
      "CLICKHOUSE_PASSWORD",
      "CLICKHOUSE_CLUSTER",
      "CLICKHOUSE_QUORUM",
    ],
  },
  {
    name: "filesystem",
    capabilities: ["evidence", "memory", "durable", "packed"],
    variables: ["DATA_DIR"],
  },
  {
    name: "postgres",
    capabilities: ["evidence", "memory", "durable", "packed", "shared"],
    variables: ["POSTGRES_URL", "POSTGRES_PASSWORD"],
    required: "POSTGRES_URL",
  },
  {
    name: "mongodb",
    capabilities: ["evidence", "memory", "durable"],
    variables: ["DOCUMENT_DB_URI"],
    required: "DOCUMENT_DB_URI",
  },
  { name: "ephemeral", capabilities: ["evidence", "memory"], variables: [] },
];

/**
 * Names of the providers that serve a port and have all these capabilities, in the table's order.
 */
export function providersWith<P extends keyof ProviderNames>(
  port: P,
  ...also: readonly Capability[]
): readonly ProviderName<P>[] {
  return providers
    .filter(({ capabilities }) => [port, ...also].every((one) => capabilities.includes(one)))
    .map(({ name }) => name as ProviderName<P>);
}

/** What a provider declares. */
export function capabilitiesOf(name: ProviderName): readonly Capability[] {
  return providers.find((entry) => entry.name === name)?.capabilities ?? [];
}
