/**
 * @module BundleFeed: the roots that a read may need, newest last receipt first. What an event says
 * itself is asked of its row; identity may be inherited, so it is asked of any row of the root.
 */
import { spanMicrosMax } from "../bundle/pack.ts";
import { hashesOfId } from "../bundle/words.ts";
import { rootWords, rowWords } from "../bundle/words.ts";
import type { SliceOptions } from "../evidence-store.ts";
import { positionOfKeyset } from "../position.ts";
import type { KnownRoot } from "../root-rounds.ts";
import type { Question } from "../search-condition.ts";
import { idsSql } from "./bundle-table.ts";
import type { Engine } from "./connection.ts";
import { bindings } from "./sql-text.ts";
import type { Bindings } from "./sql-text.ts";

const rowsFirst = 64;
const rowsMax = 16_384;

/** Roots with a row that passes, each once, where its newest such row stands. */
export async function* bundleFeed(
  engine: Engine,
  question: Question,
  options: SliceOptions,
): AsyncGenerator<KnownRoot> {
  const bind = bindings();
  const where = ["events > 0", ...conditions(question, bind)];
  const after = options.after === undefined ? undefined : positionOfKeyset(options.after).micros;
  if (after !== undefined) where.push(`first_received <= ${timeSql(after)}`);
  const met = new Set<string>();
  let until = after === undefined ? undefined : after + spanMicrosMax;
  for (let wanted = rowsFirst; ;) {
    options.signal?.throwIfAborted();
    const bound = until === undefined ? [] : [`received_at <= ${timeSql(until)}`];
    const answer = await engine.query(
      `SELECT root_trace_id, toFloat64(toUnixTimestamp64Micro(received_at)) AS last,
    toFloat64(toUnixTimestamp64Micro(first_received)) AS first
FROM bundles WHERE ${[...bound, ...where].join(" AND ")}
ORDER BY toDateTime(received_at) DESC, received_at DESC LIMIT ${wanted}`,
      bind.parameters,
      options.signal,
    );
    const column = (name: string): readonly unknown[] => answer.columns.get(name) ?? [];
    const [roots, lasts, firsts] = [column("root_trace_id"), column("last"), column("first")];
    for (const [at, one] of roots.entries()) {
      const root = String(one);
      if (met.has(root)) continue;
      met.add(root);
      yield { root, first: Number(firsts[at]), last: Number(lasts[at]) };
    }
    if (answer.rows < wanted) return;
    // Rows of one microsecond may be more than were asked for: then more are asked for.
    const reached = Number(lasts.at(-1));
    if (reached === until) wanted *= 2;
    else wanted = Math.min(wanted * 2, rowsMax);
    until = reached;
  }
}

function timeSql(micros: number): string {
  return `fromUnixTimestamp64Micro(${Math.min(micros, latestMicros)})`;
}

/** The last microsecond that the column holds. */
const latestMicros = 9_223_372_036_854_775;

function conditions({ scope, query, id, evidenceOnly }: Question, bind: Bindings): string[] {
  const said: string[] = [];
  if (query.root_trace_id !== undefined) {
    said.push(`root_trace_id = ${bind.text(query.root_trace_id)}`);
  }
  if (evidenceOnly === true) said.push("evidence");
  for (const hash of rowWords(query)) said.push(`hasAny(ids, ${idsSql([hash])})`);
  const ofRoot = rootWords(scope, query).map((hash) => [hash]);
  for (const any of id === undefined ? ofRoot : [...ofRoot, hashesOfId(id)]) {
    said.push(`root IN (SELECT root FROM bundles WHERE hasAny(ids, ${idsSql(any)}))`);
  }
  return said;
}
