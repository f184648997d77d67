/**
 * @module EvidenceErasure: walks the roots of a user and deletes the user's rows. Identity is
 * inherited inside a root, so a root is decided as a whole: remaining rows keep the same tenant,
 * turn and agent as before, and rows that cannot be attributed are deleted, because without the
 * user's rows they would seem to be another user's. There is no state between two runs: an
 * unfinished root still names the user.
 */
import { createHash } from "node:crypto";

import { resolveEvents } from "@turnproof/evidence";
import type { EvidenceBatch, TurnEvent } from "@turnproof/evidence";
import { epochMicros, groupBy, identityFields } from "@turnproof/semconv";

import type { EraseEvidence, ErasureReport, Unreached } from "./erasure.ts";
import type { KeyedRow, Removal, RetentionRows } from "./evidence-retention.ts";
import type { LegacyBundles } from "./legacy/bundles.ts";
import { eraseWritten, sweepNotes } from "./operator-sweep.ts";
import type { WrittenRows } from "./operator-sweep.ts";
import type { StoredEvent } from "./stored-event.ts";

/** Decision on one root. */
export interface RootErasure<Key> extends Removal<Key> {
  /**
   * Rows that remain and must record themselves the identity that they inherited from deleted
   * rows.
   */
  readonly pinned: readonly StoredEvent[];
}

/** Operations that a provider implements for a run. */
export interface ErasureRows<Key> {
  /** Roots with a row of exactly this user. */
  rootsNaming(userId: string): Promise<readonly string[]>;
  /** All rows of these roots, by root. */
  load(roots: readonly string[]): Promise<ReadonlyMap<string, readonly KeyedRow<Key>[]>>;
  /** Deletes rows and writes pinned ones; returns how many rows of each root were deleted. */
  rewrite(roots: readonly RootErasure<Key>[]): Promise<readonly number[]>;
  /** What operators wrote. */
  readonly written: WrittenRows;
  /** Deletes turns of the user that another collector wrote during the deletion. */
  forgetTurns(userId: string): Promise<void>;
  /** Removes deleted bytes from the data files; returns where they may remain. */
  purge(): Promise<readonly Unreached[]>;
  /** Deletes the bundles of an earlier version that contain only this user; a dry run counts. */
  readonly eraseLegacy?: LegacyBundles["erase"];
}

/** Roots that are loaded at once. */
const rootsPerStep = 200;

/** The erasure of a provider's rows. @param rowsPerStep rows deleted in one step */
export function erasureOf<Key>(source: ErasureRows<Key>, rowsPerStep = 20_000): EraseEvidence {
  return async ({ userId, dryRun = true, signal, onProgress, onRoot }): Promise<ErasureReport> => {
    const roots = await source.rootsNaming(userId);
    const counts = { found: 0, deleted: 0, kept: 0 };
    let [complete, done] = [true, 0];
    let waiting: RootErasure<Key>[] = [];
    const finish = async (): Promise<void> => {
      if (waiting.length === 0) return;
      const went = await source.rewrite(waiting);
      for (const [at, { gone, pinned }] of waiting.entries()) {
        const removed = went[at] ?? 0;
        // A root is erased completely or not at all; one that grew meanwhile is left for the next
        // run.
        if (removed < gone.length) complete = false;
        else counts.deleted += removed - pinned.length;
      }
      waiting = [];
    };
    for (let at = 0; at < roots.length; at += rootsPerStep) {
      if (signal?.aborted === true) {
        complete = false;
        break;
      }
      const some = roots.slice(at, at + rootsPerStep);
      const loaded = await source.load(some);
      for (const root of some) {
        onRoot?.(root);
        const erasure = decideErasure(root, loaded.get(root) ?? [], userId);
        counts.found += erasure.gone.length - erasure.pinned.length;
        counts.kept += erasure.left.length;
        if (!dryRun && erasure.gone.length > 0) waiting.push(erasure);
      }
      const rows = waiting.reduce((sum, { gone }) => sum + gone.length, 0);
      if (rows >= rowsPerStep) await finish();
      done += some.length;
      onProgress?.(done, roots.length);
    }
    const legacy = (await source.eraseLegacy?.(userId, dryRun)) ?? { rows: 0, left: 0 };
    counts.found += legacy.rows;
    if (!dryRun) counts.deleted += legacy.rows - legacy.left;
    const isEnded = signal?.aborted === true;
    const written = isEnded ? 0 : await eraseWritten(source.written.archive, userId, dryRun);
    counts.found += written;
    let unreached: readonly Unreached[] = [];
    if (!dryRun) {
      counts.deleted += written;
      await finish();
      await source.forgetTurns(userId);
      await sweepNotes(source.written);
      unreached = await source.purge();
    }
    return {
      dry_run: dryRun,
      roots: roots.length,
      ...counts,
      complete,
      unreached: legacy.left > 0 ? [...unreached, "legacy_bundles"] : unreached,
    };
  };
}

/** The rows of a root to delete and to keep. */
export function decideErasure<Key>(
  root: string,
  rows: readonly KeyedRow<Key>[],
  userId: string,
): RootErasure<Key> {
  const stored = rows.map(({ row }) => row);
  const last = stored.reduce((max, row) => Math.max(max, epochMicros(row.received_at)), 0);
  if (!stored.some((row) => row.user_id === userId)) {
    return { root, last, gone: [], left: stored, pinned: [] };
  }
  const { first, again } = retoldRows(stored);
  // Rows rewritten by a killed run carry that run's attribution; the ownership of the others
  // follows from the rows before it.
  const basis = [...rows.keys()].filter((at) => !again.has(at));
  const reported = resolveEvents(basis.map((at) => stored[at] as StoredEvent));
  const resolved = new Map<number, TurnEvent>(
    basis.map((at, index) => [at, reported[index] as TurnEvent] as const),
  );
  for (const at of again) resolved.set(at, stored[at] as StoredEvent);
  const staying = [...rows.keys()].filter((at) => {
    const tenant = resolved.get(at)?.user_id;
    return !first.has(at) && tenant !== userId && tenant !== undefined;
  });
  const { left, changed } = pin(staying, stored, resolved);
  const stays = new Set(staying);
  const gone = rows.filter((_row, at) => !stays.has(at) || changed.has(at));
  const pinned = left.filter((_row, index) => changed.has(staying[index] as number));
  return { root, last, gone, left, pinned };
}

