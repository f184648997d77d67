/**
 * @module TurnRecorder: keeps the ledger beside what is stored. Events that were just stored are
 * held per root, within a bound, until their turns are settled: so the judge need not read back
 * what passed a moment ago.
 */
import { compareTimes } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { groupBy } from "@turnproof/semconv";

import type { EventSlice, EvidenceStore, RootStanding } from "../evidence-store.ts";
import { rootSlice } from "../root-slice.ts";
import type { EvidenceScope } from "../scope.ts";
import { settle, settledEvents } from "../settle.ts";
import { storedForm } from "../stored-event.ts";
import type { HeldTurn } from "./turn-question.ts";
import { HeldRoots } from "./held-roots.ts";
import { HeldRows } from "./held-rows.ts";
import type { DueRoot, HeldRoot } from "./held-roots.ts";
import { draftRoots, paced, readRoots, sourceOf } from "./record-roots.ts";
import type { JudgedSoFar, JudgeRoot, RootSource, WholeRoot } from "./record-roots.ts";
import { draftOf } from "./root-draft.ts";
import type { DraftedRoot, RootDraft } from "./root-draft.ts";

/** How much a recorder holds. */
export interface TurnRecorderOptions {
  /**
   * Bytes, about, of roots that are not settled; the judge reads back what has no room. Default
   * 128 MiB.
   */
  readonly bytesMax?: number;
  /** Judges turns as they are stored, as if nothing were lost; absent: nothing is drafted. */
  readonly draft?: JudgeRoot | undefined;
}

/** A root out of memory, and the turns that were written of it. */
export interface HeldSlice {
  readonly slice: EventSlice;
  /** Absent where none were written yet. */
  readonly turns?: readonly HeldTurn[];
}

/** Writes turns of what is stored. */
export interface TurnRecorder {
  /**
   * Writes provisional turns of events that were just stored, which `read` passes to its argument.
   * Called one after another.
   */
  stored(read: (visit: (event: TurnEvent) => void) => Promise<void>): Promise<void>;
  /**
   * The whole root as it was stored, when this recorder holds all of these rows; `limit` counts
   * its events. Undefined: read it back.
   */
  whole(root: string, standing: RootStanding, limit: number): HeldSlice | undefined;
  /** What was found of the root's turns when the last of these rows was stored, if it was. */
  drafted(root: string, standing: RootStanding): DraftedRoot | undefined;
  /** Receipt of the last row of a root that is held, ISO 8601 UTC. */
  last(root: string): string | undefined;
  /** Whether the root passed here and is not settled. */
  knows(root: string): boolean;
  /** Keeps what was found of a root up to this receipt beside its turns, until it is settled. */
  judgedSoFar(root: string, through: string, soFar: JudgedSoFar): void;
  /** Lets go of a root, as it was due, whose turns are settled; it stays while it is not quiet. */
  settled(root: DueRoot, quiet: string): void;
  /**
   * Roots that passed here and are not settled: those that received nothing since `quiet`, and
   * those of which rows wait since before `busy`. Some are not held and have to be read back.
   */
  due(quiet: string, busy: string): readonly DueRoot[];
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
  const take = async (events: ReadEvents): Promise<void> => {
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
    due: (quiet, busy) => held.due(quiet, busy),
  };
}

type ReadEvents = Parameters<TurnRecorder["stored"]>[0];

/** Events that are kept as objects before they are packed. */
const unpackedMax = 1_024;

async function byRoot(read: ReadEvents): Promise<ReadonlyMap<string, HeldRows>> {
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

/** Holds what is whole; roots of which others were stored as well are to be read back. */
async function holdAll(
  held: HeldRoots,
  own: ReadonlyMap<string, HeldRows>,
  standing: ReadonlyMap<string, RootStanding>,
): Promise<{ readonly whole: readonly RootSource[]; readonly others: readonly string[] }> {
  const keep = paced();
  const whole: RootSource[] = [];
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
    if (isStill(next)) continue;
    // Under a root whose rows are all new nothing stands, unless rows of it were deleted.
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
 * How rows that were just stored go with what is held of their root: they make it whole; they were
 * read back with an earlier batch; rows were deleted since, so that what is held counts no more; or
 * others stored rows of the root too.
 */
type Fit = "whole" | "read_before" | "deleted_since" | "others_stored";

function fitOf(known: HeldRoot | undefined, rows: HeldRows, stands: RootStanding): Fit {
  if (known === undefined) return rows.count === stands.rows ? "whole" : "others_stored";
  if (known.epoch !== stands.epoch) return "deleted_since";
  if (known.rows === stands.rows) return "read_before";
  return known.rows + rows.count === stands.rows ? "whole" : "others_stored";
}

function latest(a: string, b: string): string {
  return compareTimes(a, b) < 0 ? b : a;
}

/** A larger root is judged when it is quiet, from the events that a verdict rests on. */
function isSmall({ events }: WholeRoot): boolean {
  return events.length < largeEvents;
}

/** True while a large root has hardly grown since its turns were written. */
function isStill({ rows, recorded }: HeldRoot): boolean {
  return recorded >= largeEvents && rows < recorded * 1.25;
}
