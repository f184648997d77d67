/**
 * @module OldParity: compares the data of an earlier version with its copy. Old rows are read in
 * stored order, unlike the copy, and each is searched, as a whole, among the rows that this
 * version reads for its root. One page of old rows and the rows of some roots are in memory at a
 * time.
 */
import { createHash } from "node:crypto";

import { CodedError, groupBy } from "@turnproof/semconv";

import type { CopyOptions, ParityReport } from "./evidence-admin.ts";
import type { RootCounts } from "./evidence-store.ts";
import type { StoredEvent } from "./stored-event.ts";

/** Rows of an earlier version and of this one. */
export interface BothForms {
  /** Number of old rows in the store. */
  readonly events: number;
  /** The old rows page by page; each of them is on one page. */
  readonly pages: AsyncIterable<readonly StoredEvent[]>;
  /** All rows of these roots as this version reads them. */
  readonly rowsOf: (roots: readonly string[]) => Promise<readonly StoredEvent[]>;
  readonly standing: (roots: readonly string[]) => Promise<ReadonlyMap<string, RootCounts>>;
}

/** Roots that are read at once. */
const rootsPerRead = 50;
/** Most roots with a missing event that are counted separately. */
const rootsCountedMax = 100_000;

/** Compares both forms. A run that ended early has `complete: false`. */
export async function compareOld(
  { events, pages, rowsOf, standing }: BothForms,
  { signal, onProgress }: Omit<CopyOptions, "dryRun"> = {},
): Promise<ParityReport> {
  const lacking = new Set<string>();
  let [walked, missing, deleted] = [0, 0, 0];
  const report = (complete: boolean): ParityReport => {
    // Rows that the walk did not reach were not compared.
    const unmet = complete ? Math.abs(events - walked) : 0;
    return { events, missing: missing + unmet, deleted, roots: lacking.size, complete };
  };
  for await (const page of pages) {
    const byRoot = [...groupBy(page, (row) => row.root_trace_id ?? "")];
    for (let at = 0; at < byRoot.length; at += rootsPerRead) {
      if (signal?.aborted === true) return report(false);
      const some = byRoot.slice(at, at + rootsPerRead);
      const roots = some.map(([root]) => root);
      const known = await standing(roots);
      const held = groupBy(await rowsOf(roots), (row) => row.root_trace_id ?? "");
      for (const [root, old] of some) {
        walked += old.length;
        // Retention or a deletion removed rows of it after the copy.
        if ((known.get(root)?.epoch ?? 0) > 0) {
          deleted += old.length;
          continue;
        }
        const lost = lackingOf(old, held.get(root) ?? []);
        missing += lost;
        if (lost > 0 && lacking.size < rootsCountedMax) lacking.add(root);
      }
    }
    onProgress?.(walked, events);
  }
  return report(true);
}

/** @throws CodedError `migration_differs` where an old event is not in the copy */
export function requireParity({ events, missing }: ParityReport): void {
  if (missing === 0) return;
  throw new CodedError("migration_differs", { field: `${missing} of ${events} events` });
}

/** How many of the old rows are missing among these; each of these matches one. */
function lackingOf(old: readonly StoredEvent[], held: readonly StoredEvent[]): number {
  const counts = new Map<string, number>();
  for (const row of held) {
    const key = contentOf(row);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  let lost = 0;
  for (const row of old) {
    const key = contentOf(row);
    const left = counts.get(key) ?? 0;
    if (left === 0) lost += 1;
    else counts.set(key, left - 1);
  }
  return lost;
}

/** A hash of a row's content, whatever the order of its fields. */
function contentOf(row: StoredEvent): string {
  return createHash("sha256")
    .update(JSON.stringify(inOrder(row)))
    .digest("base64");
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, held]) => held !== undefined);
  return fields
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, held]) => [name, inOrder(held)]);
}
