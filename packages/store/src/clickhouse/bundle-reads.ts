/** @module BundleReads: request reads over bundles in ClickHouse. */
import { limits } from "@turnproof/semconv";

import { rootRows } from "../bundle/root-rows.ts";
import type { RootRowsOptions } from "../bundle/root-rows.ts";
import { paced } from "../paced.ts";
import { firstRound, rootRounds } from "../root-rounds.ts";
import { scopedReads } from "../scoped-reads.ts";
import type { Reads } from "../scoped-reads.ts";
import { settle } from "../settle.ts";
import type { Settled } from "../settle.ts";
import type { StoredEvent } from "../stored-event.ts";
import { bundleFeed } from "./bundle-feed.ts";
import { ofRootsSql } from "./bundle-table.ts";
import type { Engine } from "./engine.ts";
import { inRuns } from "./sql-text.ts";

const rowsMax = limits.rootEventsMax;

/**
 * The reads over an engine that has its tables. `open` throws once the store is closed; while
 * `pending` is true rows of an older version are elsewhere, and no answer is complete.
 */
export function bundleReads(engine: Engine, open: () => void, pending: () => boolean): Reads {
  return scopedReads({
    async *rounds(query, options, cut) {
      open();
      if (pending()) cut();
      const first = firstRound(query, options.limit);
      yield* rootRounds(
        bundleFeed(engine, query, options, first.rootsFirst * 3),
        async (some) => {
          const roots = some.map(({ root }) => root);
          const events: Settled[] = [];
          const read = eachRoot(engine, roots, {
            rowsMax,
            cut,
            ...(options.signal === undefined ? {} : { signal: options.signal }),
          });
          // Root by root, so that the rows as recorded are garbage while they are young.
          for await (const rows of read) for (const one of settle(rows)) events.push(one);
          return events;
        },
        { ...options, ...first },
      );
    },
    async rows(roots, cut, most) {
      open();
      if (pending()) cut();
      return rowsOfRoots(engine, roots, { rowsMax: most, cut });
    },
  });
}

/** Roots of one statement: an index lookup costs a tenth of a millisecond each. */
const rootsPerStatement = 256;

/** How much of a root is read; by default everything. */
export interface RowsOptions extends RootRowsOptions {
  readonly signal?: AbortSignal;
}

/**
 * All rows of these roots, root by root in the order of receipt.
 *
 * @throws CodedError `bundle_invalid` for an unreadable body, where `cut` is absent
 */
export async function rowsOfRoots(
  engine: Engine,
  roots: readonly string[],
  options: RowsOptions = {},
): Promise<readonly StoredEvent[]> {
  const all: StoredEvent[] = [];
  for await (const rows of eachRoot(engine, roots, options)) for (const row of rows) all.push(row);
  return all;
}

/** The same, the rows of one root at a time; roots are in the order given. */
async function* eachRoot(
  engine: Engine,
  roots: readonly string[],
  { rowsMax = Infinity, cut, signal }: RowsOptions,
): AsyncGenerator<readonly StoredEvent[]> {
  const pass = paced();
  const runs = [...inRuns(roots, rootsPerStatement)];
  const request = (run: readonly string[] | undefined): Promise<QueryColumns> | undefined => {
    const answer = run && bodiesOf(engine, run, signal);
    // A failure is thrown where the answer is used, which may be after a failure before it.
    answer?.catch(() => {});
    return answer;
  };
  let next = request(runs[0]);
  for (const [index, some] of runs.entries()) {
    const answer = await next;
    // The engine reads the next bodies while these are decoded.
    next = request(runs[index + 1]);
    const bodies = bodiesByRoot(answer);
    // Another root may share the hash. Filtering it in the statement costs more than reading it.
    for (const root of new Set(some)) {
      await pass();
      const rows = rootRows({ rowsMax, cut });
      for (const body of bodies.get(root) ?? []) rows.add(root, body);
      yield rows.events;
    }
  }
}

function bodiesByRoot(columns: QueryColumns | undefined): ReadonlyMap<string, readonly string[]> {
  const names = (columns?.get("root_trace_id") ?? []) as readonly string[];
  const bodies = (columns?.get("body") ?? []) as readonly string[];
  const byRoot = new Map<string, string[]>();
  for (const [at, root] of names.entries()) {
    const body = bodies[at] ?? "";
    const held = byRoot.get(root);
    if (held === undefined) byRoot.set(root, [body]);
    else held.push(body);
  }
  return byRoot;
}

type QueryColumns = Awaited<ReturnType<Engine["query"]>>["columns"];

async function bodiesOf(
  engine: Engine,
  roots: readonly string[],
  signal: AbortSignal | undefined,
): Promise<QueryColumns> {
  const { columns } = await engine.query(
    `SELECT root_trace_id, body FROM bundles
WHERE ${ofRootsSql(roots)} AND events > 0
ORDER BY root_trace_id, received_at, batch`,
    {},
    signal,
  );
  return columns;
}
