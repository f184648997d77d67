/**
 * @module Variables: every environment variable once, by the part after its prefix, with its
 * description. `doctor`, the help text and the documentation use this table; `read-config.ts` reads
 * the values.
 */
import { providersWith } from "@turnproof/store";

import { configDefaults } from "./config-defaults.ts";

/**
 * One variable: `TURNPROOF_<name>`, also accepted as `SERVICE_<name>` (requirements: Authentication
 * 1).
 */
export interface Variable {
  readonly name: string;
  /** A credential or a connection string: its value is never printed. */
  readonly secret: boolean;
  readonly fallback: string;
  readonly meaning: string;
}

/** @param fallback a default, or where the value is from without one */
const row = (
  name: string,
  fallback: string | number | boolean,
  meaning: string,
  secret = false,
): Variable => ({ name, secret, fallback: String(fallback), meaning });

/** Names in a sentence: `a, b or c`. */
export function anyOf(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1) ?? ""}`;
}

/** The variables in display order. */
export const variables: readonly Variable[] = [
  row(
    "HOST",
    configDefaults.HOST,
    "Address to listen on; anything but loopback needs a token and PROXY.",
  ),
  row("PORT", configDefaults.PORT, "Port to listen on; 0 takes a free one."),
  row(
    "GRPC_PORT",
    configDefaults.GRPC_PORT,
    "Port of OTLP/gRPC; 0 takes a free one, `off` serves none. With PORT 0 it is 0 unless set.",
  ),
  row(
    "PROXY",
    "",
    "Addresses or networks of the proxies that end TLS, comma-separated, or `any` in a private network; needed beyond loopback. Other peers are refused.",
  ),
  row("BASE_PATH", configDefaults.BASE_PATH, "Path under which everything is served."),
  row("DATA_DIR", configDefaults.DATA_DIR, "Journal, embedded store, keys and audit log."),
  row("BACKEND", configDefaults.BACKEND, `${anyOf(providersWith("evidence"))}.`),
  row("CLICKHOUSE_URL", "", "A ClickHouse server; without it the embedded engine is used.", true),
  row("CLICKHOUSE_USER", "the one in the URL", "User of the ClickHouse server."),
  row("CLICKHOUSE_PASSWORD", "the one in the URL", "Its password, not percent-encoded.", true),
  row("CLICKHOUSE_CLUSTER", "", "Name of the cluster over whose shards rows are spread."),
  row(
    "CLICKHOUSE_QUORUM",
    "auto",
    "Replicas of a shard that must hold an insert: auto is over half.",
  ),
  row("POSTGRES_URL", "", "PostgreSQL: a connection string, or file:///directory embedded.", true),
  row(
    "POSTGRES_PASSWORD",
    "the one in the URL",
    "Password of PostgreSQL, not percent-encoded.",
    true,
  ),
  row(
    "DOCUMENT_DB_URI",
    "",
    "Connection string of MongoDB. The user needs to read and write, and to make indexes.",
    true,
  ),
  row(
    "MEMORY_BACKEND",
    configDefaults.MEMORY_BACKEND,
    `${anyOf([...providersWith("memory"), "none"])}.`,
  ),
  row("CONFIG", "", "Path of a file with host hooks (turnproof.config.ts, .js or .json)."),
  row("UI_AUTH_TOKEN", "", "Operator token: one admin, at least 16 characters.", true),
  row(
    "UI_ACCOUNTS",
    "",
    "Named accounts as JSON, or the path of a JSON file, which is read again when it changes.",
    true,
  ),
  row(
    "UI_OIDC_ISSUER",
    "",
    "Issuer of an OpenID Connect provider that people sign in through, beside tokens; https, http on loopback.",
  ),
  row("UI_OIDC_CLIENT_ID", "", "Client id of this collector at the provider."),
  row("UI_OIDC_CLIENT_SECRET", "none: a public client", "Its secret.", true),
  row("UI_OIDC_SCOPES", configDefaults.UI_OIDC_SCOPES, "Scopes to request, separated by spaces."),
  row(
    "UI_OIDC_ROLE_CLAIM",
    configDefaults.UI_OIDC_ROLE_CLAIM,
    "Claim with the role; dots lead into objects.",
  ),
  row(
    "UI_OIDC_ROLES",
    "each role by its name",
    "Roles by values of that claim, `value=role` between commas; the highest counts.",
  ),
  row(
    "UI_OIDC_TENANT_CLAIM",
    "",
    "Claim with the tenant that a person is bound to; without it all tenants are read.",
  ),
  row(
    "UI_SESSION_SECRET",
    "made and kept in DATA_DIR",
    "Keyring `kid:secret,…`, 32 bytes each.",
    true,
  ),
  row(
    "UI_COOKIE_SECURE",
    configDefaults.UI_COOKIE_SECURE,
    "`true` marks the session cookie Secure.",
  ),
  row("UI_ORIGIN", "", "Public origins of the UI, comma-separated, behind a proxy."),
  row("UI_READ_ONLY", configDefaults.UI_READ_ONLY, "`true` refuses every mutation by an operator."),
  row("UI_TRACE_CONTENT_MODE", configDefaults.UI_TRACE_CONTENT_MODE, "metadata, redacted or full."),
  row("UI_AUDIT_LOG", "audit.jsonl in DATA_DIR once auth is on", "Path of the audit file."),
  row(
    "AUDIT_SHIP",
    "",
    "Where audit checkpoints are sent, comma-separated: file:/path, syslog://host, syslog+tcp://host, https://… (POST), s3+https://host/bucket/prefix (PUT).",
  ),
  row("AUDIT_WEBHOOK_TOKEN", "", "Bearer token of a webhook in AUDIT_SHIP.", true),
  row("AUDIT_S3_KEY_ID", "", "Access key of a bucket in AUDIT_SHIP.", true),
  row("AUDIT_S3_SECRET", "", "Its secret.", true),
  row("AUDIT_S3_REGION", configDefaults.AUDIT_S3_REGION, "Its region."),
  row(
    "UI_AUDIT_SCOPE",
    configDefaults.UI_AUDIT_SCOPE,
    "Audit domain; the same on every process of one deployment.",
  ),
  row("UI_PSEUDONYM_KEY", "random per process", "Secret of the stable pseudonyms, 32 bytes.", true),
  row(
    "UI_TRACE_LINK",
    "",
    "Address of a trace in another backend, `https://jaeger.example/trace/{trace_id}`.",
  ),
  row("INGEST", configDefaults.INGEST, "`off` refuses everything on /v1."),
  row("INGEST_TOKENS", "", "Comma-separated `name:token[:application_id]`, or bare tokens.", true),
  row("TRUSTED_INGEST", "all names", "Names whose verification and acknowledgement count."),
  row(
    "CONTRACTS",
    "",
    "Path of a folder of contracts (YAML, JSON) that every turn is judged by; read again when a file changes.",
  ),
  row(
    "PRICES",
    "",
    "Path of a JSON file with prices of models that come before the built-in list's; read at start.",
  ),
  row(
    "ALERT_RULES",
    "",
    "Path of a YAML or JSON file with rules of alerts; read again when it changes.",
  ),
  row(
    "ALERT_TARGETS",
    "",
    "Where alerts are sent, comma-separated: `name=webhook+https://…`, `name=slack+https://…`, `name=alertmanager+https://…`.",
    true,
  ),
  row(
    "ALERT_SECRET",
    "",
    "Signs webhooks of ALERT_TARGETS: `whsec_` and 24 to 64 bytes in base64.",
    true,
  ),
  row(
    "FORWARD_URL",
    "",
    "OTLP/HTTP endpoint that gets every stored span too, without content; `/v1/traces` is added to an origin.",
  ),
  row(
    "FORWARD_HEADERS",
    "",
    "Its headers, `name=value` between commas, values percent-encoded.",
    true,
  ),
  row(
    "FORWARD_BYTES_MAX",
    configDefaults.FORWARD_BYTES_MAX,
    "Bound of its queue, at least 16777216 (16 MiB); beyond it spans are dropped and counted.",
  ),
  row(
    "RETENTION_FLOOR_DAYS",
    "",
    "Days below which `turnproof retention` deletes no evidence, whatever its options; the EU AI Act requires 183.",
  ),
  row(
    "LEGAL_HOLD",
    configDefaults.LEGAL_HOLD,
    "`true`: `turnproof retention` and `turnproof delete-user` delete nothing.",
  ),
  row(
    "TURN_LIMIT",
    "900",
    "Seconds of silence after which a turn that did not end is unfinished; `agent:seconds` for one agent, comma-separated.",
  ),
  row(
    "JOURNAL_BYTES_MAX",
    configDefaults.JOURNAL_BYTES_MAX,
    "Bound of the journal; beyond it ingest returns 503.",
  ),
  row(
    "JUDGE_BYTES_MAX",
    configDefaults.JUDGE_BYTES_MAX,
    "Memory for turns until they are quiet; turns beyond it are read back to be judged.",
  ),
  row(
    "IDENTITY_KEY",
    "made and kept in DATA_DIR",
    "Keys raw identities and names that may be content, on receipt and in searches.",
    true,
  ),
  row(
    "FINGERPRINT_KEY",
    "random for each agent",
    "In applications: keys fingerprints of tools' inputs, `kid:secret`, the same in runs that are compared.",
    true,
  ),
  row(
    "KNOWN_NAMES",
    "",
    "Names of agents, tools and services to show as they are, separated by semicolons.",
  ),
  row(
    "SIGNING_KEY",
    "made and kept in DATA_DIR",
    "Ed25519 private key (PEM or JWK) of statements.",
    true,
  ),
  row("URL", configDefaults.URL, "Address of the collector that the CLI calls."),
  row("TOKEN", "the operator token", "Token the CLI authenticates with.", true),
  row("INGEST_TOKEN", "", "Ingest token that `turnproof canary` sends spans with.", true),
  row("LOG", "pretty on a terminal, else json", "json or pretty."),
];

/** Prefixes of a variable; the first that is set wins. */
export const prefixes: readonly string[] = ["TURNPROOF_", "SERVICE_"];

/** The only variable that the requirements define without a prefix. */
export const bareNames: readonly string[] = ["DOCUMENT_DB_URI"];
