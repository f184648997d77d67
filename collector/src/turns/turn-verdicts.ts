/** @module TurnVerdicts: the verdicts on the turns of some roots, from the ledger. */
import { compareTimes, turnKey } from "@turnproof/evidence";
import type { TurnRow } from "@turnproof/evidence";
import type { EvidenceScope, TurnReader, TurnRecord } from "@turnproof/store";

/** One turn of a found root; null where it was not judged since its last event. */
export interface FoundVerdict {
  readonly turn_id: string | null;
  readonly verdict: string | null;
  readonly finding_codes: readonly string[];
}

/**
 * Most roots whose turns are looked up; further ones have their verdict on their own pages only.
 */
const rootsMax = 100;
/** Most turns of these that are read. */
const turnsMax = 10_000;

/** The turns in scope by root, with their verdicts; a root that was not looked up is absent. */
export async function foundVerdicts(
  ledger: TurnReader,
  scope: EvidenceScope,
  roots: readonly string[],
): Promise<ReadonlyMap<string, readonly FoundVerdict[]>> {
  const asked = roots.filter((root) => root !== "").slice(0, rootsMax);
  const records = await recordsOf(ledger, scope, asked);
  const byRoot = Map.groupBy(records, ({ row }) => row.root_trace_id ?? "");
  return new Map([...byRoot].map(([root, own]) => [root, own.map(({ row }) => said(row))]));
}

function said({ turn_id, verdict, finding_codes }: TurnRow): FoundVerdict {
  return { turn_id: turn_id ?? null, verdict, finding_codes: finding_codes ?? [] };
}

/** The rows of one root from its present events, with the verdicts on exactly these. */
export async function withVerdicts(
  ledger: TurnReader,
  { scope, root }: { readonly scope: EvidenceScope; readonly root: string },
  rows: readonly TurnRow[],
): Promise<readonly TurnRow[]> {
  const records = await recordsOf(ledger, scope, [root]);
  const byTurn = new Map(records.map((record) => [turnKey(record.row), record]));
  return rows.map((row) => {
    const record = byTurn.get(turnKey(row));
    // A verdict based on less than the row has is outdated.
    if (record === undefined || record.row.verdict === null || isOlder(record, row)) return row;
    const { verdict, finding_codes, insight_codes = [] } = record.row;
    return { ...row, verdict, finding_codes, insight_codes };
  });
}

function isOlder({ as_of: asOf }: TurnRecord, { received_at: received }: TurnRow): boolean {
  return asOf === null || (received !== null && compareTimes(asOf, received) < 0);
}

async function recordsOf(
  ledger: TurnReader,
  scope: EvidenceScope,
  roots: readonly string[],
): Promise<readonly TurnRecord[]> {
  if (roots.length === 0) return [];
  const any = roots.map((is) => ({ text: "root_trace_id" as const, is }));
  const { records } = await ledger.listTurns(
    { scope, where: [{ any }] },
    { order: { by: "first_received" }, limit: turnsMax },
  );
  return records;
}
