/**
 * @module ReadConfig: the only reader of the environment. Everything is parsed once, and all
 * problems are reported together, without the values (requirements: Authentication 1; security:
 * Principals).
 */
import { CodedError } from "@turnproof/semconv";

import type { PriceFile } from "./price-file.ts";
import { configDefaults } from "./config-defaults.ts";
import { variables } from "./config-variables.ts";
import { crossProblems } from "./config-rules.ts";
import type { ConfigProblem } from "./config-rules.ts";
import { schema } from "./config-schema.ts";
import type { ParsedVariables } from "./config-schema.ts";
import { isLoopback } from "./loopback.ts";
import { issueSentence } from "./config-values.ts";
import type { Config } from "./config.ts";
import { lookUp, spelled, spellings } from "./variable-names.ts";
import type { EnvironmentTexts } from "./variable-names.ts";
import { toConfig } from "./parsed-config.ts";

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
  const raw = lookUp(process.env, [], []);
  const prices = schema.shape.PRICES.safeParse(raw["PRICES"]);
  if (!prices.success) {
    const [issue] = prices.error.issues;
    throw new ConfigError([
      { variable: "TURNPROOF_PRICES", problem: issue?.message ?? "not usable" },
    ]);
  }
  return {
    url: flags.url ?? raw["URL"] ?? configDefaults.URL,
    urlSet: (flags.url ?? raw["URL"]) !== undefined,
    token: flags.token ?? raw["TOKEN"] ?? raw["UI_AUTH_TOKEN"],
    ingestToken: raw["INGEST_TOKEN"],
    prices: prices.data,
  };
}

/** As {@link readConfig}, from a given environment. */
export function parseConfig(
  env: EnvironmentTexts,
  flags: ConfigFlags = {},
  terminal = false,
): Config {
  const problems: ConfigProblem[] = [];
  const warnings: string[] = [];
  const raw = lookUp(env, problems, warnings);
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
export function describeEnvironment(env: EnvironmentTexts = process.env): readonly {
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
