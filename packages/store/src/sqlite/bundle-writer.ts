/** @module BundleWriter: writes a batch as rows of bundles, in one transaction. */
import type { SqliteDatabase, SqliteStatement } from "./sqlite-database.ts";

import { crc32 } from "node:zlib";

import type { BatchReadback, EvidenceBatch, PreparedBatch } from "@turnproof/evidence";

import { packBundles } from "../bundle/pack.ts";
import type { BundleRow } from "../bundle/pack.ts";
import { anyTime } from "../bundle/own-range.ts";
import { rowsOfBatch } from "../bundle/prepared-rows.ts";
import { paced } from "../paced.ts";
import type { StoredEvent } from "../stored-event.ts";
import { transaction } from "./sqlite-database.ts";

/** Writes batches; each is stored completely or not at all. */
export interface BundleWriter {
  append(batch: EvidenceBatch | PreparedBatch): Promise<void>;
  /**
   * Writes events in stored form, and parts of roots whose rows are unreadable; a known batch is
   * skipped. Only inside a transaction.
   */
  put(batchId: string, events: readonly StoredEvent[], lost?: readonly LostPart[]): void;
  isKnown(batchId: string): boolean;
  readBack(batchId: string): BatchReadback;
}

/** Damaged rows of a root: the root is hidden, because its tenant is unknown. */
export interface LostPart {
  readonly root: string;
  readonly rows: number;
  /** Receipts in microseconds since the epoch. */
  readonly first: number;
  readonly last: number;
}

/**
 * A writer over a database that has the tables.
 *
 * @param reader another connection, which sees a batch once it is stored: writes then yield to
 * other
 * work of the thread. Undefined: this connection is also used for reads
 */
export function bundleWriter(database: SqliteDatabase, reader?: SqliteDatabase): BundleWriter {
  const statements = statementsOf(database);
  const stored = storedStatements(reader ?? database);
  const steps = function* steps(batchId: string, rows: readonly BundleRow[]): Generator<void> {
    const events = rows.reduce((sum, row) => sum + row.events, 0);
    const known = statements.batch.get(batchId, events);
    // Another process was first.
    if (known !== undefined) yield* putAll(statements, Number(known["id"]), rows);
  };
  return {
    async append(batch) {
      if (stored.known.get(batch.batchId) !== undefined) return;
      // Where another connection reads, the thread answers its readers meanwhile.
      const rows = await rowsOfBatch(batch, reader !== undefined);
      await transaction(database, () =>
        inSteps(steps(batch.batchId, rows), reader === undefined ? undefined : paced()),
      );
    },
    put: (batchId, events, lost = []) =>
      atOnce(steps(batchId, [...packBundles(events), ...lost.map(lostRow)])),
    isKnown: (batchId) => stored.known.get(batchId) !== undefined,
    readBack(batchId) {
      const known = stored.known.get(batchId);
      if (known === undefined) return { rows: 0, complete: false };
      const held = stored.held.get(known["id"] as number);
      return { rows: Number(known["events"]), complete: held?.["events"] === known["events"] };
    },
  };
}

/** Yields to other work after the thread was blocked for too long. */
export type Pace = () => Promise<void>;

/** Runs steps to their end, without yielding where there is no pace. */
export function inSteps(steps: Iterable<unknown>, pace: Pace | undefined): void | Promise<void> {
  if (pace === undefined) atOnce(steps);
  else return withPauses(steps, pace);
}

async function withPauses(steps: Iterable<unknown>, pace: Pace): Promise<void> {
  for (const _step of steps) await pace();
}

function atOnce(steps: Iterable<unknown>): void {
  for (const _step of steps);
}

/** The body of a lost part is empty, which is invalid, so that reads refuse it. */
function lostRow({ root, rows, first, last }: LostPart): BundleRow {
  return {
    root_trace_id: root,
    first_received: first,
    last_received: last,
    ...anyTime,
    events: rows,
    evidence: true,
    hashes: [],
    segments: "",
  };
}

const wordsPerStep = 256;

function storedStatements(
  database: SqliteDatabase,
): Readonly<Record<"known" | "held", SqliteStatement>> {
  return {
    known: database.prepare("SELECT id, events FROM batches WHERE batch_id = ?"),
    held: database.prepare(
      "SELECT coalesce(sum(events), 0) AS events FROM bundles WHERE batch = ?",
    ),
  };
}

type Name = "batch" | "root" | "bundle" | "touch" | "word";

function statementsOf(database: SqliteDatabase): Readonly<Record<Name, SqliteStatement>> {
  return {
    batch: database.prepare(
      `INSERT INTO batches (batch_id, events) VALUES (?, ?)
       ON CONFLICT (batch_id) DO NOTHING RETURNING id`,
    ),
    root: database.prepare(
      `INSERT INTO roots (root_trace_id, first, last, rows, touched, own_from, own_to)
       VALUES (?, ?, ?, ?, 0, ?, ?)
       ON CONFLICT (root_trace_id) DO UPDATE SET first = min(first, excluded.first),
         last = max(last, excluded.last), rows = rows + excluded.rows,
         own_from = min(own_from, excluded.own_from), own_to = max(own_to, excluded.own_to)
       RETURNING id`,
    ),
    bundle: database.prepare(
      `INSERT INTO bundles (root, batch, events, crc, segments) VALUES (?, ?, ?, ?, ?)
       RETURNING id`,
    ),
    touch: database.prepare("UPDATE roots SET touched = ? WHERE id = ?"),
    word: database.prepare("INSERT OR IGNORE INTO bundle_words VALUES (?, ?)"),
  };
}

function* putAll(
  statements: Readonly<Record<Name, SqliteStatement>>,
  batch: number,
  rows: readonly BundleRow[],
): Generator<void> {
  const words: { readonly hash: number; readonly root: number }[] = [];
  for (const row of rows) {
    const { first_received: first, last_received: last, events, segments } = row;
    const bounds = [row.own_from, row.own_to] as const;
    const held = statements.root.get(row.root_trace_id, first, last, events, ...bounds);
    const root = Number(held?.["id"]);
    const bundle = statements.bundle.get(root, batch, events, crc32(segments), segments);
    statements.touch.run(Number(bundle?.["id"]), root);
    for (const hash of row.hashes) words.push({ hash, root });
    yield;
  }
  // In the order of the index: neighbours are written to the same page.
  words.sort((a, b) => a.hash - b.hash || a.root - b.root);
  for (const [at, { hash, root }] of words.entries()) {
    statements.word.run(hash, root);
    if (at % wordsPerStep === 0) yield;
  }
}
