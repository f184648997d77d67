/** @module ParsedConfig: from valid variables to settings: what one variable means for another. */
import { join, resolve } from "node:path";

import { oidcOf } from "./oidc-settings.ts";
import type { ParsedVariables } from "./config-schema.ts";
import { withLogin } from "./config-values.ts";
import { configDefaults } from "./config-defaults.ts";
import type { Config } from "./config.ts";

/** The configuration of valid variables. */
export function toConfig(
  data: ParsedVariables,
  warnings: readonly string[],
  terminal: boolean,
): Config {
  const dataDir = resolve(data.DATA_DIR);
  const oidc = oidcOf(data);
  const hasToken = data.UI_AUTH_TOKEN !== undefined || data.UI_ACCOUNTS.accounts.length > 0;
  const authed = hasToken || oidc !== undefined;
  const auditLog = data.UI_AUDIT_LOG ?? (authed ? join(dataDir, "audit.jsonl") : undefined);
  const optional = {
    grpcPort: grpcPortOf(data),
    clickhouseUrl: withLogin(data.CLICKHOUSE_URL, data.CLICKHOUSE_PASSWORD, data.CLICKHOUSE_USER),
    clickhouseCluster: data.CLICKHOUSE_CLUSTER,
    clickhouseQuorum: data.CLICKHOUSE_QUORUM,
    postgresUrl: withLogin(data.POSTGRES_URL, data.POSTGRES_PASSWORD),
    documentDbUri: data.DOCUMENT_DB_URI,
    hooksFile: data.CONFIG,
    authToken: data.UI_AUTH_TOKEN,
    accountsFile: data.UI_ACCOUNTS.file,
    oidc,
    sessionSecret: data.UI_SESSION_SECRET,
    proxy: data.PROXY,
    auditLog,
    auditWebhookToken: data.AUDIT_WEBHOOK_TOKEN,
    auditS3: s3Of(data),
    pseudonymKey: data.UI_PSEUDONYM_KEY,
    traceLink: data.UI_TRACE_LINK,
    trustedIngest: data.TRUSTED_INGEST,
    contracts: data.CONTRACTS,
    prices: data.PRICES,
    alertSecret: data.ALERT_SECRET,
    turnLimits: data.TURN_LIMIT,
    identityKey: data.IDENTITY_KEY,
    signingKey: data.SIGNING_KEY,
  };
  return {
    host: data.HOST,
    port: data.PORT,
    basePath: data.BASE_PATH,
    dataDir,
    backend: data.BACKEND,
    memoryBackend: data.MEMORY_BACKEND,
    accounts: data.UI_ACCOUNTS.accounts,
    cookieSecure: data.UI_COOKIE_SECURE,
    origins: data.UI_ORIGIN,
    readOnly: data.UI_READ_ONLY,
    contentMode: data.UI_TRACE_CONTENT_MODE,
    auditScope: data.UI_AUDIT_SCOPE,
    auditShip: data.AUDIT_SHIP,
    alertRules: data.ALERT_RULES,
    alertTargets: data.ALERT_TARGETS,
    ingest: data.INGEST,
    ingestTokens: data.INGEST_TOKENS,
    legalHold: data.LEGAL_HOLD,
    ...(data.RETENTION_FLOOR_DAYS === undefined
      ? {}
      : { retentionFloorDays: data.RETENTION_FLOOR_DAYS }),
    ...forwardOf(data),
    journalBytesMax: data.JOURNAL_BYTES_MAX,
    judgeBytesMax: data.JUDGE_BYTES_MAX,
    knownNames: data.KNOWN_NAMES,
    log: data.LOG ?? (terminal ? "pretty" : "json"),
    warnings,
    ...present(optional),
  };
}

function forwardOf(data: ParsedVariables): Pick<Config, "forward"> {
  const { FORWARD_URL: url, FORWARD_HEADERS: headers, FORWARD_BYTES_MAX: bytesMax } = data;
  return url === undefined ? {} : { forward: { url, headers, bytesMax } };
}

function s3Of(data: ParsedVariables): Config["auditS3"] {
  const { AUDIT_S3_KEY_ID: keyId, AUDIT_S3_SECRET: secret, AUDIT_S3_REGION: region } = data;
  return keyId === undefined || secret === undefined ? undefined : { keyId, secret, region };
}

/** OTLP's own port; any free one when the HTTP port is any free one. */
function grpcPortOf({ GRPC_PORT: stated, INGEST: ingest, PORT: port }: ParsedVariables) {
  if (stated === "off" || ingest === "off") return undefined;
  return stated ?? (port === 0 ? 0 : configDefaults.GRPC_PORT);
}

/** Removes undefined fields, so that an absent option is absent. */
function present<T extends object>(record: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
