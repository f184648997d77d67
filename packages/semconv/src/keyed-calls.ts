/**
 * @module Keyed calls: how this process fingerprints the inputs of tools, where it has a configured
 * key, so that fingerprints of several runs can be compared. It holds a function, never a key.
 */

/** Fingerprint of a text under the configured key. */
export type CallFingerprint = (text: string) => string;

/** One instance for all copies of this package in a process, as in OpenTelemetry's API. */
const slot = Symbol.for("turnproof.keyed-calls");
const place = globalThis as { [slot]?: CallFingerprint | undefined };

/** Sets it from now on; undefined: no key is configured. The exporter's `register` calls it. */
export function keyCalls(fingerprint: CallFingerprint | undefined): void {
  place[slot] = fingerprint;
}

/** The configured one; undefined without a key. */
export function keyedCalls(): CallFingerprint | undefined {
  return place[slot];
}
