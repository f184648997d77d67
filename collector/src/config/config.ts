/** @module Config: the validated settings of a collector. */
import type { TurnLimits } from "@turnproof/evidence";
import type { ProviderName } from "@turnproof/store";

import type { AlertRulesValue, AlertTarget } from "./alert-rules.ts";
import type { PriceFile } from "./price-file.ts";
import type { DeclaredProxy } from "./proxy-networks.ts";
import type { OidcSettings } from "./oidc-settings.ts";
import type { ShipTarget } from "./ship-targets.ts";
import type { Account } from "./accounts.ts";
import type { IngestToken } from "./config-values.ts";

/** The complete, validated configuration. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Port of OTLP/gRPC; absent when none is served. */
  readonly grpcPort?: number;
  readonly basePath: string;
  readonly dataDir: string;
  readonly backend: ProviderName<"evidence">;
  readonly memoryBackend: ProviderName<"memory"> | "none";
  readonly clickhouseUrl?: string;
  readonly clickhouseCluster?: string;
  /** Replicas of a shard that must store an insert; absent: more than half of them. */
  readonly clickhouseQuorum?: number;
  readonly postgresUrl?: string;
  readonly documentDbUri?: string;
  readonly hooksFile?: string;
  readonly authToken?: string;
  readonly accounts: readonly Account[];
  /** Their file; read again when it changes. Absent when they are in the variable. */
  readonly accountsFile?: string;
  /** Sign-in through an identity provider, beside tokens. */
  readonly oidc?: OidcSettings;
  readonly sessionSecret?: string;
  readonly cookieSecure: boolean;
  readonly origins: readonly string[];
  /** What ends TLS before the collector; absent: nothing, and loopback is served alone. */
  readonly proxy?: DeclaredProxy;
  readonly readOnly: boolean;
  readonly contentMode: "metadata" | "redacted" | "full";
  /** Absent: no audit, which is allowed only while no authentication is configured. */
  readonly auditLog?: string;
  readonly auditScope: string;
  /** Where checkpoints of the audit log are sent. */
  readonly auditShip: readonly ShipTarget[];
  readonly auditWebhookToken?: string;
  readonly auditS3?: { readonly keyId: string; readonly secret: string; readonly region: string };
  readonly pseudonymKey?: string;
  readonly traceLink?: string;
  readonly ingest: "on" | "off";
  readonly ingestTokens: readonly IngestToken[];
  readonly trustedIngest?: readonly string[];
  /** After how long without an event a turn that did not end is unfinished. */
  readonly turnLimits?: TurnLimits;
  readonly alertRules: AlertRulesValue;
  readonly alertTargets: readonly AlertTarget[];
  readonly alertSecret?: string;
  /** Folder of contracts that every turn is judged by. */
  readonly contracts?: string;
  /** Prices that come before those of the list. */
  readonly prices?: PriceFile;
  /** Age in days below which no evidence is deleted by retention. */
  readonly retentionFloorDays?: number;
  /** Nothing is deleted by commands while it is set. */
  readonly legalHold: boolean;
  /** Where stored spans go on to; absent: nowhere. */
  readonly forward?: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly bytesMax: number;
  };
  readonly journalBytesMax: number;
  /** Approximate bytes of turns that the judge keeps in memory until they are quiet. */
  readonly judgeBytesMax: number;
  readonly identityKey?: string;
  /** Names of agents, workflows, tools and services that are readable whatever their form. */
  readonly knownNames: readonly string[];
  readonly signingKey?: string;
  readonly log: "json" | "pretty";
  /** Allowed settings that an operator should know about; sentences without values. */
  readonly warnings: readonly string[];
}
