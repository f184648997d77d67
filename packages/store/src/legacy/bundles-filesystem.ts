/**
 * @module LegacyFiles: the bundles folder of an earlier version: a JSON file for each record, and
 * an `index.json` that may lack users. Never written to; files with only one user's data can be
 * deleted.
 */
import { legacyCollection, legacyErasure, legacyRowsOf } from "./bundles.ts";
import type { LegacyBundles, LegacyRows } from "./bundles.ts";
import type { Disk } from "../filesystem/disk.ts";
import { parseObject } from "../filesystem/document.ts";
import { indexName } from "../filesystem/folder-index.ts";
import { legacyIndex } from "./memory-filesystem.ts";

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
    erase: legacyErasure({
      async *list() {
        const stat = await disk.stat([legacyCollection]);
        if (stat?.kind === "folder") yield* recordsOf(disk);
      },
      async remove(names, userId) {
        for (const name of names) await disk.remove([legacyCollection, name]);
        await pruneIndex(disk, names, userId);
        await disk.sync([legacyCollection]);
        return true;
      },
    }),
  };
}

/** Removes the entries of deleted records, and all with the user, from the old index. */
async function pruneIndex(disk: Disk, names: readonly string[], userId: string): Promise<void> {
  const place = [legacyCollection, indexName];
  const bytes = await disk.read(place);
  if (bytes === undefined) return;
  const gone = new Set(names.flatMap((name) => [name, name.slice(0, -5)]));
  const isGone = (entry: unknown, key?: string): boolean => {
    if (key !== undefined && gone.has(key)) return true;
    if (typeof entry === "string") return gone.has(entry);
    if (typeof entry !== "object" || entry === null) return false;
    const stated = entry as Readonly<Record<string, unknown>>;
    if (stated["user_id"] === userId) return true;
    return ["id", "_id", "file"].some((field) => gone.has(String(stated[field])));
  };
  const prune = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.filter((entry) => !isGone(entry));
    if (typeof value !== "object" || value === null) return value;
    const kept = Object.entries(value).filter(([key, entry]) => !isGone(entry, key));
    return Object.fromEntries(kept.map(([key, entry]) => [key, prune(entry)]));
  };
  let parsed: unknown;
  try {
    parsed = JSON.parse(bytes.toString("utf8"));
  } catch {
    // A torn index cannot be edited, and its records carry their own data.
    await disk.remove(place);
    return;
  }
  await disk.replace(place, Buffer.from(JSON.stringify(prune(parsed))));
}

/** The records with their index entries; a record's own fields take precedence. */
async function readRecords(disk: Disk): Promise<unknown[]> {
  const records: unknown[] = [];
  for await (const { record } of recordsOf(disk)) records.push(record);
  return records;
}

/** The same with the names of their files. */
async function* recordsOf(
  disk: Disk,
): AsyncGenerator<{ readonly key: string; readonly record: unknown }> {
  const files = (await disk.list([legacyCollection])).filter((name) => name.endsWith(".json"));
  const index = legacyIndex(await disk.read([legacyCollection, indexName]));
  for (const name of files.toSorted()) {
    if (name === indexName) continue;
    const bytes = await disk.read([legacyCollection, name]);
    if (bytes === undefined) continue;
    const stated = parseObject(bytes);
    const indexed = index(name.slice(0, -5)) ?? index(name) ?? {};
    // A damaged file is an unreadable record, which is a finding.
    yield {
      key: name,
      record: stated === undefined ? undefined : { ...levelsOf(indexed), ...stated },
    };
  }
}

const levels = ["user_id", "agent_id", "memory_id", "thread_id", "created_at"] as const;

function levelsOf(entry: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    levels.flatMap((name) => (entry[name] === undefined ? [] : [[name, entry[name]]])),
  );
}
