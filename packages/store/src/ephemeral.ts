/**
 * @module Ephemeral: evidence in the memory of the process. The readable reference for every other
 * provider: each read settles everything, filters, sorts and cuts, without an index.
 */
import type { BatchReadback, EvidenceBatch } from "@turnproof/evidence";
import { CodedError, limits } from "@turnproof/semconv";

import { offerErasure } from "./erasure.ts";
import { erasureOf } from "./evidence-erasure.ts";
import type { ErasureRows } from "./evidence-erasure.ts";
import type { Removal } from "./evidence-retention.ts";
import type { EvidenceReader, EvidenceStore, Keyset, SliceOptions } from "./evidence-store.ts";
import { comparePositions, keysetOf, positionOfKeyset } from "./position.ts";
import { lateLedger } from "./ledger/late-ledger.ts";
import { memoryTurns } from "./ledger/memory-turns.ts";
import { recordRoots } from "./ledger/record-roots.ts";
import type { TurnLedger } from "./ledger/turn-query.ts";
import { ephemeralOperatorRows } from "./memory/ephemeral-operator-rows.ts";
import { operatorRowsOf } from "./operator-rows.ts";
import type { WrittenRows } from "./operator-sweep.ts";
import { refusePrepared } from "./prepared-refusal.ts";
import { capabilitiesOf } from "./providers.ts";
import { rootSlice } from "./root-slice.ts";
import { checkScope } from "./scope.ts";
import { compareText } from "@turnproof/evidence";
import type { EvidenceScope } from "./scope.ts";
import { settle, settledEvents } from "./settle.ts";
import { shortRootsOf } from "./short-roots.ts";
import type { Settled } from "./settle.ts";
import { bundleItems, eventItems, eventSlice, mentionItems } from "./slice.ts";
import type { Item, ItemsOf } from "./slice.ts";
import { hasSqlite, openSqlite } from "./sqlite/sqlite-database.ts";
import { sqliteTurns } from "./sqlite/sqlite-turns.ts";
import { storedForm } from "./stored-event.ts";
import type { StoredEvent } from "./stored-event.ts";

/** An empty store; its content ends with the process. */
export function ephemeral(): EvidenceStore {
  const rows = heldRows();
  const epochs = new Map<string, number>();
  const written = ephemeralOperatorRows(() => {
    if (rows.closed()) throw new CodedError("store_closed");
  });
  const store: EvidenceStore = {
    name: "ephemeral",
    capabilities: capabilitiesOf("ephemeral"),
    sources: ["trace", "conversation", "tool_log"],
    ledger: heldTurns(() => rows.closed()),
    operatorRows: operatorRowsOf(written),
    append: async (batch) => rows.append(batch),
    appendPrepared: refusePrepared,
    readBack: async (batchId) => rows.readBack(batchId),
    shortRoots: (...requested) => shortRootsOf(store, ...requested),
    quietRoots: async (since, before, limit) => rows.quiet(since, before).slice(0, limit),
    standing: async (roots) =>
      new Map(
        roots.flatMap((root) => {
          const own = { rows: rows.of(root).length, epoch: epochs.get(root) ?? 0 };
          return own.rows + own.epoch === 0 ? [] : [[root, own] as const];
        }),
      ),
    held: async () => ({
      events: rows.count(),
      deletions: [...epochs.values()].reduce((sum, epoch) => sum + epoch, 0),
    }),
    ...reads(rows),
    async check() {
      return rows.closed()
        ? { ok: false, code: "store_closed", elapsedMs: 0 }
        : { ok: true, elapsedMs: 0 };
    },
    close: async () => rows.close(),
    [Symbol.asyncDispose]: () => store.close(),
  };
  const record = async ({ root, left }: Removal<number>): Promise<void> => {
    const epoch = (epochs.get(root) ?? 0) + 1;
    epochs.set(root, epoch);
    const events = settledEvents(left);
    await recordRoots(store.ledger, [{ root, events, rows: left.length, epoch }]);
  };
  const noted: WrittenRows = {
    archive: written,
    standing: (roots) => store.standing(roots),
    turnsOf: (roots) => store.ledger.turnsOf(roots),
  };
  return offerErasure(store, erasureOf(erasureRows(rows, noted, record)));
}

/** Turns in an engine of their own, or as records where Node has none. */
function heldTurns(closed: () => boolean): TurnLedger {
  let ledger: TurnLedger | undefined;
  return lateLedger(hasSqlite() ? "store" : "process", () => {
    if (closed()) throw new CodedError("store_closed");
    ledger ??= hasSqlite() ? sqliteTurns(openSqlite(":memory:")) : memoryTurns();
    return ledger;
  });
}

/**
 * A row is identified by its position under its root. @param record writes the turns of what
 * remains
 */
function erasureRows(
  rows: RowsInMemory,
  written: WrittenRows,
  record: (removal: Removal<number>) => Promise<void>,
): ErasureRows<number> {
  return {
    rootsNaming: async (userId) => rows.naming(userId),
    load: async (roots) =>
      new Map(roots.map((root) => [root, rows.of(root).map((row, key) => ({ key, row }))])),
    async rewrite(roots) {
      for (const removal of roots) {
        rows.replace(removal.root, removal.left);
        await record(removal);
      }
      return roots.map(({ gone }) => gone.length);
    },
    written,
    // Only this process writes turns.
    forgetTurns: async () => {},
    purge: async () => [],
  };
}

