/** @module InsightsContext: rules over provenance, identity, feedback and outcomes. */
import {
  bindingBad,
  bindingUnscoped,
  failedOutcomes,
  groundingGood,
  outcomeWord,
} from "@turnproof/semconv";

import type { TurnEvent } from "../event/event.ts";
import { insightThresholds } from "./insight-table.ts";
import type { InsightMatch } from "./insight-table.ts";
import { mayAssert } from "../reconcile/reconcile-bench.ts";

const identities = ["agent_id", "thread_id", "turn_id", "root_trace_id"] as const;

function match(code: InsightMatch["code"], evidence: readonly TurnEvent[]): InsightMatch[] {
  return evidence.length === 0 ? [] : [{ code, evidence }];
}

/** Page and thread, ownership, grounding and unscoped threads (requirements: Trace Insights). */
export function contextInsights(events: readonly TurnEvent[]): InsightMatch[] {
  const bindings = events.filter((event) => event.event_kind === "context_binding");
  return [
    ...match("page_thread_mismatch", bindings.filter(isMismatched)),
    ...match("ownership_unverified", bindings.filter(isUnowned)),
    ...match("page_grounding_missing", bindings.filter(isUngrounded)),
    ...match(
      "content_on_unscoped_thread",
      bindings.filter((event) => event.attributes.thread_binding_status === bindingUnscoped),
    ),
  ];
}

function isMismatched({ attributes, thread_id }: TurnEvent): boolean {
  const { thread_binding_status: status, expected_thread_id: expected } = attributes;
  if (status !== undefined && bindingBad.includes(status)) return true;
  const { client_page_id: client, canonical_page_id: canonical } = attributes;
  // The client's page differs from the page that the host resolved.
  if (client !== undefined && canonical !== undefined && client !== canonical) return true;
  return expected !== undefined && thread_id !== undefined && expected !== thread_id;
}

/**
 * Ownership failed, or was claimed by an untrusted producer. Absence is unknown, not a finding.
 */
function isUnowned(event: TurnEvent): boolean {
  const ownership = event.attributes.ownership_verified;
  return ownership === false || (ownership === true && !mayAssert(event));
}

function isUngrounded({ attributes }: TurnEvent): boolean {
  const { grounding_status: status, client_page_id, canonical_page_id } = attributes;
  if (status !== undefined) return status !== groundingGood;
  return client_page_id !== undefined || canonical_page_id !== undefined;
}

/** Events that belong to a turn without naming it. */
export function identityInsights(events: readonly TurnEvent[]): InsightMatch[] {
  const lacking = events.filter(
    (event) =>
      event.event_kind !== "span" &&
      event.event_kind !== "data_quality" &&
      (event.source_store ?? "trace") === "trace" &&
      identities.some((field) => event[field] === undefined),
  );
  return match("identity_missing", lacking);
}

/**
 * Feedback and outcomes from trusted applications and operators; a model's own claim does not
 * count.
 */
export function judgementInsights(events: readonly TurnEvent[]): InsightMatch[] {
  const verified = events.filter((event) => event.attributes.verified === true && mayAssert(event));
  const negative = verified.filter(
    ({ event_kind, attributes }) => event_kind === "feedback" && (attributes.rating ?? 0) < 0,
  );
  const failures = verified.filter(
    ({ event_kind, attributes }) =>
      event_kind === "outcome" && failedOutcomes.has(outcomeWord(attributes.outcome)),
  );
  const urgent = (list: readonly TurnEvent[]): { readonly priority?: 0 } =>
    list.length >= insightThresholds.verifiedP0Min ? { priority: 0 } : {};
  return [
    ...match("negative_feedback", negative).map((item) => ({ ...item, ...urgent(negative) })),
    ...match("verified_failure", failures).map((item) => ({ ...item, ...urgent(failures) })),
  ];
}
