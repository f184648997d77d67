/**
 * @module BundleCandidates: the roots that may contain part of an answer, newest last receipt
 * first, page by page, so that a read of the newest events costs the same for any number of roots.
 */
import { rangeBounds } from "../bundle/own-range.ts";
import { hashesOfId, rootWords, rowWords } from "../bundle/bundle-words.ts";
import type { KnownRoot } from "../root-rounds.ts";
import type { EvidenceRequest } from "../evidence-request.ts";
import type { SqliteDatabase, SqliteStatement, SqlValue } from "./sqlite-database.ts";

/** Roots of the first page; each next one has four times as many. */
const firstPage = 64;
const pageMax = 4_096;

interface BundleCandidate extends KnownRoot {
  readonly id: number;
}

/**
 * Each root once. A root that grows during the read moves before the present position; it is still
 * returned, at its former position at the latest, so that none is missed.
 */
export function* candidates(
  database: SqliteDatabase,
  request: EvidenceRequest,
): Generator<KnownRoot> {
  const { sql, values } = conditionOf(database, request);
  const columns = "id, root_trace_id AS root, first, last, rows";
  const page = database.prepare(
    `SELECT ${columns} FROM roots WHERE (last, id) < (?, ?) AND ${sql}
     ORDER BY last DESC, id DESC LIMIT ?`,
  );
  const moved = database.prepare(
    `SELECT ${columns} FROM roots WHERE touched > ? AND last >= ? AND ${sql}`,
  );
  const newest = database.prepare("SELECT coalesce(max(touched), 0) AS touched FROM roots");
  const touched = (): number => Number(newest.get()?.["touched"]);
  let mark = touched();
  let place: readonly [last: number, id: number] = [Number.MAX_SAFE_INTEGER, 0];
  const met = new Set<number>();
  for (let size = firstPage; ; size = Math.min(pageMax, size * 4)) {
    const since = mark;
    mark = touched();
    if (mark > since) yield* late(moved, [since, place[0], ...values], met, place[0]);
    const rows = page.all(...place, ...values, size) as unknown as readonly BundleCandidate[];
    for (const row of rows) {
      if (met.has(row.id)) continue;
      met.add(row.id);
      yield row;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < size) return;
    place = [last.last, last.id];
  }
}

/** Roots that moved before the present position without being returned. */
function* late(
  moved: SqliteStatement,
  values: readonly SqlValue[],
  met: Set<number>,
  place: number,
): Generator<KnownRoot> {
  for (const row of moved.all(...values) as unknown as readonly BundleCandidate[]) {
    if (met.has(row.id)) continue;
    met.add(row.id);
    yield { ...row, first: Math.min(row.first, place), last: place };
  }
}

/** Most roots of a word that are looked up; of more, each is checked when it is read. */
const fewRoots = 2_000;

function conditionOf(
  database: SqliteDatabase,
  request: EvidenceRequest,
): { readonly sql: string; readonly values: readonly SqlValue[] } {
  const { scope, query, id } = request;
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  const oneOf = (hashes: readonly number[]): void => {
    const marks = hashes.map(() => "?").join(", ");
    const found = database
      .prepare(
        `SELECT count(*) AS n FROM
           (SELECT 1 FROM bundle_words WHERE hash IN (${marks}) LIMIT ${fewRoots + 1})`,
      )
      .get(...hashes);
    conditions.push(
      Number(found?.["n"]) > fewRoots
        ? `EXISTS (SELECT 1 FROM bundle_words WHERE hash IN (${marks}) AND root = roots.id)`
        : `id IN (SELECT root FROM bundle_words WHERE hash IN (${marks}))`,
    );
    values.push(...hashes);
  };
  if (query.root_trace_id !== undefined) {
    conditions.push("root_trace_id = ?");
    values.push(query.root_trace_id);
  }
  const { since, until } = rangeBounds(query);
  if (since !== undefined) {
    conditions.push("own_to >= ?");
    values.push(since);
  }
  if (until !== undefined) {
    conditions.push("own_from <= ?");
    values.push(until);
  }
  for (const hash of [...rootWords(scope, query), ...rowWords(query)]) oneOf([hash]);
  if (id !== undefined) oneOf(hashesOfId(id));
  return { sql: conditions.length === 0 ? "1" : conditions.join(" AND "), values };
}
