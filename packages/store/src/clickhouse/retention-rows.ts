/**
 * @module RetentionRows: reads bundles by root for retention, and deletes them. Weeks in which
 * everything is past the longest age are dropped as whole partitions; the rest is deleted root by
 * root.
 */
import { groupBy } from "@turnproof/semconv";

import { retainEvidence } from "../evidence-retention.ts";
import type { KeyedRow, QuietRoot, RetentionRows } from "../evidence-retention.ts";
import type { WrittenRows } from "../operator-sweep.ts";
import { daysOf, microsBefore } from "../retention.ts";
import type {
  RetentionClass,
  RetentionOptions,
  RetentionPolicy,
  RetentionReport,
} from "../retention.ts";
import { rowsOfRoots } from "./bundle-reads.ts";
import { localTable, mutate, onCluster } from "./cluster-tables.ts";
import type { Engine, Tables } from "./engine.ts";
import { clickhouseOperatorRows } from "./operator-rows.ts";
import { raiseEpochs, rewriteRoots } from "./root-rewrite.ts";
import { standingOf } from "./root-counts.ts";
import { bindings } from "./sql-text.ts";
import { clickhouseTurns } from "./turn-ledger.ts";

/** Rows of one step: each step rewrites the parts with them. */
const rowsPerStep = 500_000;

/** Runs retention over the tables. @throws CodedError `parameter_invalid` for ages out of order */
export async function retainBundles(
  tables: Tables,
  options: RetentionOptions,
): Promise<RetentionReport> {
  const { engine } = tables;
  const { policy, now, dryRun = true, signal } = options;
  const weeks = await wholeWeeks(engine, microsBefore(now, longestDays(policy)));
  const counts: RowCounts[] = [];
  let dropped = 0;
  for (const week of weeks) {
    if (signal?.aborted === true) break;
    counts.push(await countWeek(engine, week));
    if (dryRun) continue;
    await dropWeek(tables, week);
    dropped += 1;
  }
  const rest = await retainEvidence(retentionRows(tables, dryRun ? weeks : []), {
    batchRows: rowsPerStep,
    ...options,
  });
  const sum = (name: RetentionClass, of: readonly RowCounts[]): number =>
    of.reduce((all, one) => all + (one[name] ?? 0), 0);
  return {
    ...rest,
    examined: rest.examined + counts.reduce((all, { roots = 0 }) => all + roots, 0),
    classes: rest.classes.map((one) => ({
      class: one.class,
      expired: one.expired + sum(one.class, counts),
      removed: one.removed + sum(one.class, counts.slice(0, dropped)),
    })),
    complete: rest.complete && counts.length === weeks.length,
  };
}

type RowCounts = Readonly<Partial<Record<RetentionClass | "roots", number>>>;

/** The longest age of any evidence. */
function longestDays(policy: RetentionPolicy): number {
  const tenants = [undefined, ...(policy.tenants?.keys() ?? [])];
  const ages = tenants.map((tenant) => daysOf(policy, tenant));
  return Math.max(...ages.flatMap(({ outcome, structure }) => [outcome, structure]));
}

/** Mondays of weeks of which every root had its last row before this time. */
async function wholeWeeks(engine: Engine, before: number): Promise<readonly string[]> {
  const cut = `fromUnixTimestamp64Micro(toInt64(${Math.floor(before)}))`;
  const younger = `SELECT root_trace_id FROM bundles WHERE received_at >= ${cut}`;
  const answer = await engine.query(
    `SELECT toString(toMonday(received_at)) AS week FROM bundles GROUP BY week
HAVING max(received_at) < ${cut} AND countIf(events > 0 AND root_trace_id IN (${younger})) = 0
ORDER BY week`,
  );
  return (answer.columns.get("week") ?? []) as readonly string[];
}

function inWeek(week: string): string {
  return `toMonday(received_at) = toDate('${week}')`;
}

