/**
 * @module BundleGroup: the v2 bundle of one turn, rebuilt from its events (design 3.6). Native
 * events are their own immutable records; a bundle is how the bundles view shows them.
 */
import { createHash } from "node:crypto";

import type { TurnEvent } from "@turnproof/evidence";

import type { BundleRecord } from "./evidence-store.ts";
import type { Settled } from "./settle.ts";

/** What makes two events of one bundle: the whole identity tuple but memory and run. */
export function turnKey(event: TurnEvent): string {
  return JSON.stringify([
    event.application_id,
    event.agent_id,
    event.user_id === undefined ? 0 : event.user_id,
    event.thread_id,
    event.root_trace_id,
    event.turn_id,
  ]);
}

/** The bundle of these events, which share a turn key; oldest first inside. */
export function bundleOf(key: string, group: readonly Settled[]): BundleRecord {
  const events = group.map(({ event }) => event).toSorted(byTime);
  const received = events.map((event) => event.received_at).toSorted();
  const [first] = events;
  const identity = {
    application_id: first?.application_id,
    agent_id: first?.agent_id,
    user_id: first?.user_id,
    thread_id: first?.thread_id,
    root_trace_id: first?.root_trace_id,
    turn_id: first?.turn_id,
  };
  return {
    record_id: createHash("sha256").update(key).digest("hex").slice(0, 32),
    record_type: "trace_bundle",
    schema_version: 2,
    created_at: received[0] ?? "",
    updated_at: received.at(-1) ?? "",
    payload: {
      type: "trace_bundle",
      version: 2,
      identity: Object.fromEntries(Object.entries(identity).filter(([, v]) => v !== undefined)),
      events,
      event_count: events.length,
    },
  };
}

function byTime(a: TurnEvent, b: TurnEvent): number {
  if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp ? -1 : 1;
  return a.event_id < b.event_id ? -1 : a.event_id > b.event_id ? 1 : 0;
}
