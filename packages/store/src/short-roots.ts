/**
 * @module ShortRoots: roots that have fewer events than their turns rest on, page by page of turns;
 * for providers whose history is not large.
 */
import type { EvidenceStore, ShortRoots } from "./evidence-store.ts";
import type { TurnPosition } from "./ledger/turn-query.ts";
import type { TurnRecord } from "./ledger/turn-record.ts";
import type { EvidenceScope } from "./scope.ts";

/** Turns of one page. */
const pageTurns = 500;

/** The port's method, from what else the store has. */
export async function shortRootsOf(
  { ledger, standing }: Pick<EvidenceStore, "ledger" | "standing">,
  scope: EvidenceScope,
  after: string | null,
  signal?: AbortSignal,
): Promise<ShortRoots> {
  const question = { scope, where: [], ...(signal === undefined ? {} : { signal }) };
  const { records, next } = await ledger.listTurns(question, {
    order: { by: "first_received" },
    limit: pageTurns,
    ...(after === null ? {} : { after: JSON.parse(after) as TurnPosition }),
  });
  const needed = neededRows(records);
  const stands = needed.size === 0 ? undefined : await standing([...needed.keys()]);
  const short = [...needed].filter(([root, rows]) => rows > (stands?.get(root)?.rows ?? 0));
  return {
    roots: short.map(([root]) => root),
    turns: records.length,
    next: next === null ? null : JSON.stringify(next),
  };
}

/** How many events the turns of each root rest on. */
function neededRows(records: readonly TurnRecord[]): ReadonlyMap<string, number> {
  const needed = new Map<string, number>();
  for (const { row, version } of records) {
    const root = row.root_trace_id;
    if (root === undefined) continue;
    needed.set(root, Math.max(version.rows, needed.get(root) ?? 0));
  }
  return needed;
}
