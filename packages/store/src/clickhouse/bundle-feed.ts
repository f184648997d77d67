/**
 * @module BundleFeed: the roots that a read may need, newest last receipt first. What an event says
 * itself is asked of its row; identity may be inherited, so it is asked of any row of the root. A
 * few roots are found by the index of words; many are met as the table's key orders them, whole
 * seconds at a time.
 */
import type { EventQuery } from "@turnproof/evidence";

import { spanMicrosMax } from "../bundle/pack.ts";
import { hashesOfId, rootWords, rowWords, scopeWords } from "../bundle/words.ts";
import type { SliceOptions } from "../evidence-store.ts";
import { positionOfKeyset } from "../position.ts";
import type { KnownRoot } from "../root-rounds.ts";
import type { Question } from "../evidence-question.ts";
import { hasAnySql, ofRootsSql, rootHash } from "./bundle-table.ts";
import type { Engine } from "./connection.ts";
import { bindings } from "./sql-text.ts";
import type { Bindings } from "./sql-text.ts";

/** Roots that are read at once: to ask first where they stand costs more than to read them. */
const readAtOnce = 64;
/** Roots that are looked up one by one; more of them are met in the order of the table. */
const fewRoots = 2_000;
const rootsPerLookup = 256;
const rowsMax = 16_384;

/** Roots with a row that passes, each once, where its newest such row stands. */
export async function* bundleFeed(
  engine: Engine,
  question: Question,
  options: SliceOptions,
  rowsFirst: number,
): AsyncGenerator<KnownRoot> {
  const after = options.after === undefined ? undefined : positionOfKeyset(options.after).micros;
  const asked = { engine, options, after };
  let few: ReadonlySet<string> | undefined;
  const many: string[] = [];
  for (const condition of rootConditions(question)) {
    // Found roots are candidates, so what remains of the conditions only saves reading them.
    if (few !== undefined && few.size <= readAtOnce) break;
    const roots = await rootsWith(asked, condition, few);
    if (roots.length < fewRoots) few = new Set(roots);
    else many.push(condition);
  }
  if (few !== undefined && few.size <= readAtOnce) yield* unplaced(few);
  else if (few !== undefined) yield* lookedUp(asked, question, [...few]);
  else yield* inOrder(asked, question, { many, rowsFirst });
}

interface Asked {
  readonly engine: Engine;
  readonly options: SliceOptions;
  /** The page goes on after this receipt. */
  readonly after: number | undefined;
}

/**
 * What a root must have in some row, each condition for itself. The tenant comes first, so that no
 * root of another one is read even as a candidate; then the rarest.
 */
function rootConditions({ scope, query, id }: Question): readonly string[] {
  const own = scopeWords(scope).map((hash) => hasAnySql([hash]));
  const named = id === undefined ? [] : [hasAnySql(hashesOfId(id))];
  const words = rootWords(scope, query).map((hash) => hasAnySql([hash]));
  return [...new Set([...own, ...named, ...rareRows(query), ...words])];
}

/** What one row says, where few rows say it: an id, or two of the words that many have. */
function rareRows(query: EventQuery): readonly string[] {
  const words = rowWords(query);
  const isRare = words.length > 1 || (query.resource_ref ?? query.task_id) !== undefined;
  return isRare ? [words.map((hash) => hasAnySql([hash])).join(" AND ")] : [];
}

/** Roots that are read together, as none of them is known to be newer than another. */
function* unplaced(roots: Iterable<string>): Generator<KnownRoot> {
  for (const root of roots) yield { root, first: 0, last: latestMicros };
}

/** The roots, of these or of all, with a row that passes; of many some of them. */
async function rootsWith(
  { engine, options }: Asked,
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
    toFloat64(toUnixTimestamp64Micro(first_received)) AS first
FROM bundles WHERE `;

/** Where a page starts that goes on after a receipt: a row holds receipts of one minute at most. */
function startOf({ after }: Asked): readonly string[] {
  if (after === undefined) return [];
  return [
    `first_received <= ${timeSql(after)}`,
    `received_at <= ${timeSql(after + spanMicrosMax)}`,
  ];
}

async function* lookedUp(
  asked: Asked,
  question: Question,
  names: readonly string[],
): AsyncGenerator<KnownRoot> {
  const bind = bindings();
  const where = [...startOf(asked), ...rowConditions(question, bind)];
  const roots: KnownRoot[] = [];
  for (let from = 0; from < names.length; from += rootsPerLookup) {
    const some = ofRootsSql(names.slice(from, from + rootsPerLookup));
    const rows = await rowsOf(asked, [some, ...where].join(" AND "), bind);
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
  asked: Asked,
  question: Question,
  { many, rowsFirst }: InOrder,
): AsyncGenerator<KnownRoot> {
  const bind = bindings();
  const where = [
    ...startOf(asked),
    ...rowConditions(question, bind),
    ...many.map((condition) => `root IN (SELECT root FROM bundles WHERE ${condition})`),
  ];
  const met = new Set<string>();
  /** Rows of this second and later ones were met. */
  let reached: number | undefined;
  for (let wanted = rowsFirst; ; wanted = Math.min(wanted * 2, rowsMax)) {
    asked.options.signal?.throwIfAborted();
    const below = reached === undefined ? [] : [`received_at < ${secondSql(reached)}`];
    const found = await rowsOf(
      asked,
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
      whole = await rowsOf(asked, [...second, ...until, ...where].join(" AND "), bind);
      reached = oldest;
    } else reached = oldest + 1;
    yield* newestOfEach(whole, met);
    if (ended) return;
  }
}

/**
 * A second as a constant of the column's own type. Of `received_at < toDateTime(n)` the engine makes
 * `<= n - 1` when it prunes parts, and leaves out rows within the second before.
 */
function secondSql(second: number): string {
  return timeSql(second * 1_000_000);
}

function secondOf(micros: number): number {
  return Math.floor(micros / 1_000_000);
}

async function rowsOf(
  { engine, options }: Asked,
  where: string,
  bind: Bindings,
): Promise<readonly KnownRoot[]> {
  const answer = await engine.query(`${rowSql}${where}`, bind.parameters, options.signal);
  const column = (name: string): readonly unknown[] => answer.columns.get(name) ?? [];
  const [lasts, firsts] = [column("last"), column("first")];
  return column("root_trace_id").map((root, at) => ({
    root: String(root),
    first: Number(firsts[at]),
    last: Number(lasts[at]),
  }));
}

/** The last microsecond that a number holds exactly; the column holds later ones. */
const latestMicros = Number.MAX_SAFE_INTEGER;

function timeSql(micros: number): string {
  return `fromUnixTimestamp64Micro(${Math.min(micros, latestMicros)})`;
}

/** What one row decides alone. */
function rowConditions({ query, evidenceOnly }: Question, bind: Bindings): readonly string[] {
  const said = ["events > 0"];
  if (query.root_trace_id !== undefined) {
    said.push(`root_trace_id = ${bind.text(query.root_trace_id)}`);
  }
  if (evidenceOnly === true) said.push("evidence");
  for (const hash of rowWords(query)) said.push(hasAnySql([hash]));
  return said;
}
