/**
 * @module Stable secret: key material in the data directory when none is configured, created once
 * with mode 0600. A key that was made once and is gone or empty is never replaced silently: what it
 * signed and keyed could not be checked or found any more.
 */
import { createPrivateKey, randomBytes } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { makeDirectory } from "@turnproof/journal/process-lock";
import { CodedError } from "@turnproof/semconv";
import { parseKeyring } from "@turnproof/semconv/fingerprint";
import type { Key } from "@turnproof/semconv/fingerprint";

import { createKeyring } from "./keyring.ts";
import type { Keyring } from "./keyring.ts";

/** Names of the keys that were made, beside their folder: it shows when the folder is gone. */
const madeName = "keys-made";
/**
 * What only a collector with keys leaves in its data directory. Where one of these has content, and
 * there is no key and no `keys-made`, the keys were lost. A journal is no such sign: recorders and
 * spools have one without keys.
 */
const leftNames = ["audit.jsonl", "evidence-account.jws", "sessions.json"] as const;

/** What a key left, by its name; another key may have been configured at that time. */
const leftBy: { readonly [name: string]: readonly string[] | undefined } = {
  "audit-checkpoint.pem": ["audit.jsonl"],
  "statement-signing.pem": ["evidence-account.jws"],
};

/**
 * Reads the secret `name` in the data directory's keys, creating it when it was never made. An
 * empty `keys-made` is an operator's permission to make new keys beside what others left.
 *
 * @throws CodedError `key_unusable` naming the file of a secret that was made and is gone or empty
 */
export function stableSecret(
  dataDir: string,
  name: string,
  make: () => string = () => randomBytes(32).toString("base64url"),
): string {
  const folder = join(dataDir, "keys");
  const file = join(folder, name);
  if (!wasMade(dataDir, name)) {
    if (isLost(dataDir, name)) throw new CodedError("key_unusable", { field: fieldOf(name) });
    makeDirectory(folder);
    try {
      writeFileSync(file, make(), { mode: 0o600, flag: "wx", flush: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
        // A full disk leaves an empty file, which the next start would take for a damaged key.
        rmSync(file, { force: true });
        throw error;
      }
    }
    const secret = readSecret(dataDir, name);
    appendFileSync(join(dataDir, madeName), `${name}\n`, { mode: 0o600, flush: true });
    return secret;
  }
  return readSecret(dataDir, name);
}

/** True where a collector with keys was, and no key and no list of them is left. */
function isLost(dataDir: string, name: string): boolean {
  if (existsSync(join(dataDir, madeName)) || keyFiles(dataDir).length > 0) return false;
  return (leftBy[name] ?? leftNames).some((left) => hasContent(join(dataDir, left)));
}

function hasContent(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function keyFiles(dataDir: string): readonly string[] {
  const folder = join(dataDir, "keys");
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** The keys of a data directory that are lost without a list of them. */
export function lostSecrets(dataDir: string): readonly string[] {
  return ["session-secret", "identity-key", ...Object.keys(leftBy)].filter((name) =>
    isLost(dataDir, name),
  );
}

/**
 * Reads a secret and makes none.
 *
 * @throws CodedError `key_unusable` naming the file that is gone, empty or a folder
 */
export function readSecret(dataDir: string, name: string): string {
  const file = join(dataDir, "keys", name);
  let secret = "";
  try {
    secret = readFileSync(file, "utf8");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // A folder in its place; the system's error would not name it.
    if (code === "EISDIR") throw new CodedError("key_unusable", { field: fieldOf(name), cause });
    if (code !== "ENOENT") throw cause;
  }
  if (secret.trim() === "") throw new CodedError("key_unusable", { field: fieldOf(name) });
  return secret;
}

/**
 * Reads a secret as its use does, and makes none.
 *
 * @throws CodedError `key_unusable` naming the file that is gone, empty, cut or damaged
 */
export function checkSecret(dataDir: string, name: string): void {
  const text = readSecret(dataDir, name);
  if (!name.endsWith(".pem")) return void keysIn(text, name);
  try {
    createPrivateKey(text);
  } catch (cause) {
    throw new CodedError("key_unusable", { field: fieldOf(name), cause });
  }
}

/** A key's file, as an error names it. */
export function fieldOf(name: string): string {
  return `keys/${name}`;
}

/** True where the secret was made in this data directory, even if it is gone. */
export function wasMade(dataDir: string, name: string): boolean {
  return madeSecrets(dataDir).includes(name);
}

/**
 * Names of the secrets that were made in this data directory, also of those that are gone.
 *
 * @throws CodedError `file_unreadable` naming the list of them
 */
export function madeSecrets(dataDir: string): readonly string[] {
  try {
    const lines = readFileSync(join(dataDir, madeName), "utf8").split("\n");
    return lines.filter((line) => line !== "");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new CodedError("file_unreadable", { field: madeName, cause });
  }
}

/** The keyring of a configured secret, or of the one in the data directory. */
export function openKeyring(configured: string | undefined, dataDir: string): Keyring {
  const name = "session-secret";
  return createKeyring(keysIn(configured ?? stableSecret(dataDir, name), name));
}

/**
 * The same keyring for what only reads; makes no secret.
 *
 * @throws CodedError `key_unusable` naming the file that is gone or empty
 */
export function readKeyring(configured: string | undefined, dataDir: string): Keyring {
  const name = "session-secret";
  return createKeyring(keysIn(configured ?? readSecret(dataDir, name), name));
}

/** The identity key: the configured one, or the one in the data directory. */
export function openIdentityKey(configured: string | undefined, dataDir: string): Key {
  const name = "identity-key";
  return keysIn(configured ?? stableSecret(dataDir, name), name)[0];
}

/** The configuration is checked before; a file may be cut. */
function keysIn(text: string, name: string): readonly [Key, ...Key[]] {
  try {
    return parseKeyring(text);
  } catch (cause) {
    throw new CodedError("key_unusable", { field: fieldOf(name), cause });
  }
}
