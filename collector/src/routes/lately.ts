/**
 * @module Lately: what the judge found among the newest turns, for whoever opens the incident
 * finder without an id in hand.
 */
import type { TurnRow } from "@turnproof/evidence";
import { limits } from "@turnproof/semconv";

import type { Reading } from "../auth/grants.ts";
import { findingPriority } from "../display/kind-words.ts";
import type { Parts } from "../parts.ts";
import { readTurns } from "./turn-reading.ts";

/** A finding, and in how many of the turns that were read it stands. */
export interface LateFinding {
  readonly code: string;
  readonly turns: number;
  /** The newest of them. */
  readonly last_root: string;
  readonly last_at: string;
}

/** The newest turns at a glance. */
export interface Lately {
  readonly turns: number;
  readonly unjudged: number;
  /** True when no older turn was left out. */
  readonly all: boolean;
  /** The most urgent first, then the commonest. */
  readonly findings: readonly LateFinding[];
}

/** What was found among the newest turns. */
export async function lately(parts: Parts, reading: Reading, signal: AbortSignal): Promise<Lately> {
  const limit = limits.pageEventsDefault;
  const read = await readTurns(parts, reading, { limit, after: undefined, signal });
  return {
    turns: read.items.length,
    unjudged: read.items.filter(({ verdict }) => verdict === null).length,
    all: read.next === null && !read.bounded,
    findings: findingsOf(read.items),
  };
}

function findingsOf(rows: readonly TurnRow[]): readonly LateFinding[] {
  const found = new Map<string, LateFinding>();
  for (const { finding_codes, root_trace_id = "", ended_at } of rows) {
    for (const code of finding_codes ?? []) {
      const known = found.get(code);
      const newest = known === undefined || ended_at > known.last_at;
      found.set(code, {
        code,
        turns: (known?.turns ?? 0) + 1,
        last_root: newest ? root_trace_id : known.last_root,
        last_at: newest ? ended_at : known.last_at,
      });
    }
  }
  return [...found.values()].toSorted(
    (a, b) => findingPriority(a.code) - findingPriority(b.code) || b.turns - a.turns,
  );
}
