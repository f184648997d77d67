/**
 * @module RecordRoots: writes the turns of whole roots to the ledger. The drain, the judge, an
 * import and the migration write turns only here, so that a key keeps its first receipt, and a
 * turn whose identity changed leaves no second row.
 */
import { isDeepStrictEqual } from "node:util";

import type { TurnEvent, TurnRow } from "@turnproof/evidence";
import { groupBy, limits } from "@turnproof/semconv";

import type { EvidenceStore, RootCounts } from "../evidence-store.ts";
import { paced } from "../paced.ts";
import { issueOperatorGrant } from "../scope.ts";
import type { EvidenceScope } from "../scope.ts";
import { recordsOf } from "./turn-records.ts";
import type { JudgeTurn } from "./turn-records.ts";
import { contractNames, withContracts } from "./turn-record.ts";
import type { TurnRecord } from "./turn-record.ts";
import type { HeldTurn, TurnLedger, TurnWriter } from "./turn-query.ts";
import { heldOf } from "./turn-writes.ts";

/** Where turns of whole roots are written. */
export type RootTurns = TurnWriter & Pick<TurnLedger, "turnsOf" | "listTurns">;

/** A root with all of its settled events, and their standing. */
export interface WholeRoot extends RootCounts {
  readonly root: string;
  readonly events: readonly TurnEvent[];
  /** True where rows of it cannot be decoded: turns without events may be among these, and stay. */
  readonly damaged?: boolean;
  /** Turns in the ledger for it, where the caller has them; else the ledger is queried. */
  readonly held?: readonly HeldTurn[];
  /**
   * Turns by key that were judged before the root was quiet; their verdicts are kept until the
   * next ones.
   */
  readonly soFar?: JudgedSoFar | undefined;
}

/** Records of turns that were judged before their root was quiet, by key. */
export type JudgedSoFar = ReadonlyMap<string, TurnRecord>;

/**
 * Writes the turns of these roots: provisional ones, or settled ones with a judge. Yields to other
 * work in between.
 *
 * @param judge judges the turns of a root
 * @returns the current turns, in the order of the roots
 */
export function recordRoots(
  ledger: RootTurns,
  roots: readonly WholeRoot[],
  judge?: JudgeRoot,
): Promise<readonly HeldTurn[]> {
  return writeRoots(ledger, roots.map(sourceOf), { judge });
}

/** Judges the turns of a root; undefined: they are not judged. */
export type JudgeRoot = (root: WholeRoot) => JudgeTurn | undefined;

/** A whole root whose events are read in its turn. */
export interface RecordedRoots extends Pick<WholeRoot, "root" | "rows" | "held"> {
  readonly read: () => WholeRoot;
}

/** A root that was read already. */
export function sourceOf(whole: WholeRoot): RecordedRoots {
  const { root, rows, held } = whole;
  return { root, rows, ...(held === undefined ? {} : { held }), read: () => whole };
}

/**
 * Writes provisional turns of these roots, and passes their judgement to `keep`.
 *
 * @returns the current turns, in the order of the roots
 */
export function draftRoots(
  ledger: RootTurns,
  roots: readonly RecordedRoots[],
  judge: JudgeRoot,
  keep: (root: WholeRoot, records: readonly TurnRecord[]) => void,
): Promise<readonly HeldTurn[]> {
  return writeRoots(ledger, roots, { judge, draft: keep });
}

/**
 * Writes the turns of these roots with verdicts and not as settled, for roots that are never
 * quiet.
 *
 * @returns what was written, by root
 */
export async function judgeSoFar(
  ledger: RootTurns,
  roots: readonly WholeRoot[],
  judge: JudgeRoot,
): Promise<ReadonlyMap<string, JudgedSoFar>> {
  const found = new Map<string, JudgedSoFar>();
  const soFar: Writing["soFar"] = ({ root }, records) => {
    const judged = records.filter(({ judged_at: at }) => at !== null);
    found.set(root, new Map(judged.map((record) => [record.key, record])));
  };
  await writeRoots(ledger, roots.map(sourceOf), { judge, soFar });
  return found;
}

interface Writing {
  readonly judge?: JudgeRoot | undefined;
  /** Receives the judgement; the turns are written without it. */
  readonly draft?: (root: WholeRoot, records: readonly TurnRecord[]) => void;
  /** Receives the judgement; the turns are written with it, and are not settled. */
  readonly soFar?: (root: WholeRoot, records: readonly TurnRecord[]) => void;
}

async function writeRoots(
  ledger: RootTurns,
  roots: readonly RecordedRoots[],
  { judge, draft, soFar }: Writing,
): Promise<readonly HeldTurn[]> {
  const held = await turnsUnder(ledger, roots);
  const settled = judge !== undefined && draft === undefined && soFar === undefined;
  const judged = settled ? new Map() : await judgedTurns(ledger, held);
  const keep = paced();
  const records: TurnRecord[] = [];
  const gone: HeldTurn[] = [];
  for (const { read } of roots) {
    await keep();
    const whole = read();
    const version = { epoch: whole.epoch, rows: whole.rows, settled };
    const before = new Map((held.get(whole.root) ?? []).map((turn) => [turn.key, turn]));
    const made = recordsOf(whole.events, version, judge?.(whole));
    draft?.(whole, made);
    soFar?.(whole, made);
    for (const record of made) {
      const first_received = before.get(record.key)?.first_received ?? record.first_received;
      before.delete(record.key);
      const shown = draft === undefined ? record : unjudged(record);
      const known = withVerdict(shown, judged.get(record.key));
      records.push({ ...withSoFar(known, whole.soFar?.get(record.key)), first_received });
    }
    if (whole.damaged === true) continue;
    for (const turn of before.values()) gone.push({ ...turn, version });
  }
  for (let from = 0; from < records.length; from += recordsPerWrite) {
    await ledger.putTurns(records.slice(from, from + recordsPerWrite));
  }
  if (gone.length > 0) await ledger.dropTurns(gone);
  return records.map(heldOf);
}

