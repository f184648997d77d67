/**
 * @module Ingest tokens: identifies the sending producer, its application, and whether its
 * assertions count (vocabulary: From a span to an event 4; security: Principals). Without
 * configured tokens ingest is open on loopback only.
 */
import type { IdentityOptions } from "@turnproof/semconv";

import type { Config } from "../config/config.ts";
import { equalSecret } from "./keyring.ts";

/** An authenticated producer. */
export interface IngestPrincipal {
  readonly name: string;
  /** A bound producer writes for this application only. */
  readonly applicationId?: IdentityOptions["applicationId"];
  /** Whether it may assert verification, acknowledgement and ownership. */
  readonly trusted: boolean;
}

/** Name of a producer on a loopback collector without tokens. */
const openIngestName = "local";

/** Authenticates producers by the value of an Authorization header, which may be missing. */
export type IngestAuthenticator = (
  authorization: string | undefined,
) => IngestPrincipal | undefined;

/** Authentication of `/v1`. */
export function createIngestAuthenticator(
  config: Pick<Config, "ingestTokens" | "trustedIngest">,
  loopback: boolean,
): IngestAuthenticator {
  const { ingestTokens, trustedIngest } = config;
  const trusted = (name: string): boolean => trustedIngest?.includes(name) ?? true;
  return (authorization) => {
    if (ingestTokens.length === 0) {
      return loopback ? { name: openIngestName, trusted: trusted(openIngestName) } : undefined;
    }
    const token = bearerOf(authorization);
    if (token === undefined) return undefined;
    let found: (typeof ingestTokens)[number] | undefined;
    for (const entry of ingestTokens) if (equalSecret(entry.token, token)) found = entry;
    if (found === undefined) return undefined;
    const { name, applicationId } = found;
    return {
      name,
      trusted: trusted(name),
      ...(applicationId === undefined ? {} : { applicationId }),
    };
  };
}

/** The token of a `Bearer` header, or undefined. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^bearer +([\x21-\x7e]{1,512}) *$/i.exec(authorization ?? "")?.[1];
}
