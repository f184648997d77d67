/** @module ConfigDefaults: the default of each variable that has one; read, listed and shown. */

/** By the name without its prefix. */
export const configDefaults = {
  HOST: "127.0.0.1",
  PORT: 4318,
  /** With PORT 0 it is 0, too. */
  GRPC_PORT: 4317,
  BASE_PATH: "/",
  DATA_DIR: ".turnproof",
  BACKEND: "clickhouse",
  MEMORY_BACKEND: "filesystem",
  UI_OIDC_SCOPES: "openid",
  UI_OIDC_ROLE_CLAIM: "roles",
  UI_COOKIE_SECURE: false,
  UI_READ_ONLY: false,
  UI_TRACE_CONTENT_MODE: "metadata",
  UI_AUDIT_SCOPE: "turnproof",
  AUDIT_S3_REGION: "us-east-1",
  INGEST: "on",
  LEGAL_HOLD: false,
  FORWARD_BYTES_MAX: 1_073_741_824,
  JOURNAL_BYTES_MAX: 4_294_967_296,
  JUDGE_BYTES_MAX: 134_217_728,
  URL: "http://127.0.0.1:4318",
} as const;
