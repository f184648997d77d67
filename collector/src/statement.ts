/**
 * @module Statement: the signed verdict (design 4: Evidence digest). A JWS of what was judged and a
 * digest over the judged events, which anybody with the public key and the events can check.
 */
import { createHash, createPrivateKey, generateKeyPairSync } from "node:crypto";

import { canonicalJson, digestInput, digestLines } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";
import {
  CompactSign,
  calculateJwkThumbprint,
  compactVerify,
  createLocalJWKSet,
  exportJWK,
  importJWK,
} from "jose";
import type { CryptoKey, JSONWebKeySet, JWK } from "jose";
import { z } from "zod";

import { stableSecret } from "./auth/stable-secret.ts";

/** What a statement says. */
const statementSchema = z
  .object({
    iss: z.string(),
    iat: z.int(),
    identity: z.record(z.string(), z.string().nullable()),
    task_id: z.string().nullable(),
    status: z.string(),
    findings: z.array(z.string()).describe("Codes, sorted."),
    as_of: z.string().nullable(),
    event_count: z.int(),
    digest: z.string().describe("SHA-256 over the sorted hashes of the judged events, hex."),
  })
  .meta({ id: "Statement" });
export type Statement = z.infer<typeof statementSchema>;

/** Signs statements and shows the public key. */
export interface StatementSigner {
  sign(statement: Statement): Promise<string>;
  readonly keys: JSONWebKeySet;
}

/**
 * A signer from a configured key (PKCS#8 PEM or private JWK, Ed25519), or from the one kept in the
 * data directory.
 *
 * @throws CodedError `config_invalid` when the key is not an Ed25519 private key
 */
export async function createStatementSigner(
  configured: string | undefined,
  dataDir: string | undefined,
): Promise<StatementSigner> {
  const privateJwk = await privateKeyOf(configured ?? keptKey(dataDir));
  const { kty, crv, x } = privateJwk as { kty: string; crv: string; x: string };
  if (kty !== "OKP" || crv !== "Ed25519" || privateJwk.d === undefined) {
    throw new CodedError("config_invalid", { field: "SIGNING_KEY" });
  }
  const kid = (await calculateJwkThumbprint({ kty, crv, x })).slice(0, 16);
  const key = (await importJWK({ ...privateJwk, alg: "EdDSA" })) as CryptoKey;
  return {
    keys: { keys: [{ kty, crv, x, kid, alg: "EdDSA", use: "sig" }] },
    sign: (statement) =>
      new CompactSign(new TextEncoder().encode(canonicalJson(statement)))
        .setProtectedHeader({ alg: "EdDSA", kid, typ: "turnproof-statement+json" })
        .sign(key),
  };
}

/** Digest over the judged events, whatever their order: SHA-256 of the sorted hashes. */
export function evidenceDigest(events: readonly TurnEvent[]): string {
  const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
  return hash(digestInput(digestLines(events).map(hash)));
}

/** Result of an offline check. */
export interface StatementCheck {
  readonly signature: "valid" | "invalid";
  /** Whether the given events are the judged ones. */
  readonly evidence: "matches" | "differs" | "not_checked";
  readonly statement?: Statement;
}

/** Checks a statement with the public keys and, where given, its events. */
export async function checkStatement(
  jws: string,
  keys: JSONWebKeySet,
  events?: readonly TurnEvent[],
): Promise<StatementCheck> {
  try {
    const { payload } = await compactVerify(jws.trim(), createLocalJWKSet(keys), {
      algorithms: ["EdDSA"],
    });
    const statement = statementSchema.parse(JSON.parse(new TextDecoder().decode(payload)));
    const same = events !== undefined && evidenceDigest(events) === statement.digest;
    const evidence = events === undefined ? "not_checked" : same ? "matches" : "differs";
    return { signature: "valid", evidence, statement };
  } catch {
    return { signature: "invalid", evidence: "not_checked" };
  }
}

function keptKey(dataDir: string | undefined): string {
  const make = (): string =>
    generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return dataDir === undefined ? make() : stableSecret(dataDir, "statement-signing.pem", make);
}

async function privateKeyOf(text: string): Promise<JWK> {
  try {
    if (text.trimStart().startsWith("{")) return JSON.parse(text) as JWK;
    // A PEM in an environment variable often comes with its newlines written out.
    return await exportJWK(createPrivateKey(text.replaceAll("\\n", "\n")));
  } catch (cause) {
    throw new CodedError("config_invalid", { field: "SIGNING_KEY", cause });
  }
}
