/** @module ConfigSchema: how the text of each variable is parsed. */
import { limits, parseNames } from "@turnproof/semconv";
import { providersWith } from "@turnproof/store";
import { z } from "zod";

import { priceFileIn } from "./price-file.ts";
import { alertRulesIn, alertTargets, webhookSecret } from "./alert-rules.ts";
import { configDefaults } from "./config-defaults.ts";
import { contractFolderIn } from "./contract-files.ts";
import { accountsIn } from "./accounts.ts";
import {
  declaredProxy,
  flag,
  ingestTokens,
  list,
  origins,
  text,
  token,
  traceTemplate,
  turnLimits,
} from "./config-values.ts";
import { forwardHeaders, forwardUrl } from "./forward-target.ts";
import { issuer, roleValues, scopes } from "./oidc-settings.ts";
import { shipTargets } from "./ship-targets.ts";

const portText = z
  .string()
  .regex(/^\d{1,5}$/, "a port is a number")
  .transform(Number)
  .refine((value) => value <= 65_535, "a port is at most 65535");

/** What each variable holds, by its name without the prefix. */
export const schema = z.object({
  HOST: text.default(configDefaults.HOST),
  PORT: portText.default(configDefaults.PORT),
  GRPC_PORT: z.literal("off").or(portText).optional(),
  BASE_PATH: text
    .regex(/^\/([A-Za-z0-9_.-]+(\/[A-Za-z0-9_.-]+)*)?\/?$/, "a path of plain segments")
    .transform((value) => (value === "/" ? "/" : value.replace(/\/$/, "")))
    .default(configDefaults.BASE_PATH),
  DATA_DIR: text.default(configDefaults.DATA_DIR),
  BACKEND: z.enum(providersWith("evidence"), "unknown backend").default(configDefaults.BACKEND),
  CLICKHOUSE_URL: z.url("not a URL").optional(),
  CLICKHOUSE_USER: text.optional(),
  CLICKHOUSE_PASSWORD: text.optional(),
  CLICKHOUSE_CLUSTER: text.regex(/^[A-Za-z0-9_-]+$/, "not a cluster name").optional(),
  CLICKHOUSE_QUORUM: z
    .string()
    .regex(/^(auto|[1-9]\d?)$/, "auto or a number of replicas")
    .transform((value) => (value === "auto" ? undefined : Number(value)))
    .optional(),
  POSTGRES_URL: text.optional(),
  POSTGRES_PASSWORD: text.optional(),
  DOCUMENT_DB_URI: text.optional(),
  MEMORY_BACKEND: z
    .enum([...providersWith("memory"), "none"], "unknown memory backend")
    .default(configDefaults.MEMORY_BACKEND),
  CONFIG: text.optional(),
  UI_AUTH_TOKEN: token.optional(),
  UI_ACCOUNTS: accountsIn.default({ accounts: [] }),
  UI_OIDC_ISSUER: issuer.optional(),
  UI_OIDC_CLIENT_ID: text.optional(),
  UI_OIDC_CLIENT_SECRET: text.optional(),
  UI_OIDC_SCOPES: scopes.default(configDefaults.UI_OIDC_SCOPES),
  UI_OIDC_ROLE_CLAIM: text.default(configDefaults.UI_OIDC_ROLE_CLAIM),
  UI_OIDC_ROLES: roleValues.optional(),
  UI_OIDC_TENANT_CLAIM: text.optional(),
  UI_SESSION_SECRET: text.optional(),
  UI_COOKIE_SECURE: flag.default(configDefaults.UI_COOKIE_SECURE),
  UI_ORIGIN: origins.default([]),
  PROXY: declaredProxy.optional(),
  UI_READ_ONLY: flag.default(configDefaults.UI_READ_ONLY),
  UI_TRACE_CONTENT_MODE: z
    .enum(["metadata", "redacted", "full"], "set metadata, redacted or full")
    .default(configDefaults.UI_TRACE_CONTENT_MODE),
  UI_AUDIT_LOG: text.optional(),
  AUDIT_SHIP: shipTargets.default([]),
  AUDIT_WEBHOOK_TOKEN: token.optional(),
  AUDIT_S3_KEY_ID: text.optional(),
  AUDIT_S3_SECRET: text.optional(),
  AUDIT_S3_REGION: text.default(configDefaults.AUDIT_S3_REGION),
  UI_AUDIT_SCOPE: text.max(limits.stringCharsMax).default(configDefaults.UI_AUDIT_SCOPE),
  UI_PSEUDONYM_KEY: text.optional(),
  UI_TRACE_LINK: traceTemplate.optional(),
  INGEST: z.enum(["on", "off"], "set on or off").default(configDefaults.INGEST),
  INGEST_TOKENS: ingestTokens.default([]),
  TRUSTED_INGEST: list.optional(),
  CONTRACTS: contractFolderIn.optional(),
  PRICES: priceFileIn.optional(),
  ALERT_RULES: alertRulesIn.default({ rules: [] }),
  ALERT_TARGETS: alertTargets.default([]),
  ALERT_SECRET: webhookSecret.optional(),
  RETENTION_FLOOR_DAYS: z
    .string()
    .regex(/^\d{1,5}$/, "a number of days")
    .transform(Number)
    .optional(),
  LEGAL_HOLD: flag.default(configDefaults.LEGAL_HOLD),
  FORWARD_URL: forwardUrl.optional(),
  FORWARD_HEADERS: forwardHeaders.default({}),
  FORWARD_BYTES_MAX: z
    .string()
    .regex(/^\d{1,15}$/, "a number of bytes")
    .transform(Number)
    .refine((value) => value >= 16_777_216, "at least 16 MiB")
    .default(configDefaults.FORWARD_BYTES_MAX),
  TURN_LIMIT: turnLimits.optional(),
  JOURNAL_BYTES_MAX: z
    .string()
    .regex(/^\d{1,15}$/, "a number of bytes")
    .transform(Number)
    .refine((value) => value >= 16_777_216, "at least 16 MiB")
    .default(configDefaults.JOURNAL_BYTES_MAX),
  JUDGE_BYTES_MAX: z
    .string()
    .regex(/^\d{1,12}$/, "a number of bytes")
    .transform(Number)
    .refine((value) => value >= 1_048_576, "at least 1 MiB")
    .default(configDefaults.JUDGE_BYTES_MAX),
  IDENTITY_KEY: text.optional(),
  KNOWN_NAMES: z.string().transform(parseNames).default([]),
  SIGNING_KEY: text.optional(),
  LOG: z.enum(["json", "pretty"], "set json or pretty").optional(),
});

/** The parsed variables by name, before they become a `Config`. */
export type ParsedVariables = z.infer<typeof schema>;
