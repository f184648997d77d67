/**
 * @module OperatorSweep: deletes what operators wrote about evidence that is gone: notes on turns
 * that retention or a deletion removed, and everything of a deleted user.
 */
import type { EvidenceStore } from "./evidence-store.ts";
import { tenantText } from "./ledger/turn-fields.ts";
import type { TurnLedger } from "./ledger/turn-query.ts";
import { concerns } from "./operator-rows.ts";
import type { OperatorArchive, OperatorRow } from "./operator-rows.ts";

/** Rows of a provider, and what shows whether a noted turn still exists. */
export interface WrittenRows {
  readonly archive: OperatorArchive;
  readonly standing: EvidenceStore["standing"];
  readonly turnsOf: TurnLedger["turnsOf"];
}

const pageRows = 500;

/** Deletes notes on turns that no longer exist, and what remains of deleted rows. */
export async function sweepNotes(written: WrittenRows): Promise<void> {
  const { archive } = written;
  for await (const rows of pagesOf(archive)) {
    const emptied = rows.filter(({ value }) => value === "");
    const notes = rows.filter(({ kind, value }) => kind === "note" && value !== "");
    const lost = [...emptied, ...(await withoutTurn(notes, written))];
    if (lost.length > 0) await archive.forget(lost.map(({ id }) => id));
  }
}

async function withoutTurn(
  notes: readonly OperatorRow[],
  { standing, turnsOf }: WrittenRows,
): Promise<readonly OperatorRow[]> {
  const roots = [...new Set(notes.map(({ place }) => place))];
  if (roots.length === 0) return [];
  const [known, held] = await Promise.all([standing(roots), turnsOf(roots)]);
  const keys = new Set(held.map(({ key }) => key));
  return notes.filter(({ place, subject }) => {
    const { rows = 0, epoch = 0 } = known.get(place) ?? {};
    // Turns of a root without deletions can be missing for a while, as during a backfill.
    return rows === 0 || (epoch > 0 && !keys.has(subject));
  });
}

/**
 * Deletes, or counts, the rows of a user: those of the user's tenant, and views of others whose
 * filters name the user.
 */
export async function eraseWritten(
  archive: OperatorArchive,
  userId: string,
  dryRun: boolean,
): Promise<number> {
  const tenant = tenantText(userId);
  let found = 0;
  for await (const rows of pagesOf(archive)) {
    const own = rows.filter((row) => concerns(row, tenant));
    found += own.filter(({ value }) => value !== "").length;
    if (!dryRun && own.length > 0) await archive.forget(own.map(({ id }) => id));
  }
  return found;
}

async function* pagesOf(archive: OperatorArchive): AsyncGenerator<readonly OperatorRow[]> {
  for (let after = ""; ;) {
    const rows = await archive.after(after, pageRows);
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageRows) return;
    after = last.id;
  }
}
