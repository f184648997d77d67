/**
 * @module BundleFeed: the roots that a read may need, newest last receipt first. An event's own
 * fields are conditions on its row; identity may be inherited, so it is a condition on any row of
 * the root. A few roots are found by the index of words; many are read in the order of the table's
 * key, whole seconds at a time.
 */
import type { EventQuery } from "@turnproof/evidence";

import { spanMicrosMax } from "../bundle/pack.ts";
import { rangeBounds } from "../bundle/own-range.ts";
import { hashesOfId, rootWords, rowWords, scopeWords } from "../bundle/bundle-words.ts";
import type { SliceOptions } from "../evidence-store.ts";
import { positionOfKeyset } from "../position.ts";
import type { KnownRoot } from "../root-rounds.ts";
import type { EvidenceRequest } from "../evidence-request.ts";
import { hasAnySql, ofRootsSql, rootHash } from "./bundle-table.ts";
import type { Engine } from "./engine.ts";
import { bindings } from "./sql-text.ts";
import type { ClickHouseBindings } from "./sql-text.ts";

/**
 * Roots that are read at once: a separate query for their positions costs more than reading them.
 */
const readAtOnce = 64;
/** Most roots that are looked up one by one; more of them are read in table order. */
const fewRoots = 2_000;
const rootsPerLookup = 256;
const rowsMax = 16_384;

/** Roots with a matching row, each once, at its newest such row. */
export async function* bundleFeed(
  engine: Engine,
  request: EvidenceRequest,
  options: SliceOptions,
  rowsFirst: number,
): AsyncGenerator<KnownRoot> {
  const after = options.after === undefined ? undefined : positionOfKeyset(options.after).micros;
  const requested = { engine, options, after };
  let few: ReadonlySet<string> | undefined;
  const many: string[] = [];
  for (const condition of rootConditions(request)) {
    // The roots found are candidates; further conditions only save reading them.
    if (few !== undefined && few.size <= readAtOnce) break;
    const roots = await rootsWith(requested, condition, few);
    if (roots.length < fewRoots) few = new Set(roots);
    else many.push(condition);
  }
  if (few !== undefined && few.size <= readAtOnce) yield* unplaced(few);
  else if (few !== undefined) yield* lookedUp(requested, request, [...few]);
  else yield* inOrder(requested, request, { many, rowsFirst });
}

interface Requested {
  readonly engine: Engine;
  readonly options: SliceOptions;
  /** The page continues after this receipt. */
  readonly after: number | undefined;
}

/**
 * Conditions that some row of a root must meet, each one separately. The tenant comes first, so
 * that no root of another tenant is read even as a candidate; then the most selective.
 */
function rootConditions({ scope, query, id }: EvidenceRequest): readonly string[] {
  const own = scopeWords(scope).map((hash) => hasAnySql([hash]));
  const named = id === undefined ? [] : [hasAnySql(hashesOfId(id))];
  const words = rootWords(scope, query).map((hash) => hasAnySql([hash]));
  return [...new Set([...own, ...named, ...rareRows(query), ...words])];
}

/** Selective conditions on one row: an id, or two of the common words. */
function rareRows(query: EventQuery): readonly string[] {
  const words = rowWords(query);
  const isRare = words.length > 1 || (query.resource_ref ?? query.task_id) !== undefined;
  return isRare ? [words.map((hash) => hasAnySql([hash])).join(" AND ")] : [];
}

/** Roots that are read together, because their order by time is unknown. */
function* unplaced(roots: Iterable<string>): Generator<KnownRoot> {
  for (const root of roots) yield { root, first: 0, last: latestMicros };
}

/** The roots, among these or all, with a matching row; of many roots a part. */
async function rootsWith(
  { engine, options }: Requested,
  condition: string,
  among: ReadonlySet<string> | undefined,
): Promise<readonly string[]> {
  const own = among === undefined ? [] : [`root IN (${[...among].map(rootHash).join(", ")})`];
  const where = [condition, ...own, "events > 0"].join(" AND ");
  const sql = `SELECT DISTINCT root_trace_id FROM bundles WHERE ${where} LIMIT ${fewRoots}`;
  const answer = await engine.query(sql, {}, options.signal);
  const roots = (answer.columns.get("root_trace_id") ?? []) as readonly string[];
  return among === undefined ? roots : roots.filter((root) => among.has(root));
}

const rowSql = `SELECT root_trace_id, toFloat64(toUnixTimestamp64Micro(received_at)) AS last,
    toFloat64(toUnixTimestamp64Micro(first_received)) AS first, toFloat64(events) AS found
FROM bundles WHERE `;

