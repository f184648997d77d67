/** @module TurnVerdicts: the verdicts on the turns of some roots, from the ledger. */
import { turnKey } from "@turnproof/evidence";
import type { EventQuery, TurnRow } from "@turnproof/evidence";
import type { NullableIdentity } from "@turnproof/semconv";
import type {
  EvidenceScope,
  TurnPosition,
  TurnQuery,
  TurnReader,
  TurnRecord,
} from "@turnproof/store";
import { compareTimes } from "@turnproof/semconv";

import { eventConditions } from "./turn-conditions.ts";

/** One turn of a found root; null where it was not judged since its last event. */
export interface FoundVerdict extends NullableIdentity<"turn_id"> {
  readonly verdict: string | null;
  readonly finding_codes: readonly string[];
}

/**
 * Most roots whose turns are looked up; further ones have their verdict on their own pages only.
 */
const rootsMax = 100;
/** Most turns of found roots that are read; a root of which some were not is not looked up. */
const turnsMax = 10_000;
/** Turns that are read at once. Each read goes through all turns of the roots. */
const pageTurns = 10_000;

/** The turns in scope by root, with their verdicts; a root that was not looked up is absent. */
export async function foundVerdicts(
  ledger: TurnReader,
  scope: EvidenceScope,
  roots: readonly string[],
): Promise<ReadonlyMap<string, readonly FoundVerdict[]>> {
  const requested = roots.filter((root) => root !== "").slice(0, rootsMax);
  if (requested.length === 0) return new Map();
  const query = ofRoots(scope, requested);
  const { records, whole } = await recordsOf(ledger, query, turnsMax);
  const byRoot = Map.groupBy(records, ({ row }) => row.root_trace_id ?? "");
  if (!whole) {
    const [facet] = await ledger.turnFacets(query, ["root_trace_id"], requested.length);
    for (const { value, turns } of facet?.values ?? []) {
      if (turns !== byRoot.get(value ?? "")?.length) byRoot.delete(value ?? "");
    }
  }
  return new Map([...byRoot].map(([root, own]) => [root, own.map(({ row }) => foundVerdict(row))]));
}

function foundVerdict({ turn_id, verdict, finding_codes }: TurnRow): FoundVerdict {
  return { turn_id: turn_id ?? null, verdict, finding_codes: finding_codes ?? [] };
}

/**
 * The rows of one root from its present events, with the verdicts that lists show. A success is
 * left out for a turn that has grown since.
 */
export async function withVerdicts(
  ledger: TurnReader,
  { scope, root }: { readonly scope: EvidenceScope; readonly root: string },
  rows: readonly TurnRow[],
): Promise<readonly TurnRow[]> {
  const { records } = await recordsOf(ledger, ofRoots(scope, [root]), Infinity);
  const byTurn = new Map(records.map((record) => [turnKey(record.row), record]));
  return rows.map((row) => {
    const record = byTurn.get(turnKey(row));
    if (record === undefined || record.row.verdict === null) return row;
    if (record.row.verdict === "success" && isOlder(record, row)) return row;
    const { verdict, finding_codes, insight_codes = [], verdict_reasons } = record.row;
    const reasons = verdict_reasons === undefined ? {} : { verdict_reasons };
    return { ...row, verdict, finding_codes, insight_codes, ...reasons };
  });
}

/**
 * The turns of one root as the ledger has them, over all of their events; in the order of their
 * start. For a page that did not read the whole root.
 */
export async function recordedTurns(
  ledger: TurnReader,
  { scope, root }: { readonly scope: EvidenceScope; readonly root: string },
  selected: EventQuery,
): Promise<readonly TurnRow[]> {
  const { where, ...query } = ofRoots(scope, [root]);
  const narrowed = { ...query, where: [...where, ...eventConditions(selected)] };
  const { records } = await recordsOf(ledger, narrowed, Infinity);
  return records.map(({ row }) => row).toSorted((a, b) => compareTimes(a.started_at, b.started_at));
}

function isOlder({ as_of: asOf }: TurnRecord, { received_at: received }: TurnRow): boolean {
  return asOf === null || (received !== null && compareTimes(asOf, received) < 0);
}

function ofRoots(scope: EvidenceScope, roots: readonly string[]): TurnQuery {
  return { scope, where: [{ any: roots.map((is) => ({ text: "root_trace_id", is })) }] };
}

/** The turns of a query, page by page; `whole` is false where `most` ended the reading. */
async function recordsOf(
  ledger: TurnReader,
  query: TurnQuery,
  most: number,
): Promise<{ readonly records: readonly TurnRecord[]; readonly whole: boolean }> {
  const records: TurnRecord[] = [];
  for (let after: TurnPosition | undefined; ;) {
    const page = await ledger.listTurns(query, {
      order: { by: "first_received" },
      limit: pageTurns,
      ...(after === undefined ? {} : { after }),
    });
    records.push(...page.records);
    if (page.next === null) return { records, whole: true };
    if (records.length >= most) return { records, whole: false };
    after = page.next;
  }
}
