/**
 * @module EvidenceRetention: walks the roots without new rows, oldest first, and deletes in
 * bounded steps what is past its age. There is no state between two runs: deleted rows are gone,
 * so the next run begins where the last one ended.
 */
import { sweepNotes } from "./operator-sweep.ts";
import type { WrittenRows } from "./operator-sweep.ts";
import { decideRoot, microsBefore, shortestDays } from "./retention.ts";
import type { RetentionClass, RetentionOptions, RetentionReport } from "./retention.ts";
import type { StoredEvent } from "./stored-event.ts";

/** A row, and the key by which its provider deletes it. */
export interface KeyedRow<Key> {
  readonly key: Key;
  readonly row: StoredEvent;
}

/** A root without recent rows. */
export interface QuietRoot {
  readonly root: string;
  /** Last receipt, microseconds since the epoch. */
  readonly last: number;
}

/** Rows of one root to delete, and those to keep. */
export interface Removal<Key> extends QuietRoot {
  readonly gone: readonly KeyedRow<Key>[];
  readonly left: readonly StoredEvent[];
}

/** Operations that a provider implements for a run. */
export interface RetentionRows<Key> {
  /** Number of roots whose last row came before this time (microseconds since the epoch). */
  countQuiet(before: number): Promise<number>;
  /** Those roots, oldest first. */
  quiet(before: number): AsyncIterable<QuietRoot>;
  /** All rows of a root. */
  load(root: string): Promise<readonly KeyedRow<Key>[]>;
  /**
   * Deletes rows, those with a tenant last; returns how many of each removal. A root that grew
   * since it was read is skipped.
   */
  remove(removals: readonly Removal<Key>[]): Promise<readonly number[]>;
  /** What operators wrote; notes are deleted with their turns. */
  readonly written: WrittenRows;
}

const batchRowsDefault = 5_000;
const evidenceClasses = ["outcome", "metadata", "structure"] as const;

/**
 * True for a row with a tenant of its own: deleted last, so that no reader ever sees a row without
 * its tenant.
 */
export function namesTenant(row: StoredEvent): boolean {
  return row.user_id !== undefined;
}

/** Runs retention over a provider's rows. @throws CodedError record_invalid and the provider's */
export async function retainEvidence<Key>(
  source: RetentionRows<Key>,
  options: RetentionOptions,
): Promise<RetentionReport> {
  const { policy, now, dryRun = true, batchRows = batchRowsDefault, signal, onProgress } = options;
  const before = microsBefore(now, shortestDays(policy));
  const all = await source.countQuiet(before);
  const expired = new Map<RetentionClass, number>();
  const removed = new Map<RetentionClass, number>();
  const add = (counts: Map<RetentionClass, number>, name: RetentionClass, by: number): unknown =>
    counts.set(name, (counts.get(name) ?? 0) + by);
  let [examined, held, waiting] = [0, 0, 0];
  let step: { readonly removal: Removal<Key>; readonly classes: readonly RetentionClass[] }[] = [];
  const finish = async (): Promise<void> => {
    if (dryRun || step.length === 0) return;
    const done = await source.remove(step.map(({ removal }) => removal));
    for (const [index, { removal, classes }] of step.entries()) {
      // A removal is done completely or not at all; a partial one means a concurrent run.
      if (done[index] === removal.gone.length) for (const name of classes) add(removed, name, 1);
    }
    [step, waiting] = [[], 0];
  };
  let complete = true;
  for await (const quiet of source.quiet(before)) {
    if (signal?.aborted === true) {
      complete = false;
      break;
    }
    const rows = await source.load(quiet.root);
    const stored = rows.map(({ row }) => row);
    const decision = decideRoot(stored, policy, now);
    examined += 1;
    held += decision.held;
    const classes = [...decision.expired.values()];
    for (const name of classes) add(expired, name, 1);
    if (classes.length > 0 && !dryRun) {
      const gone = rows.filter((_row, at) => decision.expired.has(at));
      const left = stored.filter((_row, at) => !decision.expired.has(at));
      step.push({ removal: { ...quiet, gone, left }, classes });
      waiting += gone.length;
    }
    if (waiting >= batchRows) await finish();
    onProgress?.(Math.min(examined, all), all);
  }
  await finish();
  if (!dryRun) await sweepNotes(source.written);
  return {
    dry_run: dryRun,
    examined,
    classes: evidenceClasses.map((name) => ({
      class: name,
      expired: expired.get(name) ?? 0,
      removed: removed.get(name) ?? 0,
    })),
    held,
    complete,
  };
}
