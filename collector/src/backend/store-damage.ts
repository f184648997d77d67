/**
 * @module StoreDamage: which file or table of a store is damaged, and what helps, from the field of
 * the store's error.
 */
import { tablesFolder } from "./store-places.ts";

/** Damage of a store. */
export interface StoreDamage {
  /** Below the data directory, or the engine of a server. */
  readonly path: string;
  /** The table that is gone; null where the file is damaged as a whole. */
  readonly table: string | null;
  /** What helps, as a part of a sentence. */
  readonly command: string;
}

const restoreData =
  "restore a backup (turnproof restore), or move the folder away to start without what it holds";
const restoreServer = "restore the database from a backup";

/** Names of engines in fields of errors. */
const engines: { readonly [name: string]: string | undefined } = {
  clickhouse: "ClickHouse",
  postgres: "PostgreSQL",
  mongodb: "MongoDB",
};

/** What lies in the data directory, or in a folder of an embedded engine. */
const folders: { readonly [name: string]: string | undefined } = {
  clickhouse: tablesFolder,
  postgres: "the folder of PostgreSQL",
};

/** Tables with the turns and the rows that they rest on; others are indexes and operators' rows. */
const evidenceTables: ReadonlySet<string> = new Set([
  "bundles",
  "evidence_bundles",
  "evidence_roots",
  "root_epochs",
  "roots",
  "turn_ledger",
  "turn_records",
  "turn_versions",
  "turns",
]);

/** Whether turns may rest on what is damaged. */
export function touchesTurns({ table }: StoreDamage): boolean {
  return table === null || evidenceTables.has(table);
}

/** The damage that an error stands for; undefined for any other error. */
export function damageOf(of: {
  readonly code: string;
  readonly field?: string | undefined;
  /** True where the store is a server's. */
  readonly isServer: boolean;
}): StoreDamage | undefined {
  if (of.code !== "store_corrupt") return undefined;
  const [engine = "", , table = null] = (of.field ?? "").split(" ");
  if (of.isServer) {
    return { path: engines[engine] ?? "the server", table, command: restoreServer };
  }
  const path = folders[engine] ?? "files/evidence.sqlite";
  return { path, table, command: restoreData };
}

/** The same in words. */
export function damageTexts({ path, table, command }: StoreDamage): string {
  return `damaged: ${path}${table === null ? "" : ` lacks table ${table}`}; ${command}`;
}
