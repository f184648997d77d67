/**
 * @module OldTables: tables of evidence from versions before the ledger: one row per event in
 * `events`, and verdicts in a table of their own. Tables whose names views have now are renamed,
 * and remain until they are dropped.
 */
import { onCluster } from "./cluster-tables.ts";
import type { Engine, Tables } from "./engine.ts";

/** The table of events of an older version, and the tables written beside it. */
const oldEventsTable = "old_events";
const oldTurnsTable = "old_turns";
const besides = ["locate", "batches", oldTurnsTable, "touched"] as const;
/** Its verdicts, and a copy that a killed run may have left. */
const verdicts = ["verdicts", "verdicts_local", "verdicts_active"] as const;

/** State of an older version's data; undefined where there is none. */
export interface OldEventTables {
  /** The table's name: the new one, or the original where nothing was changed yet. */
  readonly table: string;
  readonly events: number;
  /** True when slices of it may have been copied. */
  readonly noted: boolean;
  /** True when all of it is in bundles. */
  readonly copied: boolean;
}

/** Marker in the table of copied slices when all of them are copied. */
export const allCopied = "all";

/** Renames the tables of events and turns of an older version, if there are any. */
export async function renameOldTables({ engine, cluster }: Tables): Promise<void> {
  const tables = await tablesOf(engine);
  for (const [name, old] of [
    ["events", oldEventsTable],
    ["turns", oldTurnsTable],
  ] as const) {
    const named = tables.get(name);
    if (named === undefined || named.engine === "View") continue;
    await engine.command(`RENAME TABLE ${name} TO ${old}${onCluster(cluster)}`);
  }
}

/** Data of an older version; changes nothing. */
export async function oldEvents(engine: Engine): Promise<OldEventTables | undefined> {
  const tables = await tablesOf(engine);
  const table = tables.has(oldEventsTable) ? oldEventsTable : "events";
  const held = tables.get(table);
  if (held === undefined || held.engine === "View") return undefined;
  if (!tables.has("copied_slices"))
    return { table, events: held.rows, noted: false, copied: false };
  const done = await engine.query(
    `SELECT 1 AS one FROM copied_slices WHERE slice = '${allCopied}' LIMIT 1`,
  );
  return { table, events: held.rows, noted: true, copied: done.rows > 0 };
}

/** True where verdicts of an earlier build exist without old events. */
export async function hasVerdictsAlone(engine: Engine): Promise<boolean> {
  const tables = await tablesOf(engine);
  return tables.has("verdicts") && !tables.has(oldEventsTable);
}

interface HeldTables {
  readonly engine: string;
  readonly rows: number;
}

async function tablesOf(engine: Engine): Promise<ReadonlyMap<string, HeldTables>> {
  const answer = await engine.query(
    `SELECT name, engine, toFloat64(ifNull(total_rows, 0)) AS rows FROM system.tables
WHERE database = currentDatabase() AND name IN ('events', 'turns', '${oldEventsTable}', 'copied_slices',
    'verdicts')`,
  );
  const column = (name: string): readonly unknown[] => answer.columns.get(name) ?? [];
  return new Map(
    column("name").map((name, at) => [
      String(name),
      { engine: String(column("engine")[at]), rows: Number(column("rows")[at]) },
    ]),
  );
}

/** Drops the tables of an older version. */
export async function dropOldTables({ engine, cluster }: Tables): Promise<void> {
  for (const table of [...besides, ...verdicts, oldEventsTable]) {
    await engine.command(`DROP TABLE IF EXISTS ${table}${onCluster(cluster)} SYNC`);
  }
}
