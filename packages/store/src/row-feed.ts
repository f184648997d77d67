/**
 * @module RowFeed: finds the roots that a read may need by their rows, newest received first, and
 * settles them whole. Rows come in the order of a page, so each read opens as much history as it
 * shows. How rows are met and roots are loaded is the database's; the walk is not.
 */
import { limits } from "@turnproof/semconv";

import type { SliceOptions } from "./evidence-store.ts";
import { positionOfKeyset } from "./position.ts";
import type { Position } from "./position.ts";
import { settle } from "./settle.ts";
import type { StoredEvent } from "./stored-event.ts";
import type { Round } from "./walk.ts";

/** A row that passed the conditions: its root, its moment, and where the next search goes on. */
export interface MetRow<Mark> {
  readonly root: string;
  /** Received microseconds and event nanoseconds since the epoch. */
  readonly micros: number;
  readonly nanos: bigint;
  readonly mark: Mark;
}

/** Rows of whole roots, and whether a root was too large to be read whole. */
export interface LoadedRoots {
  readonly rows: readonly StoredEvent[];
  readonly cut: boolean;
}

/** What a database does for a walk. */
export interface RowSource<Mark> {
  /** A mark above every row of this moment. */
  markAbove(moment: Pick<Position, "micros" | "nanos">): Mark;
  /** Rows that pass, in the order of a page, below the mark or from the newest. */
  meet(below: Mark | undefined, wanted: number): Promise<readonly MetRow<Mark>[]>;
  load(roots: readonly string[]): Promise<LoadedRoots>;
}

const rowsPerRoundMax = 4_000;

/** The settled roots of a search, round by round; `cut` is told of roots that were not read whole. */
export async function* rowFeed<Mark>(
  source: RowSource<Mark>,
  options: SliceOptions,
  cut: () => void,
): AsyncGenerator<Round> {
  const start = options.after === undefined ? undefined : positionOfKeyset(options.after);
  const budget = options.budgetRows ?? limits.scanRowsMax;
  const met = new Set<string>();
  let below = start === undefined ? undefined : source.markAbove(start);
  let wanted = Math.min(Math.max(32, options.limit * 2), rowsPerRoundMax);
  let examined = 0;
  for (;;) {
    options.signal?.throwIfAborted();
    const rows = await source.meet(below, wanted);
    const last = rows.at(-1);
    const ended = last === undefined || rows.length < wanted;
    const fresh = [...new Set(rows.map((row) => row.root))].filter((root) => !met.has(root));
    for (const root of fresh) met.add(root);
    const loaded = await source.load(fresh);
    if (loaded.cut) cut();
    // Everything newer than the last row's moment has been met; the moment itself may go on.
    const frontier = ended ? null : { micros: last.micros, nanos: last.nanos, key: "" };
    yield { events: settle(loaded.rows), frontier };
    if (frontier === null || last === undefined) return;
    examined += rows.length + loaded.rows.length;
    // Rows of one moment are met together, or the next page would begin where this one did.
    if (examined >= budget && (start === undefined || isBelow(frontier, start))) return;
    below = last.mark;
    wanted = Math.min(wanted * 2, rowsPerRoundMax);
  }
}

function isBelow(frontier: Position, start: Position): boolean {
  if (frontier.micros !== start.micros) return frontier.micros < start.micros;
  return frontier.nanos < start.nanos;
}
