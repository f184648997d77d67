/**
 * @module Recommendations: proposals that people decide on (requirements: States and transitions;
 * evidence: Insights). Accepting one creates a draft experiment for that revision and changes
 * nothing that runs.
 */
import { CodedError } from "@turnproof/semconv";

import { stableHash } from "../normalize/content-hash.ts";
import type { IdentityTuple } from "../event/identity-tuple.ts";
import type { InsightCode } from "./insight-table.ts";
import type { Insight } from "./insights.ts";

/** State of a revision of a recommendation. */
export type RecommendationState = "proposed" | "accepted" | "rejected" | "deferred";

/** Decisions that a person can make. */
export type RecommendationDecision = Exclude<RecommendationState, "proposed">;

/** A proposal that follows from an insight. */
export interface Recommendation {
  readonly recommendation_id: string;
  /** Counts from 1; new evidence creates a new revision of the same recommendation. */
  readonly revision: number;
  readonly state: RecommendationState;
  readonly code: InsightCode;
  readonly component: Component;
  readonly title: string;
  readonly recommendation: string;
  readonly subject: string | null;
  readonly owner: RecommendationOwner;
  readonly evidence_ids: readonly string[];
  readonly evidence_count: number;
  /** The draft that the acceptance created; null unless accepted. */
  readonly experiment_id: string | null;
}

/** Identity to which the evidence belongs. */
export type RecommendationOwner = Pick<IdentityTuple, "application_id" | "agent_id" | "user_id">;

/** Component of an agent that an experiment would change. */
export type Component = "memory" | "tool" | "model" | "context" | "workflow" | "host";

/** A draft for people to carry out: nothing executes it. */
export interface DraftExperiment {
  readonly experiment_id: string;
  readonly recommendation_id: string;
  readonly revision: number;
  readonly state: "draft";
  readonly component: Component;
  readonly hypothesis: string;
  readonly evaluation_plan: readonly string[];
  readonly owner: RecommendationOwner;
}

const componentOf: { readonly [K in InsightCode]: Component } = {
  page_thread_mismatch: "context",
  ownership_unverified: "context",
  page_grounding_missing: "context",
  identity_missing: "host",
  content_on_unscoped_thread: "context",
  memory_supply_missing: "memory",
  memory_supply_degraded: "memory",
  supply_unreferenced: "memory",
  tool_failures: "tool",
  repeated_fallback: "tool",
  repeated_degraded: "tool",
  repeated_tool_call: "tool",
  tool_latency_missing: "tool",
  model_failures: "model",
  answer_cut: "model",
  answer_withheld: "model",
  answer_empty: "model",
  model_usage_missing: "model",
  recurring_workflow: "workflow",
  negative_feedback: "host",
  verified_failure: "host",
};

/**
 * Creates a proposal from an insight. The same insight of the same owner gives the same proposal.
 */
export function proposeRecommendation(
  insight: Insight,
  owner: RecommendationOwner,
): Recommendation {
  const { application_id, agent_id, user_id } = owner;
  const tenant = user_id === undefined ? ["unattributed"] : [user_id];
  const place = [application_id ?? null, agent_id ?? null, tenant, insight.code, insight.subject];
  return {
    recommendation_id: `recommendation:${stableHash(JSON.stringify(place))}`,
    revision: 1,
    state: "proposed",
    code: insight.code,
    component: componentOf[insight.code],
    title: insight.title,
    recommendation: insight.recommendation,
    subject: insight.subject,
    owner,
    evidence_ids: insight.evidence_ids,
    evidence_count: insight.evidence_count,
    experiment_id: null,
  };
}

/** The next revision with newer evidence; it is in state proposed, whatever was decided before. */
export function reviseRecommendation(
  current: Recommendation,
  evidence: Pick<Insight, "evidence_ids" | "evidence_count">,
): Recommendation {
  return {
    ...current,
    ...evidence,
    revision: current.revision + 1,
    state: "proposed",
    experiment_id: null,
  };
}

/**
 * Applies a decision; returns the recommendation and, for an acceptance, its draft experiment: the
 * same one however often the acceptance is repeated. A deferred revision can still be decided; an
 * accepted or rejected one is closed. Throws `recommendation_closed`.
 */
export function reviewRecommendation(
  current: Recommendation,
  decision: RecommendationDecision,
): { readonly recommendation: Recommendation; readonly experiment: DraftExperiment | null } {
  const closed = current.state === "accepted" || current.state === "rejected";
  if (closed && current.state !== decision) throw new CodedError("recommendation_closed");
  if (decision !== "accepted") {
    return { recommendation: { ...current, state: decision }, experiment: null };
  }
  const experiment = draftExperiment(current);
  return {
    recommendation: { ...current, state: decision, experiment_id: experiment.experiment_id },
    experiment,
  };
}

function draftExperiment(source: Recommendation): DraftExperiment {
  return {
    experiment_id: `${source.recommendation_id}:experiment:${source.revision}`,
    recommendation_id: source.recommendation_id,
    revision: source.revision,
    state: "draft",
    component: source.component,
    hypothesis: `A change of the ${source.component} lifts the finding ${source.code}.`,
    evaluation_plan: [
      "Choose a baseline window of this agent and tenant in which the finding holds.",
      "Change the component in a copy of the agent, never in the one that serves people.",
      "Record a candidate window of the same length and compare the two.",
      `Keep the change only if ${source.code} is gone from a complete candidate window.`,
    ],
    owner: source.owner,
  };
}
