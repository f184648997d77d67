/**
 * @module MemoryRef: the reference to a memory row in evidence: its kind and a hash of its id.
 * Equal references mean the same row; the id cannot be read from one.
 */
import type { ResourceRef } from "@turnproof/instrumentation";

/** A hash of a text; keyed where the host has a key. */
export type Fingerprint = (text: string) => string;

/** The reference of a row. */
export function memoryRef(fingerprint: Fingerprint, resourceType: string, id: string): ResourceRef {
  return { resourceType, ref: fingerprint(`turnproof/memory/${resourceType}/${id}`) };
}
