/** @module BundleReads: request reads over bundles in ClickHouse. */
import type { EventQuery } from "@turnproof/evidence";
import { limits } from "@turnproof/semconv";

import { rootRows } from "../bundle/root-rows.ts";
import type { RootRowsOptions } from "../bundle/root-rows.ts";
import { paced } from "../paced.ts";
import { rootRounds } from "../root-rounds.ts";
import { scopedReads } from "../scoped-reads.ts";
import type { Reads } from "../scoped-reads.ts";
import { settle } from "../settle.ts";
import type { Question } from "../evidence-question.ts";
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
    async *rounds(question, options, cut) {
      open();
      if (pending()) cut();
      const first = firstRoots(question, options.limit);
      yield* rootRounds(
        bundleFeed(engine, question, options, first * 3),
        async (some) => {
          let damaged = false;
          const roots = some.map(({ root }) => root);
          const rows = await rowsOfRoots(engine, roots, {
            rowsMax,
            cut: () => (damaged = true),
            ...(options.signal === undefined ? {} : { signal: options.signal }),
          });
          return { events: settle(rows), cut: damaged };
        },
        { ...options, rootsFirst: first, eventsFirst: firstEvents(question, options.limit) },
        cut,
      );
    },
    async rows(roots, cut) {
      open();
      if (pending()) cut();
      return rowsOfRoots(engine, roots, { rowsMax, cut });
    },
  });
}

/** Roots that usually fill a page: each statement costs some milliseconds by itself. */
function firstRoots({ query }: Question, limit: number): number {
  return Math.max(8, Math.ceil((limit + 1) / (isNarrowed(query) ? 2 : 8)));
}

/**
 * Events that usually fill a page on which every event of a root is: a twentieth more, because
 * events before those of the round's last root wait for the next one.
 */
function firstEvents({ query, id }: Question, limit: number): number {
  return isNarrowed(query) || id !== undefined ? Infinity : Math.ceil(limit * 1.05) + 64;
}

function isNarrowed({ event_kind, status, tool_name, task_id }: EventQuery): boolean {
  return (event_kind ?? status ?? tool_name ?? task_id) !== undefined;
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
  { rowsMax = Infinity, cut, signal }: RowsOptions = {},
): Promise<readonly StoredEvent[]> {
  const rows = rootRows({ rowsMax, cut });
  const pass = paced();
  for (const some of inRuns(roots, rootsPerStatement)) {
    const answer = await engine.query(
      `SELECT root_trace_id, body FROM bundles
WHERE ${ofRootsSql(some)} AND events > 0
ORDER BY root_trace_id, received_at, batch`,
      {},
      signal,
    );
    const names = (answer.columns.get("root_trace_id") ?? []) as readonly string[];
    const bodies = (answer.columns.get("body") ?? []) as readonly string[];
    // Another root may share the hash. Filtering it in the statement costs more than reading it.
    const wanted = new Set(some);
    for (const [at, root] of names.entries()) {
      await pass();
      if (wanted.has(root)) rows.add(root, bodies[at] ?? "");
    }
  }
  return rows.events;
}
