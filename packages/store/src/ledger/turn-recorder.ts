/**
 * @module TurnRecorder: updates the ledger as events are stored. Recently stored events are kept
 * in memory per root, within a bound, until their turns are settled, so that the judge need not
 * read them back.
 */
import type { TurnEvent } from "@turnproof/evidence";
import { compareTimes, groupBy } from "@turnproof/semconv";

import type { EventSlice, EvidenceStore, RootCounts } from "../evidence-store.ts";
import { rootSlice } from "../root-slice.ts";
import type { EvidenceScope } from "../scope.ts";
import { settle, settledEvents } from "../settle.ts";
import { storedForm } from "../stored-event.ts";
import type { HeldTurn } from "./turn-query.ts";
import { HeldRoots } from "./held-roots.ts";
import { HeldRows } from "./held-rows.ts";
import type { DueRoot, DueTimes, HeldRoot } from "./held-roots.ts";
import { paced } from "../paced.ts";
import { draftRoots, readRoots, sourceOf } from "./record-roots.ts";
import type { JudgedSoFar, JudgeRoot, RecordedRoots, WholeRoot } from "./record-roots.ts";
import { draftOf } from "./root-draft.ts";
import type { DraftedRoot, RootDraft } from "./root-draft.ts";

/** Bounds of a recorder. */
export interface TurnRecorderOptions {
  /**
   * Approximate bytes of unsettled roots in memory; the judge reads back what does not fit.
   * Default 128 MiB.
   */
  readonly bytesMax?: number;
  /** Judges turns as they are stored, assuming no losses; absent: no drafts. */
  readonly draft?: JudgeRoot | undefined;
}

/** A root from memory, and its written turns. */
export interface HeldSlice {
  readonly slice: EventSlice;
  /** Absent where none were written yet. */
  readonly turns?: readonly HeldTurn[];
}

/** Writes turns of stored events. */
export interface TurnRecorder {
  /**
   * Writes provisional turns of events that were just stored, which `read` passes to its argument;
   * they are the recorder's from then on. Calls must not overlap.
   */
  stored(read: (visit: (event: TurnEvent) => void) => Promise<void>): Promise<void>;
  /**
   * The whole stored root, when this recorder has all of these rows; `limit` counts its events.
   * Undefined: read it back.
   */
  whole(root: string, standing: RootCounts, limit: number): HeldSlice | undefined;
  /** Judgement of the root's turns as of the last of these rows, if there is one. */
  drafted(root: string, standing: RootCounts): DraftedRoot | undefined;
  /** Receipt of the last row in memory of a root, ISO 8601 UTC. */
  last(root: string): string | undefined;
  /** Whether the root was stored here and is not settled. */
  knows(root: string): boolean;
  /** Keeps the judgement of a root up to this receipt, until its turns are settled. */
  judgedSoFar(root: string, through: string, soFar: JudgedSoFar): void;
  /** Removes a due root whose turns are settled; it is kept while it is not quiet. */
  settled(root: DueRoot, quiet: string): void;
  /**
   * Unsettled roots that were stored here and are due. Some are not in memory and have to be read
   * back.
   */
  due(times: DueTimes): readonly DueRoot[];
}

const bytesMaxDefault = 128 * 1024 * 1024;
/**
 * Roots of one batch that are read back at once; the judge reads the others when they are quiet.
 */
const readBackMax = 200;
/** A root of more events is folded again when it has grown by a quarter. */
const largeEvents = 2_000;

