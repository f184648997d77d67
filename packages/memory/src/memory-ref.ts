/**
 * @module MemoryRef: a memory row as evidence may name it: its kind and a hash of its id, so that
 * two events can be seen to mean the same row and nothing can be read from either.
 */
import type { ResourceRef } from "@turnproof/instrumentation";

/** A hash of a text; keyed where the host has a key. */
export type Fingerprint = (text: string) => string;

/** The reference of a row. */
export function memoryRef(fingerprint: Fingerprint, resourceType: string, id: string): ResourceRef {
  return { resourceType, ref: fingerprint(`turnproof/memory/${resourceType}/${id}`) };
}
