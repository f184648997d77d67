/**
 * @module LegacyFiles: the folder of bundles that an earlier version wrote: a JSON file for each
 * record, and an `index.json` that may know no users. Nothing here is ever written.
 */
import { legacyCollection, legacyRowsOf } from "../legacy-bundles.ts";
import type { LegacyBundles, LegacyRows } from "../legacy-bundles.ts";
import type { Disk } from "./disk.ts";
import { parseObject } from "./document.ts";
import { indexName } from "./folder-index.ts";
import { legacyIndex } from "./legacy-rows.ts";

const none: LegacyRows = { roots: new Map(), errors: [], cut: false };

/** The bundles of a disk, read again when their folder changed. */
export function legacyFiles(disk: Disk): LegacyBundles {
  let known: { readonly changedMs: number; readonly rows: LegacyRows } | undefined;
  return {
    async read() {
      const stat = await disk.stat([legacyCollection]);
      if (stat?.kind !== "folder") return none;
      if (known?.changedMs !== stat.changedMs) {
        const rows = legacyRowsOf(await readRecords(disk));
        known = { changedMs: stat.changedMs, rows };
      }
      return known.rows;
    },
  };
}

/** The records, each over what the index says of it: what a record says itself is the truth. */
async function readRecords(disk: Disk): Promise<unknown[]> {
  const files = (await disk.list([legacyCollection])).filter((name) => name.endsWith(".json"));
  const index = legacyIndex(await disk.read([legacyCollection, indexName]));
  const records: unknown[] = [];
  for (const name of files.toSorted()) {
    if (name === indexName) continue;
    const bytes = await disk.read([legacyCollection, name]);
    if (bytes === undefined) continue;
    const said = parseObject(bytes);
    const indexed = index(name.slice(0, -5)) ?? index(name) ?? {};
    // A damaged file is a record that cannot be read, which is a finding.
    records.push(said === undefined ? undefined : { ...levelsOf(indexed), ...said });
  }
  return records;
}

const levels = ["user_id", "agent_id", "memory_id", "thread_id", "created_at"] as const;

function levelsOf(entry: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    levels.flatMap((name) => (entry[name] === undefined ? [] : [[name, entry[name]]])),
  );
}
