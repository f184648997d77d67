/**
 * @module EvidenceCheck: compares each turn of the ledger with the evidence that it rests on. A
 * turn holds how many rows of its root were stored when it was judged; fewer without a deletion
 * mean that evidence is gone, such as by a lost part or a folder that was removed.
 */
import { setTimeout as sleep } from "node:timers/promises";

import { CodedError } from "@turnproof/semconv";
import type { EvidenceStore, TurnPlace, TurnRecord } from "@turnproof/store";

import { collectorScope } from "../access/grants.ts";
import type { Parts } from "../parts.ts";
import type { MissingEvidence } from "../receive/ingest.ts";

/** How the comparison is paced; times in milliseconds. */
interface CheckOptions {
  readonly signal: AbortSignal;
  /** Pause between two pages. */
  readonly pauseMs?: number;
  /** True where the ledger may be written: a success that rests on a gap becomes `partial`. */
  readonly withdraw?: boolean;
  /** After how long a root is looked at again before it is reported; default 2 s. */
  readonly againMs?: number;
}

/** Turns of one page. */
const pageTurns = 500;
/** Most roots that are named; those beyond are counted. */
const namedMax = 10_000;

type Ledgered = Pick<EvidenceStore, "ledger" | "standing">;

/** How long to wait before a store that does not answer is compared again. */
const compareAgainMs = 30_000;

/** Compares once, when the store answers; `withdraw` as in the options. */
export async function watchEvidence(
  { closing: signal, ingest, log }: Pick<Parts, "closing" | "ingest" | "log">,
  store: Ledgered,
  withdraw: boolean,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const missing = await compareEvidence(store, { signal, withdraw });
      ingest.noteMissing(missing);
      const { roots_missing: roots, rows_missing: rows } = missing;
      if (roots > 0) log.error("evidence_missing", { roots, rows });
      return;
    } catch (error) {
      if (signal.aborted) return;
      const code = CodedError.is(error) ? error.code : "internal_error";
      log.warn("evidence_not_compared", { code });
      if (!CodedError.is(error) || error.retryable !== true) return;
      // The wait ends when the collector closes.
      await sleep(compareAgainMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }
}

/** Compares all turns. @throws CodedError of the store, and the signal's reason */
async function compareEvidence(
  store: Ledgered,
  { signal, pauseMs = 20, againMs = 2_000, withdraw = false }: CheckOptions,
): Promise<MissingEvidence> {
  const missing = new Map<string, number>();
  const question = { scope: collectorScope(), where: [], signal };
  let turns = 0;
  let after: TurnPlace | null = null;
  do {
    const place: { after?: TurnPlace } = after === null ? {} : { after };
    const page: Awaited<ReturnType<Ledgered["ledger"]["listTurns"]>> = await store.ledger.listTurns(
      question,
      {
        order: { by: "first_received" },
        limit: pageTurns,
        ...place,
      },
    );
    turns += page.records.length;
    const suspected = await gapsOf(store, page.records);
    if (suspected.size > 0) {
      // Rows and turns are not read in one moment: what is being deleted is not gone.
      await sleep(againMs, undefined, { signal });
      const held = await store.ledger.turnsOf([...suspected.keys()]);
      const still = new Set(held.map(({ key, version }) => `${key} ${version.rows}`));
      const records = page.records.filter(({ key, version }) =>
        still.has(`${key} ${version.rows}`),
      );
      const gaps = await gapsOf(store, records);
      for (const [root, rows] of gaps) missing.set(root, Math.max(rows, missing.get(root) ?? 0));
      if (withdraw) await withdrawSuccess(store, records, gaps);
    }
    after = page.next;
    if (after !== null) await sleep(pauseMs, undefined, { signal });
  } while (after !== null);
  return {
    turns,
    roots_missing: missing.size,
    rows_missing: [...missing.values()].reduce((sum, rows) => sum + rows, 0),
    roots: [...missing.keys()].slice(0, namedMax),
  };
}

/**
 * The judge cannot judge these turns again: a version that rests on fewer rows never replaces one
 * that rests on more. So the same version is written with another verdict.
 */
async function withdrawSuccess(
  store: Ledgered,
  records: readonly TurnRecord[],
  gaps: ReadonlyMap<string, number>,
): Promise<void> {
  const resting = records.filter(
    ({ row }) => row.verdict === "success" && gaps.has(row.root_trace_id ?? ""),
  );
  if (resting.length === 0) return;
  await store.ledger.putTurns(
    resting.map((record) => ({ ...record, row: { ...record.row, verdict: "partial" } })),
  );
}

/** Missing rows of the roots of these turns; roots without a gap are not in it. */
async function gapsOf(
  store: Ledgered,
  records: readonly TurnRecord[],
): Promise<ReadonlyMap<string, number>> {
  const gaps = new Map<string, number>();
  const roots = new Set(records.flatMap(({ row }) => row.root_trace_id ?? []));
  if (roots.size === 0) return gaps;
  const standing = await store.standing([...roots]);
  for (const { row, version } of records) {
    const root = row.root_trace_id;
    if (root === undefined) continue;
    const stands = standing.get(root) ?? { rows: 0, epoch: 0 };
    // A deletion raises the epoch before rows go, and the turn is written anew after it.
    if (stands.epoch > version.epoch || stands.rows >= version.rows) continue;
    gaps.set(root, Math.max(gaps.get(root) ?? 0, version.rows - stands.rows));
  }
  return gaps;
}
