/**
 * @module BundleGroup: rebuilds the v2 bundle of one turn from its events (vocabulary: Envelopes).
 * Native events are stored as packed rows; the bundles view shows them as bundles.
 */
import { createHash } from "node:crypto";

import { compareText, encodeBundle, encodeRecord } from "@turnproof/evidence";

import type { BundleRecord } from "./evidence-store.ts";
import type { Settled } from "./settle.ts";

/** The bundle of these events, which share a turn key, in the form that evidence writes. */
export function bundleOf(key: string, group: readonly Settled[]): BundleRecord {
  const received = group.map(({ event }) => event.received_at).toSorted(compareText);
  const bundle = encodeBundle(group.map(({ event }) => event));
  const recordId = createHash("sha256").update(key).digest("hex").slice(0, 32);
  const record = encodeRecord(bundle, { recordId, at: received[0] ?? "" });
  return { ...record, updated_at: received.at(-1) ?? "" };
}
