/** @module RootEpochs: number of deletions in a root, by a hash that identifies no user. */
import { epochKey } from "../ledger/epoch-key.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";

/** Epochs over a database that has the table. */
export interface RootEpochs {
  of(root: string): number;
  /** Raises the epoch of a root and returns it; only inside of a transaction. */
  raise(root: string): number;
}

/** The epochs of a database. */
export function rootEpochs(database: SqliteDatabase): RootEpochs {
  const get = database.prepare("SELECT epoch FROM root_epochs WHERE root = ?");
  const raise = database.prepare(
    `INSERT INTO root_epochs VALUES (?, 1)
     ON CONFLICT (root) DO UPDATE SET epoch = epoch + 1 RETURNING epoch`,
  );
  return {
    of: (root) => Number(get.get(epochKey(root))?.["epoch"] ?? 0),
    raise: (root) => Number(raise.get(epochKey(root))?.["epoch"]),
  };
}