/** The record without its judgement. */
function unjudged(record: TurnRecord): TurnRecord {
  if (record.judged_at === null) return record;
  const { insight_codes: _i, verdict_reasons: _r, ...own } = record.row;
  const row = { ...own, verdict: null, finding_codes: null };
  return { ...record, row, names: withContracts(record.names, []), judged_at: null, as_of: null };
}

/**
 * Judged turns of roots that are recorded again: evidence of another turn of the root leaves a
 * verdict unchanged.
 */
async function judgedTurns(
  ledger: RootTurns,
  held: ReadonlyMap<string, readonly HeldTurn[]>,
): Promise<ReadonlyMap<string, TurnRecord>> {
  const scope = { operator: issueOperatorGrant() };
  const order = { by: "first_received" } as const;
  const known = new Map<string, TurnRecord>();
  for (const [root, turns] of held) {
    if (!turns.some(({ version }) => version.settled)) continue;
    const where = [{ text: "root_trace_id", is: root }] as const;
    const page = await ledger.listTurns({ scope, where }, { order, limit: turnsPerRoot });
    for (const record of page.records) known.set(record.key, record);
  }
  return known;
}

/**
 * Most turns of a root whose verdicts are kept when another turn changes; those of a larger one
 * wait.
 */
const turnsPerRoot = 1_000;

/** The record with its previous verdict, if its content is unchanged. */
function withVerdict(record: TurnRecord, before: TurnRecord | undefined): TurnRecord {
  if (before === undefined || record.judged_at !== null) return record;
  const { row, judged_at, as_of } = before;
  if (row.verdict === undefined || !isDeepStrictEqual(plain(row), plain(record.row))) return record;
  return {
    ...record,
    row: { ...record.row, ...verdictOf(row) },
    names: withContracts(record.names, contractNames(before.names)),
    judged_at,
    as_of,
  };
}

/**
 * The record with the verdict from before its root was quiet, if it has none. A success is not
 * kept for a turn that has grown since.
 */
function withSoFar(record: TurnRecord, soFar: TurnRecord | undefined): TurnRecord {
  if (soFar === undefined || record.judged_at !== null) return record;
  const { row, judged_at, as_of } = soFar;
  const isGrown = (): boolean => !isDeepStrictEqual(plain(row), plain(record.row));
  if (row.verdict === "success" && isGrown()) return record;
  const judged = { ...record.row, ...verdictOf(row) };
  // What held of a part may not hold of the whole: only a failure is kept of a grown turn.
  const contracts = contractNames(soFar.names).filter(
    (name) => !name.endsWith("=holds") || !isGrown(),
  );
  const names = withContracts(record.names, contracts);
  return { ...record, row: judged, names, judged_at, as_of };
}

/** What the judge adds to a row; older records lack some of it. */
function verdictOf(row: TurnRow): Partial<TurnRow> {
  const { verdict, finding_codes, insight_codes, verdict_reasons } = row;
  return {
    verdict,
    finding_codes,
    ...(insight_codes === undefined ? {} : { insight_codes }),
    ...(verdict_reasons === undefined ? {} : { verdict_reasons }),
  };
}

/**
 * What a verdict is about, in the form in which a store returns it. Whether a parent is there
 * depends on the other turns of the root.
 */
function plain(of: TurnRow): unknown {
  const { verdict: _v, finding_codes: _f, insight_codes: _i, verdict_reasons: _r, ...seen } = of;
  const { orphan_spans: _o, ...row } = seen;
  return JSON.parse(JSON.stringify(row));
}

/** Records of one write, which is encoded in one step. */
export const recordsPerWrite = 2_000;

async function turnsUnder(
  ledger: RootTurns,
  roots: readonly Pick<WholeRoot, "root" | "held">[],
): Promise<ReadonlyMap<string, readonly HeldTurn[]>> {
  const unknown = roots.flatMap(({ root, held }) => (held === undefined ? [root] : []));
  const requested = unknown.length === 0 ? [] : await ledger.turnsOf(unknown);
  const turns = new Map<string, readonly HeldTurn[]>(
    groupBy(requested, (turn) => turn.root_trace_id),
  );
  for (const { root, held } of roots) if (held !== undefined) turns.set(root, held);
  return turns;
}

/**
 * The stored roots; one without rows is left out. A root with more events than a verdict reads is
 * cut to them.
 */
export async function readRoots(
  store: EvidenceStore,
  scope: EvidenceScope,
  roots: readonly string[],
): Promise<readonly WholeRoot[]> {
  // Rows stored after this count are read too, and make the next version.
  const standing = await store.standing(roots);
  const read: WholeRoot[] = [];
  for (const [root, { rows, epoch }] of standing) {
    if (rows === 0) continue;
    // One read: each read of a root decodes and settles all of its rows.
    const slice = await store.root(scope, root, { limit: limits.rootEventsMax });
    const damaged = (slice.damagedRoots ?? []).length > 0;
    read.push({ root, events: slice.events, rows, epoch, damaged });
  }
  return read;
}

/** Writes provisional turns of these roots from their stored rows. */
export async function recordStored(
  store: EvidenceStore,
  scope: EvidenceScope,
  roots: readonly string[],
): Promise<void> {
  for (let from = 0; from < roots.length; from += rootsPerWrite) {
    const whole = await readRoots(store, scope, roots.slice(from, from + rootsPerWrite));
    await recordRoots(store.ledger, whole);
  }
}

const rootsPerWrite = 200;
