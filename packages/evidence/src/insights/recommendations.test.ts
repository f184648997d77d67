/** Recommendations: proposals, decisions and one draft experiment per revision. */
import { expect, test } from "vitest";

import type { Insight } from "./insights.ts";
import { insightTexts } from "./insight-table.ts";
import {
  proposeRecommendation,
  reviewRecommendation,
  reviseRecommendation,
} from "./recommendations.ts";

const insight: Insight = {
  code: "repeated_fallback",
  ...insightTexts.repeated_fallback,
  identity: null,
  subject: null,
  evidence_count: 2,
  evidence_ids: ["a", "b"],
};
const owner = { agent_id: "agent", user_id: "user" };
const proposed = proposeRecommendation(insight, owner);

test("the same insight of the same owner is the same proposal", () => {
  expect(proposed).toMatchObject({ state: "proposed", revision: 1, component: "tool" });
  const again = proposeRecommendation({ ...insight, evidence_ids: ["c"] }, owner);
  expect(again.recommendation_id).toBe(proposed.recommendation_id);
  const ids = [owner, { ...owner, user_id: null }, { agent_id: "agent" }].map(
    (whose) => proposeRecommendation(insight, whose).recommendation_id,
  );
  expect(new Set(ids).size).toBe(3);
});

test("accepting makes exactly one draft experiment per revision", () => {
  const first = reviewRecommendation(proposed, "accepted");
  expect(first.experiment).toMatchObject({ state: "draft", revision: 1 });
  expect(first.recommendation.experiment_id).toBe(first.experiment?.experiment_id);
  expect(reviewRecommendation(first.recommendation, "accepted")).toEqual(first);
  const evidence = { evidence_ids: ["c"], evidence_count: 1 };
  const next = reviseRecommendation(first.recommendation, evidence);
  expect(next).toMatchObject({ revision: 2, state: "proposed", experiment_id: null });
  const second = reviewRecommendation(next, "accepted");
  expect(second.experiment?.experiment_id).not.toBe(first.experiment?.experiment_id);
});

test("rejecting and deferring make none; a closed revision stays closed", () => {
  const rejected = reviewRecommendation(proposed, "rejected");
  expect(rejected.experiment).toBeNull();
  expect(() => reviewRecommendation(rejected.recommendation, "accepted")).toThrow(
    "recommendation_closed",
  );
  const deferred = reviewRecommendation(proposed, "deferred");
  expect(deferred).toMatchObject({ experiment: null, recommendation: { state: "deferred" } });
  expect(reviewRecommendation(deferred.recommendation, "accepted").experiment).not.toBeNull();
});
