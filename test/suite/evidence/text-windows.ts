/**
 * @module TextWindows: windows written from the requirements and the design alone, for suites that
 * hold the judge to the text. One turn that succeeds, and small ways to change it.
 */
import type { WindowMetadata } from "@turnproof/evidence";

import type { Json } from "./verdict-cases.ts";

/** Metadata of a window that was read whole. */
export const whole: WindowMetadata = {
  window_complete: true,
  truncated: false,
  normalization_errors: 0,
  read_completeness: "complete",
};

/** The same metadata without its word on one field. */
export function silentOn(field: keyof WindowMetadata): WindowMetadata {
  return Object.fromEntries(Object.entries(whole).filter(([name]) => name !== field));
}

/** The identity of the turn. */
export const turn: Json = {
  application_id: "billing",
  agent_id: "clerk",
  user_id: "customer-8",
  thread_id: "dialog-3",
  root_trace_id: "9d2f1c0b7a6e4d5c8b3a291807f6e5d4",
  turn_id: "round-1",
};

/** An event of the turn at so many seconds, named by its kind unless `extra` names it. */
export function at(second: number, event_kind: string, attributes: Json, extra: Json = {}): Json {
  return {
    schema_version: 3,
    event_id: event_kind,
    event_kind,
    phase: "event",
    status: "success",
    timestamp: `2026-11-21T08:00:${String(second).padStart(2, "0")}Z`,
    ...turn,
    ...extra,
    attributes,
  };
}

/** The source that the intent calls authoritative. */
export const ledger: Json = {
  resource_type: "ledger",
  ref: "ledger-44",
  version: "12",
  role: "authoritative_current_source",
};

/** A version of the invoice. */
export const invoice = (version: string, extra: Json = {}): Json => ({
  resource_type: "invoice",
  ref: "invoice-5",
  version,
  ...extra,
});

/** The intent: one invoice, one contract, from the ledger. */
export const intent = (attributes: Json = {}, extra: Json = {}): Json =>
  at(
    1,
    "intent",
    { expected_artifact_types: ["invoice"], required_contracts: ["lines"], ...attributes },
    { input_refs: [ledger], ...extra },
  );

/** The action that makes the invoice. */
export const work = (attributes: Json = {}, extra: Json = {}): Json =>
  at(10, "application_action", attributes, {
    event_id: "work",
    phase: "result",
    span_id: "aaaaaaaaaaaaaa01",
    ...extra,
  });

/** The first version of the invoice, persisted and verified. */
export const artifact = (attributes: Json = {}, extra: Json = {}): Json =>
  at(
    20,
    "artifact",
    {
      artifact_type: "invoice",
      artifact_status: "created",
      persistence_verified: true,
      producing_span_id: "aaaaaaaaaaaaaa01",
      ...attributes,
    },
    { input_refs: [ledger], output_refs: [invoice("1")], ...extra },
  );

/** The clean record of the contract. */
export const contract = (attributes: Json = {}, extra: Json = {}): Json =>
  at(
    30,
    "contract",
    {
      contract_name: "lines",
      parser_status: "success",
      opening_marker_found: true,
      closing_marker_found: true,
      ...attributes,
    },
    extra,
  );

/** The acknowledged delivery of the first version. */
export const delivery = (attributes: Json = {}, extra: Json = {}): Json =>
  at(
    40,
    "delivery",
    {
      delivery_target: "portal",
      contract_name: "lines",
      emitted: true,
      acknowledged: true,
      ...attributes,
    },
    { input_refs: [invoice("1")], ...extra },
  );

/** All five, with replacements by event id; null leaves the event out. */
export function success(changes: { readonly [id: string]: Json | null } = {}): Json[] {
  return [intent(), work(), artifact(), contract(), delivery()].flatMap((event) => {
    const changed = changes[event["event_id"] as string];
    return changed === null ? [] : [changed ?? event];
  });
}

/** The same events with other fields. */
export function as(events: readonly Json[], fields: Json): Json[] {
  return events.map((event) => ({ ...event, ...fields }));
}

/** The events under new ids. */
export function renamed(events: readonly Json[], suffix: string): Json[] {
  return events.map((event) => ({ ...event, event_id: `${String(event["event_id"])}-${suffix}` }));
}

/** The event without the named attributes or fields. */
export function without(event: Json, ...paths: readonly string[]): Json {
  const copy = structuredClone(event);
  for (const path of paths) {
    delete copy[path];
    const attributes = copy["attributes"] as Json | undefined;
    if (attributes !== undefined) delete attributes[path];
  }
  return copy;
}
