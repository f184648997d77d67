/**
 * @module Ingest tokens: which producer sends, for which application, and whether its word counts
 * (design 3.8.4, 6.3). Unset tokens leave ingest open on loopback only.
 */
import type { Config } from "../config/config.ts";
import { equalSecret } from "./keyring.ts";

/** A producer that was let in. */
export interface IngestPrincipal {
  readonly name: string;
  /** A bound producer writes for this application and no other. */
  readonly applicationId?: string;
  /** Whether it may assert verification, acknowledgement and ownership. */
  readonly trusted: boolean;
}

/** Name of a producer on a loopback collector without tokens. */
const openIngestName = "local";

/** Lets producers in by the token of an Authorization header's value, which may be missing. */
export type IngestDoor = (authorization: string | undefined) => IngestPrincipal | undefined;

/** The door of `/v1`. */
export function createIngestDoor(
  config: Pick<Config, "ingestTokens" | "trustedIngest">,
  loopback: boolean,
): IngestDoor {
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
