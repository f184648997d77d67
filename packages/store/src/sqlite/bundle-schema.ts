/** @module BundleSchema: the tables of bundles in SQLite. */

/** Statements that make the tables, each of which may be run again. */
export const bundleTablesSql: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS batches (
    batch_id TEXT PRIMARY KEY, received_at TEXT NOT NULL, events INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  // What is known of a root before it is read; receipts in microseconds since the epoch.
  `CREATE TABLE IF NOT EXISTS roots (
    id INTEGER PRIMARY KEY, root_trace_id TEXT NOT NULL UNIQUE, first INTEGER NOT NULL,
    last INTEGER NOT NULL, rows INTEGER NOT NULL, evidence INTEGER NOT NULL
  ) STRICT`,
  "CREATE INDEX IF NOT EXISTS roots_last ON roots (last)",
  `CREATE TABLE IF NOT EXISTS bundles (
    id INTEGER PRIMARY KEY, root INTEGER NOT NULL REFERENCES roots (id), batch_id TEXT NOT NULL,
    first INTEGER NOT NULL, last INTEGER NOT NULL, events INTEGER NOT NULL, segments TEXT NOT NULL
  ) STRICT`,
  "CREATE INDEX IF NOT EXISTS bundles_root ON bundles (root)",
  `CREATE TABLE IF NOT EXISTS bundle_words (
    hash INTEGER NOT NULL, root INTEGER NOT NULL, PRIMARY KEY (hash, root)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS verdicts (
    key TEXT PRIMARY KEY, root_trace_id TEXT NOT NULL, judged_at TEXT NOT NULL,
    verdict TEXT NOT NULL
  ) STRICT, WITHOUT ROWID`,
  "CREATE INDEX IF NOT EXISTS verdicts_root ON verdicts (root_trace_id)",
];
