/** @module Listed: the recommendations that a principal may read, and each as it is shown. */
import type { Recommendation, RecommendationOwner } from "@turnproof/evidence";
import type { Identity } from "@turnproof/semconv";

import type { Principal } from "../../access/principal.ts";
import { shownNote } from "../../hooks/content-mode.ts";
import { readRecommendation, sharedOf } from "../../memory/recommendation-record.ts";
import type { StoredRecommendation } from "../../memory/recommendation-record.ts";
import type { Parts } from "../../parts.ts";
import type { ListFields } from "../../tables/list-files.ts";

/** A recommendation in the list. */
export interface RecommendationRow extends Recommendation {
  readonly proposed_at: string;
  readonly reviewed_at: string | null;
  readonly has_note: boolean;
  /** Null where the caller's role or the content mode hides it. */
  readonly note: string | null;
}

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

const listedMax = 1_000;

/** Whose recommendations are read. */
type Owned = Partial<Pick<Identity, "agent_id" | "user_id">>;

/** The first recommendations of the store; not complete where it has more. */
export async function listed(
  parts: Parts,
  principal: Principal,
  query: Owned,
): Promise<{ readonly rows: readonly StoredRecommendation[]; readonly complete: boolean }> {
  const { rows, next } = await readable(parts, principal, query);
  return { rows, complete: next === null };
}

/** Every recommendation as it is shown, a page of the store at a time. */
export async function* everyShown(
  parts: Parts,
  principal: Principal,
  query: Owned,
): AsyncGenerator<readonly RecommendationRow[]> {
  for (let after: string | null | undefined; after !== null;) {
    const { rows, next } = await readable(parts, principal, query, after);
    yield rows.map((row) => shownRow(parts, principal, row));
    after = next;
  }
}

/** Recommendations are stored without a tenant filter, so each is checked before it is shown. */
async function readable(
  parts: Parts,
  principal: Principal,
  query: Owned,
  after?: string,
): Promise<{ readonly rows: readonly StoredRecommendation[]; readonly next: string | null }> {
  const { records, next } = await sharedOf(parts.memory).list("recommendation", {
    limit: listedMax,
    ...(after === undefined ? {} : { after }),
  });
  const rows = records.flatMap((record) => readRecommendation(record) ?? []);
  return {
    rows: rows.filter((row) => mayRead(principal, row.owner) && isOf(row.owner, query)),
    next,
  };
}

/** True where the principal may read a recommendation about this owner. */
export function mayRead(principal: Principal, owner: RecommendationOwner): boolean {
  const { applicationId, userId } = principal;
  if (applicationId !== undefined && owner.application_id !== applicationId) return false;
  return userId === undefined || owner.user_id === userId;
}

function isOf(owner: RecommendationOwner, query: Owned): boolean {
  if (query.agent_id !== undefined && owner.agent_id !== query.agent_id) return false;
  return query.user_id === undefined || owner.user_id === query.user_id;
}

/** A recommendation as the principal may see it. */
export function shownRow(
  { config }: Parts,
  principal: Principal,
  row: StoredRecommendation,
): RecommendationRow {
  const { note, experiments: _experiments, ...rest } = row;
  return {
    ...rest,
    has_note: note !== undefined,
    note: shownNote(config.contentMode, principal, note),
  };
}