/**
 * The remaining rows, each with its previous identity, recorded on the row itself where it was
 * inherited from deleted rows. `erased` is recorded for a thread, a memory, a run or a turn that
 * only the user's rows name, and where a row would inherit a value that it did not have before.
 */
function pin(
  staying: readonly number[],
  stored: readonly StoredEvent[],
  resolved: ReadonlyMap<number, TurnEvent>,
): { readonly left: readonly StoredEvent[]; readonly changed: ReadonlySet<number> } {
  const own = new Set(
    staying.flatMap((at) => {
      const row = stored[at] as StoredEvent;
      return [row.span_id, ...identityFields.map((field) => row[field])];
    }),
  );
  const wanted = new Map(
    staying.map((at) => [at, withoutForeign(resolved.get(at) as TurnEvent, own)] as const),
  );
  const changed = new Set<number>();
  for (;;) {
    const left = staying.map((at) => {
      const row = stored[at] as StoredEvent;
      return changed.has(at) ? pinnedRow(row, wanted.get(at) as TurnEvent) : row;
    });
    const after = resolveEvents(left);
    let moved = false;
    for (const [index, at] of staying.entries()) {
      const want = wanted.get(at) as TurnEvent;
      const is = after[index] as TurnEvent;
      const fresh = identityFields.filter((field) => want[field] === undefined && is[field]);
      if (fresh.length > 0) {
        wanted.set(at, { ...want, ...Object.fromEntries(fresh.map((field) => [field, erased])) });
      } else if (changed.has(at) || sameIdentity(want, is)) continue;
      changed.add(at);
      moved = true;
    }
    // Each round records at least one more field, so the loop ends.
    if (!moved) return { left, changed };
  }
}

/** Replaces an id of the user that a row of another user inherited from its root. */
const erased = "erased";

function withoutForeign(event: TurnEvent, own: ReadonlySet<unknown>): TurnEvent {
  const foreign = (["memory_id", "thread_id", "run_id", "turn_id"] as const).filter(
    (field) => event[field] !== undefined && !own.has(event[field]),
  );
  if (foreign.length === 0) return event;
  return { ...event, ...Object.fromEntries(foreign.map((field) => [field, erased])) };
}

function sameIdentity(a: TurnEvent, b: TurnEvent | undefined): boolean {
  return identityFields.every((field) => a[field] === b?.[field]);
}

/** The row with the identity that it inherited, recorded on the row itself. */
function pinnedRow(row: StoredEvent, resolved: TurnEvent): StoredEvent {
  const identity = Object.fromEntries(
    identityFields.flatMap((field) =>
      resolved[field] === undefined ? [] : [[field, resolved[field]]],
    ),
  );
  // A derived agent would be replaced by any other value in the root.
  const derived = resolved.identity_derived?.filter((field) => field !== "agent_id") ?? [];
  const { identity_derived: _derived, ...rest } = row;
  return { ...rest, ...identity, ...(derived.length === 0 ? {} : { identity_derived: derived }) };
}

/** Rows that a killed run has written again, and their originals. */
function retoldRows(rows: readonly StoredEvent[]): {
  readonly first: ReadonlySet<number>;
  readonly again: ReadonlySet<number>;
} {
  const [first, again] = [new Set<number>(), new Set<number>()];
  const groups = groupBy([...rows.keys()], (at) => contentOf(rows[at] as StoredEvent));
  for (const same of groups.values()) {
    const fieldsOfEach = same.map((at) => statedFields(rows[at]));
    const [least, most] = [Math.min(...fieldsOfEach), Math.max(...fieldsOfEach)];
    if (least === most) continue;
    for (const [index, at] of same.entries())
      (fieldsOfEach[index] === most ? again : first).add(at);
  }
  return { first, again };
}

function contentOf(row: StoredEvent): string {
  const fields = Object.entries(row).filter(
    ([name]) =>
      name !== "identity_derived" && !(identityFields as readonly string[]).includes(name),
  );
  return JSON.stringify(fields.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function statedFields(row: StoredEvent | undefined): number {
  return identityFields.filter((field) => row?.[field] !== undefined).length;
}

/** A killed run may have written rows whose originals are not deleted yet. */
export function withoutCopies(rows: readonly StoredEvent[]): readonly StoredEvent[] {
  return [...new Map(rows.map((row) => [JSON.stringify(row), row] as const)).values()];
}

/** A batch of rewritten rows; the same rows give the same batch. */
export function pinnedBatch(rows: readonly StoredEvent[]): EvidenceBatch | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  const batchId = createHash("sha256").update(JSON.stringify(rows)).digest("hex");
  return { batchId, receivedAt: first.received_at, events: rows };
}

/** `load` for a provider that loads one root at a time. */
export async function loadEach<Key>(
  rows: Pick<RetentionRows<Key>, "load">,
  roots: readonly string[],
): Promise<ReadonlyMap<string, readonly KeyedRow<Key>[]>> {
  const loaded = new Map<string, readonly KeyedRow<Key>[]>();
  for (const root of roots) loaded.set(root, await rows.load(root));
  return loaded;
}
