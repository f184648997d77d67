/** @module FileFields: the fields of the lists of the learning view in their files. */
import type { CandidateState, DraftExperiment } from "@turnproof/evidence";

import type { ListFields } from "../../tables/list-files.ts";
import type { RecommendationRow } from "./listed.ts";

/** The fields of a recommendation in a file. */
export const recommendationFields: ListFields<RecommendationRow> = {
  recommendation_id: "text",
  revision: "integer",
  state: "text",
  code: "text",
  component: "text",
  title: "text",
  recommendation: "text",
  subject: "text",
  owner: "json",
  evidence_ids: "texts",
  evidence_count: "integer",
  experiment_id: "text",
  proposed_at: "time",
  reviewed_at: "time",
  has_note: "flag",
  note: "text",
};

/** The fields of a draft experiment. */
export const experimentFields: ListFields<DraftExperiment> = {
  experiment_id: "text",
  recommendation_id: "text",
  revision: "integer",
  state: "text",
  component: "text",
  hypothesis: "text",
  evaluation_plan: "texts",
  owner: "json",
};

/** The fields of a candidate. */
export const candidateFields: ListFields<CandidateState> = {
  candidate_ref: "text",
  learning_event: "text",
  lifecycle_state: "text",
  event_ids: "texts",
};