async function countWeek(engine: Engine, week: string): Promise<RowCounts> {
  const evidence = `SELECT root_trace_id FROM bundles WHERE ${inWeek(week)} AND evidence`;
  const answer = await engine.query(
    `SELECT toFloat64(uniqExact(root_trace_id)) AS roots,
    toFloat64(countIf(NOT stated)) AS structure,
    toFloat64(countIf(stated AND sure)) AS outcome,
    toFloat64(countIf(stated AND NOT sure)) AS metadata
FROM (SELECT root_trace_id, root_trace_id IN (${evidence}) AS stated,
    event_kind IN ('outcome', 'feedback') AND ifNull(verified, false) AS sure
    FROM events WHERE ${inWeek(week)})`,
  );
  const names = ["roots", "structure", "outcome", "metadata"] as const;
  return Object.fromEntries(
    names.map((name) => [name, Number(answer.columns.get(name)?.[0] ?? 0)]),
  );
}

async function dropWeek(tables: Tables, week: string): Promise<void> {
  const { engine, cluster } = tables;
  const bundles = localTable("bundles", cluster);
  const rootsOf = (table: string): string =>
    `SELECT root_trace_id FROM ${table} WHERE ${inWeek(week)} AND events > 0`;
  await raiseEpochs(engine, rootsOf("bundles"));
  // All rows of a root are on one shard, so each shard decides for itself.
  await mutate(tables, "turn_ledger", `root_trace_id IN (${rootsOf(bundles)})`);
  await engine.command(`ALTER TABLE ${bundles}${onCluster(cluster)} DROP PARTITION '${week}'`);
}

/** Roots of one statement of the walk, and of one that reads their rows. */
const pageRoots = 20_000;
const rootsAtOnce = 256;

/**
 * The rows of these tables, except weeks that are dropped whole. A row is identified by its
 * position.
 */
function retentionRows(tables: Tables, weeks: readonly string[]): RetentionRows<number> {
  const { engine } = tables;
  const own = ["events > 0", ...weeks.map((week) => `NOT (${inWeek(week)})`)].join(" AND ");
  let loaded: ReadonlyMap<string, readonly KeyedRow<number>[]> = new Map();
  const load = async (roots: readonly string[]): Promise<void> => {
    const rows = (await rowsOfRoots(engine, roots)).map((row, key) => ({ key, row }));
    loaded = groupBy(rows, ({ row }) => row.root_trace_id ?? "");
  };
  return {
    async countQuiet(before) {
      const answer = await engine.query(
        `SELECT toFloat64(count()) AS n FROM (${quietSql(own, before)})`,
      );
      return Number(answer.columns.get("n")?.[0] ?? 0);
    },
    async *quiet(before) {
      for await (const page of quietPages(engine, own, before)) {
        for (let from = 0; from < page.length; from += rootsAtOnce) {
          const some = page.slice(from, from + rootsAtOnce);
          await load(some.map(({ root }) => root));
          yield* some;
        }
      }
    },
    load: async (root) => loaded.get(root) ?? [],
    remove: (removals) => rewriteRoots(tables, removals),
    written: writtenRows(tables),
  };
}

/** What operators wrote, with what shows whether a noted turn still exists. */
export function writtenRows(tables: Tables): WrittenRows {
  return {
    archive: clickhouseOperatorRows(tables),
    standing: (roots) => standingOf(tables.engine, roots),
    turnsOf: (roots) => clickhouseTurns(tables).turnsOf(roots),
  };
}

function quietSql(own: string, before: number): string {
  return `SELECT root_trace_id, toFloat64(max(toUnixTimestamp64Micro(received_at))) AS last
FROM bundles WHERE ${own} GROUP BY root_trace_id HAVING last < ${Math.floor(before)}`;
}

async function* quietPages(
  engine: Engine,
  own: string,
  before: number,
): AsyncGenerator<readonly QuietRoot[]> {
  let after: QuietRoot = { root: "", last: -1 };
  for (;;) {
    const bind = bindings();
    const answer = await engine.query(
      `SELECT root_trace_id, last FROM (${quietSql(own, before)})
WHERE (last, root_trace_id) > (${after.last}, ${bind.text(after.root)})
ORDER BY last, root_trace_id LIMIT ${pageRoots}`,
      bind.parameters,
    );
    const lasts = answer.columns.get("last") ?? [];
    const names = (answer.columns.get("root_trace_id") ?? []) as readonly string[];
    const page = names.map((root, at) => ({ root, last: Number(lasts[at]) }));
    yield page;
    const end = page.at(-1);
    if (end === undefined || page.length < pageRoots) return;
    after = end;
  }
}
