/**
 * @module Feedback and task outcome (requirements: Feedback). `verified` means
 * that a trusted application or operator confirmed it; a model's own claim does not qualify.
 */
import { attribute, splitMetrics } from "@turnproof/semconv";
import type { learningEvents, MetricValue } from "@turnproof/semconv";
import { contentFingerprint } from "@turnproof/semconv/fingerprint";

import type { ResourceRef } from "./resource-ref.ts";
import { refAttributes } from "./resource-ref.ts";
import type { Facts } from "./observation.ts";

/** A person's rating of a turn. */
export interface Feedback {
  /** Integer; negative is dissatisfied. */
  readonly rating?: number;
  readonly label?: string;
  /** Recorded as its hash only. */
  readonly comment?: string;
  readonly verified?: boolean;
  readonly source?: string;
  readonly externalId?: string;
}

/** A task's outcome as an application observed it. */
export interface TaskOutcome {
  readonly verified?: boolean;
  readonly source?: string;
  /** Scalars by name: finite numbers, booleans (kept as 1 or 0), and texts that are labels. */
  readonly metrics?: Readonly<Record<string, MetricValue>>;
  readonly taskId?: string;
  readonly externalId?: string;
}

/** A step in the life cycle of a learned skill. */
export interface LearningStep {
  readonly event: (typeof learningEvents)[number];
  readonly candidateRef?: string;
  readonly lifecycleState?: string;
  readonly sources?: readonly ResourceRef[];
}

/** Attributes of feedback. */
export function feedbackFacts(
  feedback: Feedback,
  fingerprint: (text: string) => string = contentFingerprint,
): Facts {
  return {
    [attribute.rating.span]: feedback.rating,
    [attribute.label.span]: feedback.label,
    [attribute.comment_hash.span]:
      feedback.comment === undefined ? undefined : fingerprint(feedback.comment),
    [attribute.verified.span]: feedback.verified,
    [attribute.source.span]: feedback.source,
  };
}

/** Attributes of an outcome, e.g. `success` or `failure`. */
export function outcomeFacts(outcome: string, options: TaskOutcome): Facts {
  const metrics = splitMetrics(options.metrics ?? {});
  return {
    [attribute.outcome.span]: outcome,
    [attribute.verified.span]: options.verified,
    [attribute.source.span]: options.source,
    [attribute.metric_names.span]: metrics.metric_names,
    [attribute.metric_values.span]: metrics.metric_values,
    [attribute.metric_texts.span]: metrics.metric_texts,
  };
}

/** Attributes of a learning event. */
export function learningFacts(learning: LearningStep): Facts {
  return {
    [attribute.learning_event.span]: learning.event,
    [attribute.candidate_ref.span]: learning.candidateRef,
    [attribute.lifecycle_state.span]: learning.lifecycleState,
    ...refAttributes("input", learning.sources),
  };
}
