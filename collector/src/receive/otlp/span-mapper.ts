/**
 * @module Span mapper: the exporter's mapping with the receiver's context. One object per body, so
 * that the span path allocates none.
 */
import { spanToEvent } from "@turnproof/exporter";
import type { MappingContext } from "@turnproof/exporter";
import { allowNames } from "@turnproof/semconv";
import { createIdentityKey } from "@turnproof/semconv/name-key";
import type { Key } from "@turnproof/semconv/fingerprint";

import type { IngestBody, SpanMapper } from "./ingest-body.ts";

/** Settings of the mapping; plain data, so that a worker can receive them. */
export interface MapperSettings {
  /** Key of the fingerprints that replace identities and names which the guard refuses. */
  readonly identityKey: Key;
  /** Names that are readable whatever their form. */
  readonly knownNames?: readonly string[];
}

/** A mapper that keeps the context of the present body. */
export function createSpanMapper(settings: MapperSettings): SpanMapper {
  const { identityKey, knownNames = [] } = settings;
  // Each thread has its own guard.
  if (knownNames.length > 0) allowNames(knownNames);
  const keyIdentity = createIdentityKey(identityKey, knownNames);
  let current: IngestBody | undefined;
  let context: MappingContext = { receivedAt: "" };
  return (span, body) => {
    if (body !== current) {
      current = body;
      context = {
        receivedAt: body.receivedAt,
        ingestPrincipal: body.principal.name,
        ...(body.principal.trusted ? {} : { ingestTrusted: false }),
        keyIdentity,
      };
    }
    return spanToEvent(span, context);
  };
}
