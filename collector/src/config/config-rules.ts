/**
 * @module Rules between variables: invalid combinations, and warnings. A secret is compared, never
 * shown (security: Keys).
 */
import { parseKeyring } from "@turnproof/semconv/fingerprint";
import type { Key } from "@turnproof/semconv/fingerprint";

import { providers } from "@turnproof/store";

import { nameProblems } from "./alert-rules.ts";
import type { ParsedVariables } from "./config-schema.ts";
import { bareNames } from "./config-variables.ts";
import { isExample } from "./config-values.ts";
import { guessableProblem, isGuessable } from "./token-strength.ts";

/** A problem of the configuration: which variable, and a sentence without its value. */
export interface ConfigProblem {
  readonly variable: string;
  readonly problem: string;
}

/** What the variables are besides their values. */
interface VariableStates {
  readonly loopback: boolean;
  /** Names that are set. */
  readonly set: ReadonlySet<string>;
  /** Names of which the value is invalid. Nothing is reported to be absent because of it. */
  readonly invalid: ReadonlySet<string>;
}

/** Problems and warnings that involve several variables. */
export function crossProblems(
  data: ParsedVariables,
  { loopback, set, invalid }: VariableStates,
): { readonly problems: readonly ConfigProblem[]; readonly warnings: readonly string[] } {
  const problems: ConfigProblem[] = [];
  const warnings: string[] = [];
  const add = (variable: string, problem: string): void => {
    problems.push({ variable: `TURNPROOF_${variable}`, problem });
  };
  const authed = ["UI_AUTH_TOKEN", "UI_ACCOUNTS", "UI_OIDC_ISSUER"].some((name) => set.has(name));
  if (!loopback && !authed) {
    add("HOST", "only loopback is served without a token; set TURNPROOF_UI_AUTH_TOKEN");
  }
  if (!loopback && !set.has("PROXY")) {
    add(
      "PROXY",
      "plain HTTP is served on loopback only; declare the proxy that ends TLS, by its address",
    );
  }
  if (!loopback && data.INGEST === "on" && data.INGEST_TOKENS.length === 0) {
    warnings.push("No ingest token is set, so /v1 refuses all producers on this address.");
  }
  if (!loopback && data.UI_ORIGIN.length === 0) {
    warnings.push(
      "No public origin is set: only requests to loopback names and HOST are answered.",
    );
  }
  if (!loopback && !data.UI_COOKIE_SECURE) {
    warnings.push("The session cookie is not marked Secure; serve it over TLS and set it so.");
  }
  checkProvider(set, add);
  checkShipping(data, set, add);
  checkTokens(data, invalid, add);
  checkSecrets(data, add);
  checkBackend(data, set, add);
  const targets = invalid.has("ALERT_TARGETS") ? undefined : data.ALERT_TARGETS;
  const names = { targets, contracts: set.has("CONTRACTS") };
  for (const problem of nameProblems(data.ALERT_RULES.rules, names)) add("ALERT_RULES", problem);
  if (data.UI_PSEUDONYM_KEY === undefined && authed) {
    warnings.push("No pseudonym key is set: pseudonyms are stable only within this process.");
  }
  return { problems, warnings };
}

type Add = (variable: string, problem: string) => void;

/** Each of these has a use only beside the others. */
function checkProvider(set: ReadonlySet<string>, add: Add): void {
  if (set.has("UI_OIDC_ISSUER") && !set.has("UI_OIDC_CLIENT_ID")) {
    add("UI_OIDC_CLIENT_ID", "an identity provider needs the client's id");
  }
  for (const name of set) {
    if (name.startsWith("UI_OIDC_") && !set.has("UI_OIDC_ISSUER")) {
      add(name, "it has a meaning only with TURNPROOF_UI_OIDC_ISSUER");
    }
  }
}

function checkShipping(data: ParsedVariables, set: ReadonlySet<string>, add: Add): void {
  const isNeeded = data.AUDIT_SHIP.some(({ kind }) => kind === "s3");
  for (const variable of ["AUDIT_S3_KEY_ID", "AUDIT_S3_SECRET"] as const) {
    if (isNeeded && !set.has(variable)) add(variable, "s3 in AUDIT_SHIP needs it");
  }
}

function checkTokens(data: ParsedVariables, invalid: ReadonlySet<string>, add: Add): void {
  const seen = new Set<string>();
  const once = (variable: string, value: string): void => {
    if (seen.has(value)) add(variable, "the same token is used twice");
    if (isExample(value)) add(variable, "an example value is not a token");
    seen.add(value);
  };
  if (data.UI_AUTH_TOKEN !== undefined) once("UI_AUTH_TOKEN", data.UI_AUTH_TOKEN);
  for (const account of data.UI_ACCOUNTS.accounts) once("UI_ACCOUNTS", account.token);
  for (const entry of data.INGEST_TOKENS) once("INGEST_TOKENS", entry.token);
  const names = data.INGEST_TOKENS.map((entry) => entry.name);
  if (new Set(names).size < names.length) add("INGEST_TOKENS", "two entries have one name");
  for (const name of data.TRUSTED_INGEST ?? []) {
    if (!invalid.has("INGEST_TOKENS") && !names.includes(name))
      add("TRUSTED_INGEST", "names a producer without a token");
  }
}

function checkSecrets(data: ParsedVariables, add: Add): void {
  const rings = [
    ["UI_SESSION_SECRET", data.UI_SESSION_SECRET],
    ["UI_PSEUDONYM_KEY", data.UI_PSEUDONYM_KEY],
    ["IDENTITY_KEY", data.IDENTITY_KEY],
  ] as const;
  const owners = new Map<string, string>();
  for (const entry of [data.UI_AUTH_TOKEN, ...data.UI_ACCOUNTS.accounts.map((row) => row.token)]) {
    if (entry !== undefined) owners.set(entry, "a token");
  }
  for (const [variable, value] of rings) {
    if (value === undefined) continue;
    for (const { secret: bytes } of keysOf(variable, value, add)) {
      const secret = Buffer.from(bytes).toString("utf8");
      if (isGuessable(secret)) add(variable, guessableProblem);
      const other = owners.get(secret);
      if (other !== undefined) add(variable, `must differ from ${other}`);
      owners.set(secret, `TURNPROOF_${variable}`);
    }
  }
}

function keysOf(variable: string, value: string, add: Add): readonly Key[] {
  try {
    return parseKeyring(value);
  } catch {
    add(
      variable,
      "write one secret of at least 32 bytes, or kid:secret,kid:secret with distinct kids of " +
        "lower-case letters and digits",
    );
    return [];
  }
}

function checkBackend(data: ParsedVariables, set: ReadonlySet<string>, add: Add): void {
  const needed: readonly string[] = [data.BACKEND, data.MEMORY_BACKEND];
  for (const { name, required } of providers) {
    if (required === undefined || set.has(required) || !needed.includes(name)) continue;
    // The problem names a variable with its prefix; a bare name has none.
    const variable = bareNames.includes(required) ? "BACKEND" : required;
    add(variable, `the ${name} backend needs ${required}`);
  }
}