type EphemeralReads = Pick<EvidenceReader, "page" | "find" | "bundles" | "root" | "roots">;

function reads(rows: RowsInMemory): EphemeralReads {
  const read = <T>(scope: EvidenceScope, itemsOf: ItemsOf<T>, options: SliceOptions): Cut<T> => {
    checkScope(scope);
    return cut(itemsOf(rows.settled()), options);
  };
  return {
    async page(scope, query, options) {
      const page = read(scope, eventItems(scope, query), options);
      return { ...eventSlice(page.items, false), next: page.next };
    },
    async find(scope, id, query, options) {
      const page = read(scope, mentionItems(scope, query, id), options);
      return { ...eventSlice(page.items, false), next: page.next };
    },
    async bundles(scope, query, options) {
      const page = read(scope, bundleItems(scope, query), options);
      const bundles = page.items.map((item) => item.value);
      return { bundles, next: page.next, sourceRows: bundles.length, errors: [] };
    },
    async root(scope, root, options) {
      checkScope(scope);
      const { budgetRows = Infinity } = options;
      const held = rows.of(root);
      return held.length > budgetRows
        ? rootSlice(settle(held.slice(0, budgetRows)), scope, options, true)
        : rootSlice(rows.settled(root), scope, options);
    },
    async roots(scope, roots, options) {
      checkScope(scope);
      const held = roots.reduce((sum, root) => sum + rows.of(root).length, 0);
      if (held > (options.budgetRows ?? limits.rootEventsMax)) return new Map();
      return new Map(
        roots.map((root) => [
          root,
          { ...rootSlice(rows.settled(root), scope, options), errors: [] },
        ]),
      );
    },
  };
}

interface RowsInMemory {
  append(batch: EvidenceBatch): void;
  readBack(batchId: string): BatchReadback;
  /** Settled events of one root, or of all. */
  settled(root?: string): Settled[];
  quiet(since: string, before: string): string[];
  /** Roots with a row of this user. */
  naming(userId: string): string[];
  of(root: string): readonly StoredEvent[];
  /** Replaces the rows of the root. */
  replace(root: string, events: readonly StoredEvent[]): void;
  count(): number;
  closed(): boolean;
  close(): void;
}

function heldRows(): RowsInMemory {
  const roots = new Map<string, StoredEvent[]>();
  const settled = new Map<string, readonly Settled[]>();
  const batches = new Map<string, number>();
  let closed = false;
  const open = (): void => {
    if (closed) throw new CodedError("store_closed");
  };
  const ofRoot = (root: string): readonly Settled[] => {
    const known = settled.get(root) ?? settle(roots.get(root) ?? []);
    settled.set(root, known);
    return known;
  };
  return {
    append(batch) {
      open();
      if (batches.has(batch.batchId)) return;
      // The caller may change its events later.
      const events = structuredClone(
        batch.events.map((event) => storedForm(event, batch.receivedAt)),
      );
      for (const event of events) {
        const root = event.root_trace_id ?? "";
        const held = roots.get(root);
        if (held === undefined) roots.set(root, [event]);
        else held.push(event);
        settled.delete(root);
      }
      batches.set(batch.batchId, events.length);
    },
    readBack(batchId) {
      const rows = batches.get(batchId);
      return { rows: rows ?? 0, complete: rows !== undefined };
    },
    settled(root) {
      open();
      return root === undefined ? [...roots.keys()].flatMap(ofRoot) : [...ofRoot(root)];
    },
    quiet(since, before) {
      const latest = [...roots].map(([root, held]) => ({
        root,
        last: held.map((row) => row.received_at).reduce((a, b) => (a > b ? a : b), ""),
      }));
      return latest
        .filter(({ last }) => last >= since && last < before)
        .toSorted((a, b) => compareText(a.last, b.last) || compareText(a.root, b.root))
        .map(({ root }) => root);
    },
    naming: (userId) =>
      [...roots].flatMap(([root, held]) =>
        held.some((row) => row.user_id === userId) ? [root] : [],
      ),
    of: (root) => roots.get(root) ?? [],
    replace(root, events) {
      open();
      if (events.length === 0) roots.delete(root);
      else roots.set(root, [...events]);
      settled.delete(root);
    },
    count: () => [...roots.values()].reduce((sum, held) => sum + held.length, 0),
    closed: () => closed,
    close() {
      closed = true;
    },
  };
}

interface Cut<T> {
  readonly items: readonly Item<T>[];
  readonly more: boolean;
  readonly next: Keyset | null;
}

function cut<T>(items: readonly Item<T>[], options: SliceOptions): Cut<T> {
  const after = options.after === undefined ? undefined : positionOfKeyset(options.after);
  const { receivedFrom = -Infinity } = options;
  const rest = items
    .filter(
      ({ position }) =>
        position.micros >= receivedFrom &&
        (after === undefined || comparePositions(position, after) > 0),
    )
    .toSorted((a, b) => comparePositions(a.position, b.position));
  const shown = rest.slice(0, options.limit);
  const last = shown.at(-1);
  const more = rest.length > shown.length;
  return { items: shown, more, next: more && last !== undefined ? keysetOf(last.position) : null };
}