/** Start of a page that continues after a receipt: a row spans one minute of receipts at most. */
function startOf({ after }: Requested): readonly string[] {
  if (after === undefined) return [];
  return [
    `first_received <= ${timeSql(after)}`,
    `received_at <= ${timeSql(after + spanMicrosMax)}`,
  ];
}

async function* lookedUp(
  requested: Requested,
  request: EvidenceRequest,
  names: readonly string[],
): AsyncGenerator<KnownRoot> {
  const bind = bindings();
  const where = [...startOf(requested), ...rowConditions(request, bind)];
  const roots: KnownRoot[] = [];
  for (let from = 0; from < names.length; from += rootsPerLookup) {
    const some = ofRootsSql(names.slice(from, from + rootsPerLookup));
    const rows = await rowsOf(requested, [some, ...where].join(" AND "), bind);
    for (const row of rows) roots.push(row);
  }
  yield* newestOfEach(roots, new Set());
}

/** Each root once, at its newest row, newest first. */
function newestOfEach(rows: readonly KnownRoot[], met: Set<string>): readonly KnownRoot[] {
  return rows
    .toSorted((a, b) => b.last - a.last)
    .filter(({ root }) => !met.has(root) && met.add(root));
}

interface InOrder {
  readonly many: readonly string[];
  readonly rowsFirst: number;
}

async function* inOrder(
  requested: Requested,
  request: EvidenceRequest,
  { many, rowsFirst }: InOrder,
): AsyncGenerator<KnownRoot> {
  const bind = bindings();
  const where = [
    ...startOf(requested),
    ...rowConditions(request, bind),
    ...many.map((condition) => `root IN (SELECT root FROM bundles WHERE ${condition})`),
  ];
  const met = new Set<string>();
  /** Rows of this second and later ones have been read. */
  let reached: number | undefined;
  for (let wanted = rowsFirst; ; wanted = Math.min(wanted * 2, rowsMax)) {
    requested.options.signal?.throwIfAborted();
    const below = reached === undefined ? [] : [`received_at < ${secondSql(reached)}`];
    const found = await rowsOf(
      requested,
      `${[...below, ...where].join(" AND ")}
ORDER BY toDateTime(received_at) DESC LIMIT ${wanted}`,
      bind,
    );
    const ended = found.length < wanted;
    const oldest = Math.min(...found.map(({ last }) => secondOf(last)));
    let whole = ended ? found : found.filter(({ last }) => secondOf(last) > oldest);
    if (!ended && whole.length === 0) {
      const second = [`received_at >= ${secondSql(oldest)}`];
      const until = [`received_at < ${secondSql(oldest + 1)}`];
      whole = await rowsOf(requested, [...second, ...until, ...where].join(" AND "), bind);
      reached = oldest;
    } else reached = oldest + 1;
    yield* newestOfEach(whole, met);
    if (ended) return;
  }
}

/**
 * A second as a constant of the column's own type. For `received_at < toDateTime(n)` the engine
 * prunes parts by `<= n - 1` and misses rows within the second before.
 */
function secondSql(second: number): string {
  return timeSql(second * 1_000_000);
}

function secondOf(micros: number): number {
  return Math.floor(micros / 1_000_000);
}

async function rowsOf(
  { engine, options }: Requested,
  where: string,
  bind: ClickHouseBindings,
): Promise<readonly KnownRoot[]> {
  const answer = await engine.query(`${rowSql}${where}`, bind.parameters, options.signal);
  const column = (name: string): readonly unknown[] => answer.columns.get(name) ?? [];
  const [lasts, firsts, found] = [column("last"), column("first"), column("found")];
  return column("root_trace_id").map((root, at) => ({
    root: String(root),
    first: Number(firsts[at]),
    last: Number(lasts[at]),
    found: Number(found[at]),
  }));
}

/** A row is left out when none of its events has the requested time. */
function rangeSql(query: EventQuery): readonly string[] {
  const { since, until } = rangeBounds(query);
  return [
    ...(since === undefined ? [] : [`own_to >= ${since}`]),
    ...(until === undefined ? [] : [`own_from <= ${until}`]),
  ];
}

/** The last microsecond that a number expresses exactly; the column's range is larger. */
const latestMicros = Number.MAX_SAFE_INTEGER;

function timeSql(micros: number): string {
  return `fromUnixTimestamp64Micro(${Math.min(micros, latestMicros)})`;
}

/** Conditions that a single row decides. */
function rowConditions({ query }: EvidenceRequest, bind: ClickHouseBindings): readonly string[] {
  const clauses = ["events > 0"];
  if (query.root_trace_id !== undefined) {
    clauses.push(`root_trace_id = ${bind.text(query.root_trace_id)}`);
  }
  for (const hash of rowWords(query)) clauses.push(hasAnySql([hash]));
  return [...clauses, ...rangeSql(query)];
}
