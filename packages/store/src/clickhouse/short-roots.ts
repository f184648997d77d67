/**
 * @module ShortRoots: roots that have fewer events than their turns rest on. Both tables are read
 * once for each slice of the roots, without records and bodies, so that it takes as long as a few
 * counts and the memory of a slice.
 */
import type { ShortRoots } from "../evidence-store.ts";
import type { TurnQuery } from "../ledger/turn-query.ts";
import type { EvidenceScope } from "../scope.ts";
import type { Engine } from "./engine.ts";
import { bindings } from "./sql-text.ts";
import { whereOf } from "./turn-where.ts";

/** Turns of a slice: some 20 MB while it is read. */
const sliceTurns = 100_000;

/** `after` is the slice's number and the number of slices. */
export async function shortRoots(
  engine: Engine,
  scope: EvidenceScope,
  after: string | null,
  signal?: AbortSignal,
): Promise<ShortRoots> {
  const query: TurnQuery = { scope, where: [] };
  const [slice = 0, slices = 1] =
    after === null ? [0, await slicesOf(engine, query, signal)] : after.split("/").map(Number);
  const bind = bindings();
  const own = `cityHash64(root_trace_id) % ${slices} = ${slice}`;
  // A batch that was sent again is counted once here or twice; its bodies decide, which are not
  // read. What is counted once is never more than is stored, so that no root is missed.
  const answer = await engine.query(
    `SELECT toFloat64(sum(turns)) AS turns,
  groupArrayIf(root_trace_id, needed > stored AND root_trace_id != '') AS roots
FROM (SELECT root_trace_id, sum(turns) AS turns, max(needed) AS needed, sum(stored) AS stored
  FROM (SELECT root_trace_id, count() AS turns,
      max(bitAnd(bitShiftRight(version, 1), 0x7fffffff)) AS needed, 0 AS stored
    FROM turn_ledger FINAL WHERE ${own} AND (${whereOf(query, bind)}) GROUP BY root_trace_id
    UNION ALL SELECT root_trace_id, 0, 0, sum(events)
    FROM (SELECT DISTINCT root_trace_id, batch, events, received_at FROM bundles
      WHERE ${own} AND events > 0)
    GROUP BY root_trace_id)
  GROUP BY root_trace_id)`,
    bind.parameters,
    signal,
  );
  const value = (name: string): unknown => answer.columns.get(name)?.[0];
  const isLast = slice + 1 >= slices;
  return {
    roots: (value("roots") ?? []) as readonly string[],
    turns: Number(value("turns") ?? 0),
    next: isLast ? null : `${slice + 1}/${slices}`,
  };
}

async function slicesOf(engine: Engine, query: TurnQuery, signal?: AbortSignal): Promise<number> {
  const bind = bindings();
  const answer = await engine.query(
    `SELECT toFloat64(count()) AS turns FROM turn_ledger WHERE ${whereOf(query, bind)}`,
    bind.parameters,
    signal,
  );
  return Math.max(1, Math.ceil(Number(answer.columns.get("turns")?.[0] ?? 0) / sliceTurns));
}
