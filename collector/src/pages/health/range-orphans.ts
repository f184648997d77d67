/**
 * @module RangeOrphans: spans of a range whose parent is nowhere in their trace. The whole trace is
 * read, so that neither an end of the range nor a page of rows makes an orphan.
 */
import { orphansOf } from "@turnproof/evidence";
import { limits } from "@turnproof/semconv";
import type { TurnQuestion } from "@turnproof/store";

import type { Reading } from "../../access/grants.ts";
import type { Parts } from "../../parts.ts";
import { usualOrder } from "../../turns/turn-place.ts";
import { collectRoot, collectRoots } from "../../turns/window.ts";

/** Orphans of the turns of a range. */
export interface RangeOrphans {
  readonly spans: number;
  readonly turns: number;
  /** Turns whose traces were read; the newest ones. */
  readonly turns_read: number;
  /** Turns that received something in the last minute: a parent may still arrive. */
  readonly turns_arriving: number;
  /** True when every other turn of the range was read; else `spans` is a lower bound. */
  readonly complete: boolean;
}

const turnsMax = 2_000;
/** Events of all traces together. */
const eventsMax = 50_000;
/** A parent span ends, and is sent, after its children. */
const arrivingMs = 60_000;

/** Counts them. `question`: the turns of the range, in the scope of the reading. */
export async function rangeOrphans(
  parts: Parts,
  reading: Reading,
  question: TurnQuestion,
): Promise<RangeOrphans> {
  const page = await parts.store.ledger.listTurns(question, { order: usualOrder, limit: turnsMax });
  const quietBefore = parts.now() - arrivingMs;
  const turns = new Set<string>();
  const roots = new Set<string>();
  let events = 0;
  let arriving = 0;
  let complete = page.next === null;
  for (const { row } of page.records) {
    const { root_trace_id: root, turn_id: turn, received_at: received } = row;
    if (received !== null && Date.parse(received) > quietBefore) {
      arriving += 1;
      continue;
    }
    // Without a trace there is no parent that could be looked for.
    if (root === undefined || root === "") continue;
    events += row.event_count;
    if (events > eventsMax) {
      complete = false;
      break;
    }
    roots.add(root);
    turns.add(keyOf(root, turn));
  }
  const found = await orphansIn(parts, reading, [...roots]);
  const own = found.orphans.filter(({ root_trace_id: root, turn_id: turn }) =>
    turns.has(keyOf(root, turn)),
  );
  return {
    spans: own.reduce((sum, { spans }) => sum + spans, 0),
    turns: own.length,
    turns_read: turns.size,
    turns_arriving: arriving,
    complete: complete && found.complete,
  };
}

function keyOf(root: string, turn: string | null | undefined): string {
  return JSON.stringify([root, turn ?? ""]);
}

async function orphansIn(
  parts: Parts,
  { scope }: Reading,
  roots: readonly string[],
): Promise<{ readonly orphans: ReturnType<typeof orphansOf>; readonly complete: boolean }> {
  if (roots.length === 0) return { orphans: [], complete: true };
  const all: Reading = { scope, query: { store: "all" } };
  const windows = await collectRoots(parts, all, roots);
  const orphans: ReturnType<typeof orphansOf> = [];
  let complete = true;
  for (const root of roots) {
    const window = windows.get(root) ?? (await collectRoot(parts, all, root, limits.rootEventsMax));
    // Of a trace that was not read whole nothing can be shown to be missing.
    if (window.bounded) complete = false;
    else orphans.push(...orphansOf(window.events));
  }
  return { orphans, complete };
}
