/** @module BundleWriter: a batch as rows of bundles, in one transaction. */
import type { SqliteDatabase, SqliteStatement } from "./sqlite-database.ts";

import type { BatchReadback, EvidenceBatch } from "@turnproof/evidence";

import { packBundles } from "../bundle/pack.ts";
import type { BundleRow } from "../bundle/pack.ts";
import { storedForm } from "../stored-event.ts";

/** Writes batches; each is there whole or not at all. */
export interface BundleWriter {
  append(batch: EvidenceBatch): void;
  readBack(batchId: string): BatchReadback;
}

/** A writer over a database that has the tables. */
export function bundleWriter(database: SqliteDatabase): BundleWriter {
  const statements = statementsOf(database);
  return {
    append(batch) {
      if (statements.known.get(batch.batchId) !== undefined) return;
      const events = batch.events.map((event) => storedForm(event, batch.receivedAt));
      const rows = packBundles(events);
      database.exec("BEGIN IMMEDIATE");
      try {
        const { changes } = statements.batch.run(batch.batchId, batch.receivedAt, events.length);
        // Another process was first.
        if (changes !== 0) putAll(statements, batch.batchId, rows);
        database.exec("COMMIT");
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      }
    },
    readBack(batchId) {
      const known = statements.known.get(batchId);
      return { rows: Number(known?.["events"] ?? 0), complete: known !== undefined };
    },
  };
}

interface Statements {
  readonly known: SqliteStatement;
  readonly batch: SqliteStatement;
  readonly root: SqliteStatement;
  readonly bundle: SqliteStatement;
  readonly word: SqliteStatement;
}

function statementsOf(database: SqliteDatabase): Statements {
  return {
    known: database.prepare("SELECT events FROM batches WHERE batch_id = ?"),
    batch: database.prepare("INSERT OR IGNORE INTO batches VALUES (?, ?, ?)"),
    root: database.prepare(
      `INSERT INTO roots (root_trace_id, first, last, rows, evidence) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (root_trace_id) DO UPDATE SET first = min(first, excluded.first),
         last = max(last, excluded.last), rows = rows + excluded.rows,
         evidence = max(evidence, excluded.evidence)
       RETURNING id`,
    ),
    bundle: database.prepare(
      "INSERT INTO bundles (root, batch_id, first, last, events, segments) VALUES (?, ?, ?, ?, ?, ?)",
    ),
    word: database.prepare("INSERT OR IGNORE INTO bundle_words VALUES (?, ?)"),
  };
}

function putAll(statements: Statements, batchId: string, rows: readonly BundleRow[]): void {
  const words: { readonly hash: number; readonly root: number }[] = [];
  for (const row of rows) {
    const { first_received: first, last_received: last, events } = row;
    const held = statements.root.get(row.root_trace_id, first, last, events, Number(row.evidence));
    const root = Number(held?.["id"]);
    statements.bundle.run(root, batchId, first, last, events, row.segments);
    for (const hash of row.hashes) words.push({ hash, root });
  }
  // In the order of the index: neighbours are written into one page.
  words.sort((a, b) => a.hash - b.hash || a.root - b.root);
  for (const { hash, root } of words) statements.word.run(hash, root);
}
