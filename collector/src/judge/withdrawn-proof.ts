/**
 * @module WithdrawnProof: verdicts that rest on evidence which is gone or cannot be decoded: a
 * success becomes `partial`, and a contract that holds not established.
 */
import type { EvidenceStore, HeldTurn, TurnRecord } from "@turnproof/store";

import { collectorScope } from "../access/grants.ts";
import { hasHolds, shownNames } from "../backend/unproven-contracts.ts";

/** Most turns of one root whose verdict is withdrawn. */
const turnsOfRootMax = 10_000;

/**
 * Success that rests on rows which cannot be decoded becomes `partial`, and a contract that holds
 * not established.
 */
export async function withdrawDamaged(
  store: Pick<EvidenceStore, "ledger">,
  roots: readonly string[],
): Promise<void> {
  const turns = await store.ledger.turnsOf(roots);
  for await (const resting of provenOn(store, turns, new Set(roots))) {
    await withdrawProof(store, resting);
  }
}

/** Those of these turns that are a success or hold by a contract, root by root. */
export async function* provenOn(
  store: Pick<EvidenceStore, "ledger">,
  turns: readonly HeldTurn[],
  roots: ReadonlySet<string>,
): AsyncGenerator<readonly TurnRecord[]> {
  const versions = new Map(turns.map(({ key, version }) => [key, version.rows]));
  for (const root of roots) {
    const { records } = await store.ledger.listTurns(
      { scope: collectorScope(), where: [{ text: "root_trace_id", is: root }] },
      { order: { by: "first_received" }, limit: turnsOfRootMax },
    );
    const resting = records.filter(
      (record) =>
        versions.get(record.key) === record.version.rows &&
        (record.row.verdict === "success" || hasHolds(record)),
    );
    if (resting.length > 0) yield resting;
  }
}

/**
 * The judge cannot judge these turns again: a version that rests on fewer rows never replaces one
 * that rests on more. So the same version is written with another verdict.
 */
export async function withdrawProof(
  { ledger }: Pick<EvidenceStore, "ledger">,
  resting: readonly TurnRecord[],
): Promise<void> {
  await ledger.putTurns(
    resting.map((record) => {
      const { row } = record;
      const verdict = row.verdict === "success" ? "partial" : row.verdict;
      return { ...record, row: { ...row, verdict }, names: shownNames(record) };
    }),
  );
}
