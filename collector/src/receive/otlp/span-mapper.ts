/**
 * @module Span mapper: the exporter's mapping under the receiver's context. One object per body, so
 * that the span path makes none.
 */
import { spanToEvent } from "@turnproof/exporter";
import type { MappingContext } from "@turnproof/exporter";
import { allowNames } from "@turnproof/semconv";
import { createIdentityKey } from "@turnproof/semconv/name-key";
import type { Key } from "@turnproof/semconv/fingerprint";

import type { IngestBody, SpanMapper } from "./ingest-body.ts";

/** What mapping needs beyond a body; plain data, so that a worker can be given it. */
export interface MapperSettings {
  /** Key under which an identity or a name that the guard refuses becomes its fingerprint. */
  readonly identityKey: Key;
  /** Names that are readable whatever they look like. */
  readonly knownNames?: readonly string[];
}

/** A mapper that keeps the context of the body at hand. */
export function createSpanMapper(settings: MapperSettings): SpanMapper {
  const { identityKey, knownNames = [] } = settings;
  // A thread has a guard of its own.
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
