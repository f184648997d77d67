/**
 * @module Statement: the signed verdict (evidence: Statements). A JWS of the verdict, a
 * digest over the judged events and all other input of the judge, so that anyone with the public
 * key and the events can judge again.
 */
import { createHash, createPrivateKey, generateKeyPairSync } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";

import { canonicalJson, digestInput, digestLines } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";
import { CompactSign, calculateJwkThumbprint, exportJWK, importJWK } from "jose";
import type { CryptoKey, JSONWebKeySet, JWK } from "jose";
import { z } from "zod";

import { fieldOf, stableSecret, wasMade } from "../access/stable-secret.ts";

const text = z.string();

/** Fields of every version of a statement. */
const common = {
  iss: text,
  iat: z.int(),
  identity: z.record(text, text.nullable()),
  task_id: text.nullable(),
  status: text,
  findings: z.array(text).describe("Codes, sorted."),
  as_of: text.nullable().describe("Mark of the window: what was received later is not judged."),
  event_count: z.int(),
  digest: text.describe("SHA-256 over the sorted hashes of the judged events, hex."),
};

/** Content of a statement: the verdict, its events, and all other input of the judge. */
const statementSchema = z
  .object({
    v: z.literal(2),
    ...common,
    judge: z.object({
      version: text.describe("Release of the collector."),
      rules: text.describe("Digest of the judge's verdicts over its committed windows."),
    }),
    trusted: z
      .array(text)
      .nullable()
      .describe("Ingest principals whose assertions count; null: all of them."),
    bounds: z.object({ events_max: z.int(), bounded: z.boolean() }),
    window: z
      .record(text, z.unknown())
      .describe("The judge's other input: window marks, coverage, errors, known losses, profiles."),
  })
  .meta({ id: "Statement" });
export type Statement = z.infer<typeof statementSchema>;

/** Statements of earlier releases lack the judge's input, so they cannot be judged again. */
const firstSchema = z.strictObject(common);
export type FirstStatement = z.infer<typeof firstSchema>;

/** Signs statements and publishes the public key. */
export interface StatementSigner {
  sign(statement: Statement): Promise<string>;
  /** Signs another document; its type is part of the signature. */
  signAs(typ: string, document: object): Promise<string>;
  readonly keys: JSONWebKeySet;
}

/**
 * A signer with a configured key (PKCS#8 PEM or private JWK, Ed25519), or with the one from the
 * data directory.
 *
 * @throws CodedError `config_invalid` when the key is not an Ed25519 private key
 */
export async function createStatementSigner(
  configured: string | undefined,
  dataDir: string | undefined,
): Promise<StatementSigner> {
  const privateJwk =
    configured === undefined
      ? await privateKeyOf(keptKey(dataDir), "key_unusable", fieldOf(keyName))
      : await privateKeyOf(configured, "config_invalid", "SIGNING_KEY");
  const { kty, crv, x } = privateJwk as { kty: string; crv: string; x: string };
  if (kty !== "OKP" || crv !== "Ed25519" || privateJwk.d === undefined) {
    throw new CodedError("config_invalid", { field: "SIGNING_KEY" });
  }
  const kid = (await calculateJwkThumbprint({ kty, crv, x })).slice(0, 16);
  const key = (await importJWK({ ...privateJwk, alg: "EdDSA" })) as CryptoKey;
  const signAs = (typ: string, document: object): Promise<string> =>
    new CompactSign(new TextEncoder().encode(canonicalJson(document)))
      .setProtectedHeader({ alg: "EdDSA", kid, typ })
      .sign(key);
  return {
    keys: { keys: [{ kty, crv, x, kid, alg: "EdDSA", use: "sig" }] },
    sign: (statement) => signAs("turnproof-statement+json", statement),
    signAs,
  };
}

/** Reads the payload of a statement of any version; undefined when it is none. */
export function readStatement(payload: unknown): Statement | FirstStatement | undefined {
  return statementSchema.safeParse(payload).data ?? firstSchema.safeParse(payload).data;
}

/**
 * The principals whose assertions counted: the configured ones, and those that were trusted when
 * they sent the judged events; null where all are.
 */
export function trustedAmong(
  events: readonly TurnEvent[],
  configured: readonly string[] | undefined,
): string[] | null {
  if (configured === undefined && events.every((event) => event.ingest_trusted !== false)) {
    return null;
  }
  const counted = events.filter((event) => event.ingest_trusted !== false);
  const names = counted.flatMap((event) => event.ingest_principal ?? []);
  return [...new Set([...(configured ?? []), ...names])].toSorted();
}

/** Digest over the judged events, independent of order: SHA-256 of the sorted hashes. */
export function evidenceDigest(events: readonly TurnEvent[]): string {
  const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
  return hash(digestInput(digestLines(events).map(hash)));
}

/** Name of the key's file. */
const keyName = "statement-signing.pem";

/** Whether this data directory has or had the key of statements, so that none is made in it. */
export function hasStatementKey(dataDir: string): boolean {
  return wasMade(dataDir, keyName) || existsSync(join(dataDir, "keys", keyName));
}

function keptKey(dataDir: string | undefined): string {
  const make = (): string =>
    generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return dataDir === undefined ? make() : stableSecret(dataDir, keyName, make);
}

async function privateKeyOf(text: string, code: Code, field: string): Promise<JWK> {
  try {
    if (text.trimStart().startsWith("{")) return JSON.parse(text) as JWK;
    // A PEM in an environment variable often has its newlines escaped.
    return await exportJWK(createPrivateKey(text.replaceAll("\\n", "\n")));
  } catch (cause) {
    throw new CodedError(code, { field, cause });
  }
}

/** A JSON Web Key Set (RFC 7517) of Ed25519 keys (RFC 8037). */
export interface KeySet {
  readonly keys: readonly {
    readonly kty: string;
    readonly crv: string;
    readonly x: string;
    readonly kid: string;
    readonly use: string;
    readonly alg: string;
  }[];
}
