/**
 * @module RootWindows: the windows of the roots of listed turns, in few statements; a root with too
 * many events is read alone.
 */
import { turnKey } from "@turnproof/evidence";
import { paced } from "@turnproof/store";
import type { TurnRecord } from "@turnproof/store";

import type { Reading } from "../access/grants.ts";
import type { Parts } from "../parts.ts";
import { collectRoots, settle } from "./window.ts";
import type { SettledMark, Window } from "./window.ts";

/** The window of one root, and its listed turns. */
export interface RootWindow {
  readonly root: string;
  /** Of the reading of all windows, for those that are read alone. */
  readonly settled: SettledMark;
  /** Undefined where it has too many events to be read with others. */
  readonly window: Window | undefined;
  /** Keys of the listed turns, by `turnKey`. */
  readonly wanted: ReadonlySet<string>;
}

/** The windows of these turns' roots, in the order of the turns; between two, others run. */
export async function* rootWindows(
  parts: Parts,
  { scope }: Reading,
  records: readonly TurnRecord[],
): AsyncGenerator<RootWindow> {
  const byRoot = Map.groupBy(records, ({ row }) => row.root_trace_id ?? "");
  byRoot.delete("");
  // The turns are chosen; of their roots everything in scope is read.
  const whole: Reading = { scope, query: { store: "all" } };
  const settled = await settle(parts, [...byRoot.keys()]);
  const windows = await collectRoots(parts, whole, [...byRoot.keys()], { settled });
  const pass = paced();
  for (const [root, listed] of byRoot) {
    await pass();
    const wanted = new Set(listed.map(({ row }) => turnKey(row)));
    yield { root, settled, window: windows.get(root), wanted };
  }
}
