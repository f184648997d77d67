/**
 * @module InsightTable: text and thresholds of each insight (requirements: Trace Insights;
 * evidence: Insights). Thresholds are defined here only.
 */
import { text } from "../reconcile/finding-text.ts";
import type { FindingText, Priority } from "../reconcile/finding-text.ts";
import type { TurnEvent } from "../event/event.ts";

/** Thresholds (evidence: Insights). Shares are of the calls with a result. */
export const insightThresholds = {
  /** Supplies and items without a single reference. */
  unreferencedSuppliesMin: 2,
  unreferencedItemsMin: 8,
  /** Tool failures: a number, or a share; both together make it P0. */
  toolFailuresMin: 2,
  toolFailureShareMin: 0.25,
  toolFailureShareP0: 0.5,
  fallbacksMin: 2,
  degradedMin: 2,
  identicalCallsMin: 2,
  /** Least share of tool results with a known duration. */
  toolLatencyShareMin: 0.8,
  /** Verified negative feedback or failures that make it P0. */
  verifiedP0Min: 2,
} as const;

/** Codes of the insights. */
export const insightCodes = [
  "page_thread_mismatch",
  "ownership_unverified",
  "page_grounding_missing",
  "identity_missing",
  "content_on_unscoped_thread",
  "memory_supply_missing",
  "memory_supply_degraded",
  "supply_unreferenced",
  "tool_failures",
  "repeated_fallback",
  "repeated_degraded",
  "repeated_tool_call",
  "tool_latency_missing",
  "model_failures",
  "answer_cut",
  "answer_withheld",
  "answer_empty",
  "model_usage_missing",
  "recurring_workflow",
  "negative_feedback",
  "verified_failure",
] as const;
export type InsightCode = (typeof insightCodes)[number];

/** The text of each insight, with its lowest priority. */
export const insightTexts: { readonly [K in InsightCode]: FindingText } = {
  page_thread_mismatch: text(
    0,
    "Page and thread do not match",
    "A context was bound to another thread or another page than the requested one.",
    "Check the binding in the host before the turn runs.",
  ),
  ownership_unverified: text(
    0,
    "Ownership unverified",
    "Context was used although its ownership check failed or may not be believed.",
    "Refuse context that the user does not own.",
  ),
  page_grounding_missing: text(
    0,
    "Current page not grounded",
    "The turn had a current page whose grounding was not ready.",
    "Store the page's text before the turn, or record that it is missing.",
  ),
  identity_missing: text(
    0,
    "Identity missing",
    "Events lack their agent, thread, turn or root.",
    "Record inside a turn, and pass the carrier to workers.",
  ),
  content_on_unscoped_thread: text(
    1,
    "Content on an unscoped thread",
    "Content was attached to a thread that belongs to no scope.",
    "Create the thread under the user before content is attached.",
  ),
  memory_supply_missing: text(
    1,
    "Memory supply missing",
    "A model turn that was not answered from the cache has no memory supply event.",
    "Record what was placed into the context, even when it was nothing.",
  ),
  memory_supply_degraded: text(
    1,
    "Memory supply degraded",
    "Memory was supplied in a degraded way or through a fallback.",
    "Look at the memory provider and at its index.",
  ),
  supply_unreferenced: text(
    2,
    "Supplied and not referenced",
    "Memory was supplied repeatedly, and no answer referred to any of it.",
    "Narrow what is retrieved, or check how references are detected.",
  ),
  tool_failures: text(
    1,
    "Tools fail",
    "Tool calls failed more often than a stray fault would.",
    "Look at the failing tool and its provider.",
  ),
  repeated_fallback: text(
    1,
    "Repeated fallback",
    "Tools answered through a fallback provider again and again.",
    "Repair the primary provider, or make the fallback the primary.",
  ),
  repeated_degraded: text(
    1,
    "Repeated degraded execution",
    "Tools answered with limitations again and again.",
    "Look for the limit that tools run into.",
  ),
  repeated_tool_call: text(
    1,
    "The same call repeated",
    "A turn made the same tool call more than once.",
    "Cache the result within the turn, or stop the loop.",
  ),
  tool_latency_missing: text(
    1,
    "Tool latency missing",
    "Too many tool results have no measured duration.",
    "End tool spans where the tool returns.",
  ),
  model_failures: text(
    1,
    "Model calls fail",
    "A call of a model ended in an error.",
    "Look at the class of the error, and at the provider's limits.",
  ),
  answer_cut: text(
    1,
    "Answer cut",
    "The last model call of the turn stopped at its length limit.",
    "Raise the output limit, or request less.",
  ),
  answer_withheld: text(
    1,
    "Answer withheld",
    "The provider kept the last answer of the turn back, by a filter or a refusal.",
    "See which rule of the provider applies; give the user another way on.",
  ),
  answer_empty: text(
    1,
    "Answer empty",
    "The last model call of the turn gave not one token.",
    "Look at the request to the model; send it again, or show that there is no answer.",
  ),
  model_usage_missing: text(
    2,
    "Model usage missing",
    "Model results carry no token counts.",
    "Pass the provider's usage on; unknown usage is not zero.",
  ),
  recurring_workflow: text(
    2,
    "Recurring workflow",
    "The same row of tools ran in several threads.",
    "Review it as a candidate for a learned skill.",
  ),
  negative_feedback: text(
    1,
    "Verified negative feedback",
    "A trusted application or operator observed negative feedback.",
    "Read the turn's evidence before changing anything.",
  ),
  verified_failure: text(
    1,
    "Verified failure",
    "A trusted application or operator observed that the task failed.",
    "Read the turn's evidence before changing anything.",
  ),
};

/** Result of an insight rule, without text. */
export interface InsightMatch {
  readonly code: InsightCode;
  /** Set where it differs from the table's. */
  readonly priority?: Priority;
  readonly subject?: string | undefined;
  readonly evidence: readonly TurnEvent[];
}
