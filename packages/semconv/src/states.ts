/**
 * @module States: the closed vocabularies of evidence and their words for people. Source:
 * requirements: States and transitions; vocabulary: Event kinds; vocabulary: States.
 */

/** How an event ended, or that it only began. */
export const eventStatuses = ["started", "success", "partial", "error", "unknown"] as const;
export type EventStatus = (typeof eventStatuses)[number];

/** A start marker, an ended span (which stands for its start as well), or a point in time. */
export const eventPhases = ["start", "result", "event"] as const;
export type EventPhase = (typeof eventPhases)[number];

/** Structured outcome of a tool call. */
export const toolOutcomes = [
  "success",
  "empty",
  "degraded",
  "fallback",
  "provider_error",
  "error",
] as const;
export type ToolOutcome = (typeof toolOutcomes)[number];

/** The badge of each tool outcome, word for word. */
export const toolBadges: { readonly [K in ToolOutcome]: string } = {
  success: "Completed",
  empty: "Completed · no results",
  degraded: "Completed with limitations",
  fallback: "Completed via fallback",
  provider_error: "Provider error",
  error: "Failed",
};

/** Result of an output contract's parser. */
export const parserStatuses = ["success", "failed", "missing", "partial"] as const;
export type ParserStatus = (typeof parserStatuses)[number];

/** The last recorded change of an artifact. */
export const artifactStatuses = ["created", "updated", "failed", "deleted"] as const;
export type ArtifactStatus = (typeof artifactStatuses)[number];

/** Coverage profiles that need no registration (requirements: Host recorder). */
export const coverageProfiles = [
  "chat_response",
  "content_ingestion",
  "content_derived_artifact",
  "interactive_response",
] as const;
export type CoverageProfile = (typeof coverageProfiles)[number];

/** Decision of a semantic cache. Separate from a provider's cached tokens. */
export const cacheDecisions = ["hit", "miss", "bypassed", "rejected", "disabled"] as const;
export type CacheDecision = (typeof cacheDecisions)[number];

/** Provenance of a resource reference. */
export const provenanceStatuses = ["verified", "unverified", "missing", "failed"] as const;
export type ProvenanceStatus = (typeof provenanceStatuses)[number];

/**
 * Roles of a source that supports a result and need not match (requirements: Reconciliation 4). A
 * source without a role, with an `authoritative…` one or with one that is not listed must match.
 */
export const supportingRoles: ReadonlySet<string> = new Set([
  "supporting",
  "supporting_source",
  "background",
  "context",
  "reference",
  "example",
  "style_sample",
  "writing_sample",
  "preference",
  "history",
  "summary",
]);

/** Outcome values that count as a failure, in the form of {@link outcomeWord}. */
export const failedOutcomes: ReadonlySet<string> = new Set([
  "aborted",
  "abandoned",
  "canceled",
  "cancelled",
  "declined",
  "denied",
  "error",
  "errored",
  "expired",
  "fail",
  "failed",
  "failure",
  "incorrect",
  "not_resolved",
  "refused",
  "rejected",
  "reverted",
  "timed_out",
  "timeout",
  "unresolved",
  "unsuccessful",
  "wrong",
]);

/** Outcome values that are neither a success nor a failure. */
export const partialOutcomes: ReadonlySet<string> = new Set([
  "incomplete",
  "partial",
  "partial_success",
  "partially_resolved",
  "pending",
  "unknown",
]);

/** An outcome as a word: lower case, with underscores. */
export function outcomeWord(outcome: string | undefined): string {
  return (outcome ?? "")
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/gu, "_");
}

/** Queue status of an action that waits for a person; it keeps an open turn open. */
export const waitingForHuman = "waiting_for_human";

/** Three-valued ownership as it travels in a parallel list. */
export const ownershipValues = ["true", "false", "unknown"] as const;

/** How completely the records of a window were read. */
export const readCompletenesses = ["complete", "partial", "untrusted", "unknown"] as const;
export type ReadCompleteness = (typeof readCompletenesses)[number];

/** Whether the declared stages of a window are recorded. */
export const instrumentationCompletenesses = ["complete", "partial", "unknown"] as const;
export type InstrumentationCompleteness = (typeof instrumentationCompletenesses)[number];

/** Whether a verified outcome is on record. */
export const outcomeVerifications = ["recorded", "unknown"] as const;
export type OutcomeVerification = (typeof outcomeVerifications)[number];

/** State of a metric whose value may be null; absent or malformed data is never zero. */
export const metricStates = ["known", "partial", "not_measured", "unknown"] as const;
export type MetricState = (typeof metricStates)[number];

/** The verdict of a reconciliation. */
export const verdictStatuses = ["success", "partial", "failed", "unknown"] as const;
export type VerdictStatus = (typeof verdictStatuses)[number];

/** Whether a duration could be computed. */
export const timingStates = ["measured", "missing_completion", "instantaneous", "unknown"] as const;
export type TimingState = (typeof timingStates)[number];

/** Thread binding values that confirm the binding. */
export const bindingGood: readonly string[] = ["matched", "bound", "verified"];
/** Thread binding values that contradict the binding. */
export const bindingBad: readonly string[] = ["mismatch", "rejected", "stale", "unverified"];
/** Content was attached to a thread that belongs to no tenant's scope. */
export const bindingUnscoped = "client_owned_unscoped";
/** The one grounding value that is good; any other value present is bad. */
export const groundingGood = "ready";

/** Lifecycle events of learning (evidence: Reconcile). */
export const learningEvents = [
  "run_started",
  "cache_hit",
  "cache_bypassed",
  "memory_retrieved",
  "tool_executed",
  "run_completed",
  "outcome_recorded",
  "workflow_recorded",
  "skill_candidate_created",
  "skill_promoted",
  "skill_demoted",
  "forgetting_planned",
  "memory_forgotten",
] as const;

/** Dialects that the mapping reads; `structural` is any other span. */
export const dialects = [
  "turnproof",
  "gen_ai",
  "openinference",
  "openllmetry",
  "vercel_ai",
  "langfuse",
  "mastra",
  "structural",
  "legacy",
] as const;
export type Dialect = (typeof dialects)[number];

/**
 * A producer's reports about itself, as the `turnproof.quality.code` of a data-quality event: its
 * losses so far, and a heartbeat while evidence spans are open.
 */
export const producerReports = {
  losses: "loss_report",
  heartbeat: "producer_heartbeat",
} as const;
