/**
 * @module Pseudonyms: keyed names of operators, clients and memory references, equal on all
 * workers with the same key and audit scope (requirements: Authentication 1; security: Keys).
 */
import { randomBytes } from "node:crypto";

import { pseudonym } from "@turnproof/semconv/fingerprint";
import type { Key } from "@turnproof/semconv/fingerprint";

/** Makes pseudonyms of one deployment. */
export interface Pseudonyms {
  /** The pseudonym of a value of a kind; different kinds never share one. */
  of(kind: "operator" | "client" | "memory", value: string): string;
  /** False while the key is random and ends with the process. */
  readonly stable: boolean;
}

/** Pseudonyms under a configured key, or under a random one. */
export function createPseudonyms(options: {
  readonly key?: Key;
  readonly auditScope: string;
}): Pseudonyms {
  const key = options.key ?? { kid: "p0", secret: randomBytes(32) };
  return {
    stable: options.key !== undefined,
    of: (kind, value) => pseudonym(value, { key, scope: options.auditScope, kind }),
  };
}
