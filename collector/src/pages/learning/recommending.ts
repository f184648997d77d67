/**
 * @module Recommending: proposes a recommendation from an insight, and stores the decision on one
 * (requirements: States and transitions).
 */
import {
  proposeRecommendation,
  reviewRecommendation,
  reviseRecommendation,
} from "@turnproof/evidence";
import type {
  DraftExperiment,
  Insight,
  RecommendationDecision,
  RecommendationOwner,
  TurnEvent,
} from "@turnproof/evidence";
import { isoTime } from "@turnproof/semconv";
import type { SharedRecord, SharedStore } from "@turnproof/store";

import { jsonOf, readRecommendation } from "../../memory/recommendation-record.ts";
import type { StoredRecommendation } from "../../memory/recommendation-record.ts";
import type { Parts } from "../../parts.ts";

/**
 * Owner of an insight's evidence. Insights over several tenants have no owner and are not
 * proposed: a recommendation must not carry one tenant's evidence to another.
 */
export function ownerOf(
  insight: Insight,
  events: readonly TurnEvent[],
): RecommendationOwner | undefined {
  const ids = new Set(insight.evidence_ids);
  const members = events.filter((event) => ids.has(event.event_id));
  const [first] = members.length > 0 ? members : events;
  if (first === undefined) return undefined;
  const { application_id, agent_id, user_id } = first;
  const same = (members.length > 0 ? members : events).every(
    (event) =>
      event.user_id === user_id &&
      event.agent_id === agent_id &&
      event.application_id === application_id,
  );
  if (!same) return undefined;
  return {
    ...(application_id === undefined ? {} : { application_id }),
    ...(agent_id === undefined ? {} : { agent_id }),
    ...(user_id === undefined ? {} : { user_id }),
  };
}

/** The same insight gives the same recommendation; new evidence gives a new revision. */
export async function propose(
  shared: SharedStore,
  insight: Insight,
  owner: RecommendationOwner,
  now: string,
): Promise<StoredRecommendation> {
  const proposal = proposeRecommendation(insight, owner);
  const record = await shared.get("recommendation", proposal.recommendation_id);
  const current = record === undefined ? undefined : readRecommendation(record);
  if (record === undefined || current === undefined) {
    const row = { ...proposal, proposed_at: now, reviewed_at: null, experiments: [] };
    await shared.put("recommendation", {
      id: proposal.recommendation_id,
      created_at: now,
      data: jsonOf(row),
    });
    return row;
  }
  const known = new Set(current.evidence_ids);
  const fresh = proposal.evidence_ids.some((each) => !known.has(each));
  if (!fresh) return current;
  const { note: _note, ...kept } = current;
  const row: StoredRecommendation = {
    ...kept,
    ...reviseRecommendation(current, insight),
    proposed_at: now,
    reviewed_at: null,
  };
  await shared.update("recommendation", record.id, record.version, jsonOf(row));
  return row;
}

/** A decision on a stored recommendation. */
export interface Review {
  readonly shared: SharedStore;
  readonly record: SharedRecord;
  readonly current: StoredRecommendation;
  readonly decision: RecommendationDecision;
  readonly note?: string | undefined;
}

/** Stores a decision; an acceptance drafts one experiment. @throws CodedError `store_conflict` */
export async function review(
  parts: Parts,
  { shared, record, current, decision, note }: Review,
): Promise<{ recommendation: StoredRecommendation; experiment: DraftExperiment | null }> {
  const now = isoTime(parts.now());
  const { recommendation, experiment } = reviewRecommendation(current, decision);
  const experiments =
    experiment === null
      ? current.experiments
      : [
          ...current.experiments.filter((each) => each.experiment_id !== experiment.experiment_id),
          experiment,
        ];
  const row: StoredRecommendation = {
    ...current,
    ...recommendation,
    experiments,
    reviewed_at: now,
    ...(note === undefined ? {} : { note }),
  };
  // The decision is written first: the loser of a race gets an error and creates no experiment.
  await shared.update("recommendation", record.id, record.version, jsonOf(row));
  if (experiment !== null) {
    await shared.put("experiment", {
      id: experiment.experiment_id,
      created_at: now,
      data: jsonOf(experiment),
    });
  }
  return { recommendation: row, experiment };
}
