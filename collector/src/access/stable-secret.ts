/**
 * @module Stable secret: key material in the data directory when none is configured, created once
 * with mode 0600.
 */
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { makeDirectory } from "@turnproof/journal/process-lock";
import { parseKeyring } from "@turnproof/semconv/fingerprint";
import type { Key } from "@turnproof/semconv/fingerprint";

import { createKeyring } from "./keyring.ts";
import type { Keyring } from "./keyring.ts";

/** Reads the secret `name` in the data directory's keys, creating it when it is missing. */
export function stableSecret(
  dataDir: string,
  name: string,
  make: () => string = () => randomBytes(32).toString("base64url"),
): string {
  const folder = join(dataDir, "keys");
  const file = join(folder, name);
  makeDirectory(folder);
  try {
    writeFileSync(file, make(), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return readFileSync(file, "utf8");
}

/** The keyring of a configured secret, or of the one in the data directory. */
export function openKeyring(configured: string | undefined, dataDir: string): Keyring {
  return createKeyring(parseKeyring(configured ?? stableSecret(dataDir, "session-secret")));
}

/** The identity key: the configured one, or the one in the data directory. */
export function openIdentityKey(configured: string | undefined, dataDir: string): Key {
  return parseKeyring(configured ?? stableSecret(dataDir, "identity-key"))[0];
}
