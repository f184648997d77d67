/**
 * @module Span mapper: the exporter's mapping under the receiver's context. One object per body, so
 * that the span path makes none.
 */
import { spanToEvent } from "@turnproof/exporter";
import type { MappingContext } from "@turnproof/exporter";
import { identityPurpose, keyedFingerprint } from "@turnproof/semconv/fingerprint";
import type { Key } from "@turnproof/semconv/fingerprint";

import type { IngestBody, SpanMapper } from "./ingest-body.ts";

/** What mapping needs beyond a body; plain data, so that a worker can be given it. */
export interface MapperSettings {
  /** Key under which an identity that is not opaque is replaced by its fingerprint. */
  readonly identityKey: Key;
}

/** A mapper that keeps the context of the body at hand. */
export function createSpanMapper(settings: MapperSettings): SpanMapper {
  const key = { key: settings.identityKey, purpose: identityPurpose };
  const keyIdentity = (value: string): string => keyedFingerprint(value, key);
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