/** A recorder over a store; `scope` reads everything. */
export function turnRecorder(
  store: EvidenceStore,
  scope: EvidenceScope,
  { bytesMax = bytesMaxDefault, draft: judge }: TurnRecorderOptions = {},
): TurnRecorder {
  const held = new HeldRoots(bytesMax);
  const take = async (events: ReadTurnEvents): Promise<void> => {
    const own = await byRoot(events);
    const standing = await store.standing([...own.keys()]);
    const { whole, others } = await holdAll(held, own, standing);
    const late = await readRoots(store, scope, others.slice(0, readBackMax));
    const drafts = new Map<string, RootDraft>();
    const drafting: JudgeRoot = (root) => (isSmall(root) ? judge?.(root) : undefined);
    const sources = [...whole, ...late.map(sourceOf)];
    const turns = await draftRoots(store.ledger, sources, drafting, (root, records) => {
      const draft = judge === undefined ? undefined : draftOf(root.events, records);
      if (draft !== undefined) drafts.set(root.root, draft);
    });
    const written = groupBy(turns, (turn) => turn.root_trace_id);
    for (const { root, rows } of whole) {
      held.recorded(root, { rows, turns: written.get(root) ?? [], draft: drafts.get(root) });
    }
    held.bound();
  };
  let taking: Promise<unknown> = Promise.resolve();
  return {
    stored(events) {
      const taken = taking.then(() => take(events));
      // The caller receives the failure; the next batch is taken all the same.
      taking = taken.catch(() => undefined);
      return taken;
    },
    whole(root, { rows, epoch }, limit) {
      const known = held.get(root);
      if (known === undefined || known.rows !== rows || known.epoch !== epoch) return undefined;
      const slice = rootSlice(settle(known.held.unsettled()), scope, { limit });
      return known.recorded === 0 ? { slice } : { slice, turns: known.turns };
    },
    drafted(root, { rows, epoch }) {
      const known = held.get(root);
      if (known?.draft === undefined || known.rows !== rows || known.epoch !== epoch)
        return undefined;
      return { draft: known.draft, turns: known.turns, version: { rows, epoch } };
    },
    last: (root) => held.get(root)?.last,
    knows: (root) => held.knows(root),
    judgedSoFar: (...found) => held.judgedSoFar(...found),
    settled: (root, quiet) => held.settled(root, quiet),
    due: (times) => held.due(times),
  };
}

type ReadTurnEvents = Parameters<TurnRecorder["stored"]>[0];

/**
 * Events of a batch that are kept as objects, about 40 MB, before they are packed: more than a
 * batch of the collector has.
 */
const unpackedMax = 24_576;

async function byRoot(read: ReadTurnEvents): Promise<ReadonlyMap<string, HeldRows>> {
  const own = new Map<string, HeldRows>();
  const unpacked = new Set<HeldRows>();
  let count = 0;
  await read((event) => {
    const { root_trace_id: root = "", received_at: at = "" } = event;
    let rows = own.get(root);
    if (rows === undefined) own.set(root, (rows = new HeldRows(root)));
    rows.add(storedForm(event, at));
    unpacked.add(rows);
    count += 1;
    if (count % unpackedMax !== 0) return;
    for (const some of unpacked) some.pack();
    unpacked.clear();
  });
  return own;
}

/** Keeps complete roots in memory; roots that others stored rows of are read back. */
async function holdAll(
  held: HeldRoots,
  own: ReadonlyMap<string, HeldRows>,
  standing: ReadonlyMap<string, RootCounts>,
): Promise<{ readonly whole: readonly RecordedRoots[]; readonly others: readonly string[] }> {
  const keep = paced();
  const whole: RecordedRoots[] = [];
  const others: string[] = [];
  for (const [root, rows] of own) {
    await keep();
    const stands = standing.get(root);
    if (stands === undefined) continue;
    const known = held.get(root);
    const fit = fitOf(known, rows, stands);
    if (fit === "read_before") continue;
    if (fit === "deleted_since" || fit === "others_stored") {
      held.evict(root, latest(rows.last, known?.last ?? ""));
      others.push(root);
      continue;
    }
    const next = held.add(root, stands, rows);
    if (isStill(next)) {
      held.pack(root);
      continue;
    }
    // A root whose rows are all new has no turns in the ledger, unless rows of it were deleted.
    const turns = stands.epoch > 0 && known === undefined ? {} : { held: next.turns };
    const read = (): WholeRoot => {
      const events = settledEvents(next.held.unsettled());
      return { root, events, ...stands, ...turns, soFar: next.soFar };
    };
    whole.push({ root, rows: stands.rows, ...turns, read });
  }
  return { whole, others };
}

/**
 * How newly stored rows relate to the root in memory: they complete it; they were read back with
 * an earlier batch; rows were deleted since, so that the memory is invalid; or others stored rows
 * of the root too.
 */
type Fit = "whole" | "read_before" | "deleted_since" | "others_stored";

function fitOf(known: HeldRoot | undefined, rows: HeldRows, stands: RootCounts): Fit {
  if (known === undefined) return rows.count === stands.rows ? "whole" : "others_stored";
  if (known.epoch !== stands.epoch) return "deleted_since";
  if (known.rows === stands.rows) return "read_before";
  return known.rows + rows.count === stands.rows ? "whole" : "others_stored";
}

function latest(a: string, b: string): string {
  return compareTimes(a, b) < 0 ? b : a;
}

/** A larger root is judged when it is quiet, from the events that a verdict reads. */
function isSmall({ events }: WholeRoot): boolean {
  return events.length < largeEvents;
}

/** True while a large root has hardly grown since its turns were written. */
function isStill({ rows, recorded }: HeldRoot): boolean {
  return recorded >= largeEvents && rows < recorded * 1.25;
}
