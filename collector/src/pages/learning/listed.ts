/** @module Listed: the recommendations that a principal may read, and each as it is shown. */
import type { Recommendation, RecommendationOwner } from "@turnproof/evidence";
import type { Identity } from "@turnproof/semconv";
import { compareTimes } from "@turnproof/semconv";

import type { Principal } from "../../access/principal.ts";
import { shownNote } from "../../hooks/content-mode.ts";
import { readRecommendation, sharedOf } from "../../memory/recommendation-record.ts";
import type { StoredRecommendation } from "../../memory/recommendation-record.ts";
import type { Parts } from "../../parts.ts";

/** A recommendation in the list. */
export interface RecommendationRow extends Recommendation {
  readonly proposed_at: string;
  readonly reviewed_at: string | null;
  readonly has_note: boolean;
  /** Null where the caller's role or the content mode hides it. */
  readonly note: string | null;
}

const listedMax = 1_000;

/** Whose recommendations are read, and when they were proposed. */
interface Owned extends Partial<Pick<Identity, "agent_id" | "user_id">> {
  readonly start_time?: string | undefined;
  readonly end_time?: string | undefined;
}

/** The first recommendations of the store; not complete where it has more. */
export async function listed(
  parts: Parts,
  principal: Principal,
  query: Owned,
): Promise<{ readonly rows: readonly StoredRecommendation[]; readonly complete: boolean }> {
  const { rows, next } = await readable(parts, principal, query);
  return { rows, complete: next === null };
}

/** Every recommendation, a page of the store at a time. */
export async function* everyStored(
  parts: Parts,
  principal: Principal,
  query: Owned,
): AsyncGenerator<readonly StoredRecommendation[]> {
  for (let after: string | null | undefined; after !== null;) {
    const { rows, next } = await readable(parts, principal, query, after);
    yield rows;
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
    rows: rows.filter((row) => mayRead(principal, row.owner) && isOf(row, query)),
    next,
  };
}

/** True where the principal may read a recommendation about this owner. */
export function mayRead(principal: Principal, owner: RecommendationOwner): boolean {
  const { applicationId, userId } = principal;
  if (applicationId !== undefined && owner.application_id !== applicationId) return false;
  return userId === undefined || owner.user_id === userId;
}

function isOf({ owner, proposed_at: at }: StoredRecommendation, query: Owned): boolean {
  const { start_time: start, end_time: end } = query;
  if (start !== undefined && compareTimes(at, start) < 0) return false;
  if (end !== undefined && compareTimes(at, end) >= 0) return false;
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
