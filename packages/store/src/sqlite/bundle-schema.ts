/** @module BundleSchema: the tables of bundles in SQLite. */
import { anyTime } from "../bundle/own-range.ts";

/**
 * First and last second of the events' own times. A root of an older version holds any time,
 * whatever is added to it.
 */
export const ownColumns: readonly string[] = Object.entries(anyTime).map(
  ([name, value]) => `${name} INTEGER NOT NULL DEFAULT ${String(value)}`,
);

/** Statements that create the tables; each may be run again. */
export const bundleTablesSql: readonly string[] = [
  // A batch stays known when its rows are deleted, so that a copy of it is never stored again.
  `CREATE TABLE IF NOT EXISTS batches (
    id INTEGER PRIMARY KEY, batch_id TEXT NOT NULL UNIQUE, events INTEGER NOT NULL
  ) STRICT`,
  // Facts about a root before it is read; receipts in microseconds since the epoch. `touched` is
  // its newest row of bundles.
  `CREATE TABLE IF NOT EXISTS roots (
    id INTEGER PRIMARY KEY, root_trace_id TEXT NOT NULL UNIQUE, first INTEGER NOT NULL,
    last INTEGER NOT NULL, rows INTEGER NOT NULL, touched INTEGER NOT NULL,
    ${ownColumns.join(", ")}
  ) STRICT`,
  "CREATE INDEX IF NOT EXISTS roots_last ON roots (last)",
  "CREATE INDEX IF NOT EXISTS roots_touched ON roots (touched)",
  `CREATE TABLE IF NOT EXISTS bundles (
    id INTEGER PRIMARY KEY AUTOINCREMENT, root INTEGER NOT NULL, batch INTEGER NOT NULL,
    events INTEGER NOT NULL, crc INTEGER NOT NULL, segments TEXT NOT NULL
  ) STRICT`,
  "CREATE INDEX IF NOT EXISTS bundles_root ON bundles (root)",
  "CREATE INDEX IF NOT EXISTS bundles_batch ON bundles (batch, events)",
  `CREATE TABLE IF NOT EXISTS bundle_words (
    hash INTEGER NOT NULL, root INTEGER NOT NULL, PRIMARY KEY (hash, root)
  ) STRICT, WITHOUT ROWID`,
];
