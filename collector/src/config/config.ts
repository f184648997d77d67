/**
 * @module Config: the only reader of the environment. Everything is parsed once, and all problems
 * are reported together, without the values (requirements: Authentication 1; security: Principals).
 */
import { join, resolve } from "node:path";

import type { TurnLimits } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";
import type { ProviderName } from "@turnproof/store";

import type { AlertRulesValue, AlertTarget } from "./alert-rules.ts";
import type { PriceFile } from "./price-file.ts";
import type { DeclaredProxy } from "./proxy-networks.ts";
import { oidcOf } from "./oidc-settings.ts";
import type { OidcSettings } from "./oidc-settings.ts";
import type { ShipTarget } from "./ship-targets.ts";
import type { Account } from "./accounts.ts";
import { bareNames, prefixes, variables } from "./config-variables.ts";
import { crossProblems } from "./config-rules.ts";
import type { ConfigProblem } from "./config-rules.ts";
import { schema } from "./config-schema.ts";
import type { ParsedVariables } from "./config-schema.ts";
import { isLoopback } from "./loopback.ts";
import { issueSentence, withLogin } from "./config-values.ts";
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

/** Flags of the command line; they take precedence over the environment. */
export interface ConfigFlags {
  readonly host?: string;
  readonly port?: string;
  readonly grpcPort?: string;
  readonly dataDir?: string;
  readonly backend?: string;
}

/** All problems of a configuration at once; code `config_invalid`. */
export class ConfigError extends CodedError {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super("config_invalid");
    this.problems = problems;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The configuration from this process's environment.
 *
 * @throws ConfigError naming every problem at once, never a value
 */
export function readConfig(flags: ConfigFlags = {}): Config {
  return parseConfig(process.env, flags, process.stderr.isTTY === true);
}

/** Address and token of the commands' collector; a flag takes precedence over the environment. */
export function readClientConfig(flags: { readonly url?: string; readonly token?: string }): {
  readonly url: string;
  /** True where a flag or the environment has the address. */
  readonly urlSet: boolean;
  readonly token: string | undefined;
  readonly ingestToken: string | undefined;
  readonly prices: PriceFile | undefined;
} {
  const raw = collect(process.env, [], []);
  const prices = schema.shape.PRICES.safeParse(raw["PRICES"]);
  if (!prices.success) {
    const [issue] = prices.error.issues;
    throw new ConfigError([
      { variable: "TURNPROOF_PRICES", problem: issue?.message ?? "not usable" },
    ]);
  }
  return {
    url: flags.url ?? raw["URL"] ?? "http://127.0.0.1:4318",
    urlSet: (flags.url ?? raw["URL"]) !== undefined,
    token: flags.token ?? raw["TOKEN"] ?? raw["UI_AUTH_TOKEN"],
    ingestToken: raw["INGEST_TOKEN"],
    prices: prices.data,
  };
}

/** As {@link readConfig}, from a given environment. */
export function parseConfig(env: Environment, flags: ConfigFlags = {}, terminal = false): Config {
  const problems: ConfigProblem[] = [];
  const warnings: string[] = [];
  const raw = collect(env, problems, warnings);
  for (const [name, value] of [
    ["HOST", flags.host],
    ["PORT", flags.port],
    ["GRPC_PORT", flags.grpcPort],
    ["DATA_DIR", flags.dataDir],
    ["BACKEND", flags.backend],
  ] as const) {
    if (value !== undefined) raw[name] = value;
  }
  const { data, invalid } = parseEach(raw, problems);
  const crossed = crossProblems(data, {
    loopback: isLoopback(data.HOST),
    set: new Set(Object.keys(raw)),
    invalid,
  });
  problems.push(...crossed.problems);
  if (problems.length > 0) throw new ConfigError(problems);
  return toConfig(data, [...warnings, ...crossed.warnings], terminal);
}

/** Each variable by itself, so that an invalid one does not hide the others. */
function parseEach(
  raw: Readonly<Record<string, string>>,
  problems: ConfigProblem[],
): { readonly data: ParsedVariables; readonly invalid: ReadonlySet<string> } {
  const data: Record<string, unknown> = {};
  const invalid = new Set<string>();
  for (const [name, form] of Object.entries(schema.shape)) {
    const result = form.safeParse(raw[name]);
    if (!result.success) {
      invalid.add(name);
      for (const issue of result.error.issues) {
        problems.push({ variable: spelled(name), problem: issueSentence(issue) });
      }
    }
    data[name] = result.success ? result.data : form.safeParse(undefined).data;
  }
  return { data: data as ParsedVariables, invalid };
}

/** The variables for `doctor`: names and whether they are set, never a secret. */
export function describeEnvironment(env: Environment = process.env): readonly {
  readonly variable: string;
  readonly set: boolean;
  readonly shown: string;
  readonly meaning: string;
}[] {
  return variables.map((row) => {
    const value = spellings(row.name)
      .map((name) => env[name])
      .find((found) => found);
    const set = value !== undefined;
    const shown = set ? (row.secret ? "(set)" : value) : row.fallback;
    return { variable: spelled(row.name), set, shown, meaning: row.meaning };
  });
}

function spelled(name: string): string {
  return bareNames.includes(name) ? name : `${prefixes[0]}${name}`;
}

function spellings(name: string): readonly string[] {
  const prefixed = prefixes.map((prefix) => prefix + name);
  return bareNames.includes(name) ? [name, ...prefixed] : prefixed;
}

/** Names with our prefix; those of this project's own tests are not the collector's. */
const ours = /^TURNPROOF_(?!TEST_)[A-Z0-9_]+$/;

/** Looks each variable up under all its spellings; empty counts as unset. */
function collect(
  env: Environment,
  problems: ConfigProblem[],
  warnings: string[],
): Record<string, string> {
  const raw: Record<string, string> = {};
  const known = new Set<string>();
  for (const { name } of variables) {
    const values = new Set<string>();
    for (const spelling of spellings(name)) {
      known.add(spelling);
      const value = env[spelling];
      if (value !== undefined && value !== "") values.add(value);
    }
    const [first] = values;
    if (first !== undefined) raw[name] = first;
    if (values.size > 1) {
      problems.push({ variable: spelled(name), problem: "set twice with different values" });
    }
  }
  for (const name of Object.keys(env)) {
    if (ours.test(name) && !known.has(name)) {
      warnings.push(`${name} is not a variable of this version and was ignored.`);
    }
  }
  return raw;
}

function toConfig(data: ParsedVariables, warnings: readonly string[], terminal: boolean): Config {
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
  return stated ?? (port === 0 ? 0 : 4317);
}

/** Removes undefined fields, so that an absent option is absent. */
function present<T extends object>(record: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
