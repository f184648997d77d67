/**
 * @module EvidenceCheck: checks the evidence file of a directory for damage, on an operator's
 * request. It reads the complete file and creates, changes or repairs nothing.
 */
import { open, stat } from "node:fs/promises";
import { join } from "node:path";

import { CodedError } from "@turnproof/semconv";

import { isWhole } from "../sqlite/bundle-reads.ts";
import { openSqlite, openSqliteReadOnly } from "../sqlite/sqlite-database.ts";
import type { SqliteDatabase } from "../sqlite/sqlite-database.ts";
import { codedSqlite } from "../sqlite/sqlite-error.ts";
import { isThisVersion, makeEvidenceTables } from "../sqlite/sqlite-evidence.ts";

/** State of the file; `name` is that of one of our tables or indexes. */
export type EvidenceFileState =
  | { readonly found: "whole" | "none" | "damaged" | "newer_version" | "older_version" }
  | { readonly found: "part_missing"; readonly name: string }
  | { readonly found: "rows_missing"; readonly rows: number; readonly roots: number }
  | {
      readonly found: "rows_damaged";
      readonly rows: number;
      readonly roots: number;
      /** The first of the traces. */
      readonly traces: readonly string[];
    }
  | { readonly found: "log_unreadable" | "log_alone" };

/**
 * Checks `evidence.sqlite` in this directory, and the log beside it. It takes as long as reading
 * the file once.
 * @throws CodedError driver_missing, store_busy, store_unavailable
 */
export async function checkEvidenceFile(directory: string): Promise<EvidenceFileState> {
  const path = join(directory, "evidence.sqlite");
  const size = await sizeOf(path);
  const logSize = await sizeOf(`${path}-wal`);
  if ((size ?? 0) === 0) return { found: (logSize ?? 0) > 0 ? "log_alone" : "none" };
  if ((logSize ?? 0) > 0 && !(await isLog(`${path}-wal`))) return { found: "log_unreadable" };
  try {
    // While a process has the file open, a log exists beside it, possibly empty.
    return await codedSqlite(() => lookAt(openSqliteReadOnly(path, logSize === undefined)));
  } catch (error) {
    if (CodedError.is(error) && error.code === "store_corrupt") return { found: "damaged" };
    if (CodedError.is(error) && error.code === "store_version_newer") {
      return { found: "newer_version" };
    }
    throw error;
  }
}

function lookAt(database: SqliteDatabase): EvidenceFileState {
  try {
    const isCurrent = isThisVersion(database);
    const [row] = database.prepare("PRAGMA quick_check(1)").all();
    if (row?.["quick_check"] !== "ok") return { found: "damaged" };
    const held = namesIn(database);
    // A process killed while creating the file leaves one that the next start completes.
    if (!isCurrent) return { found: isUnmarked(database) ? "none" : "older_version" };
    const missing = partsOfSchema().find((name) => !held.has(name));
    if (missing !== undefined) return { found: "part_missing", name: missing };
    return damagedRows(database) ?? missingRows(database) ?? { found: "whole" };
  } finally {
    database.close();
  }
}

/** Roots with fewer stored rows than were counted as they were written. */
function missingRows(database: SqliteDatabase): EvidenceFileState | undefined {
  const row = database
    .prepare(
      `SELECT count(*) AS roots, coalesce(sum(rows - held), 0) AS rows FROM (
        SELECT rows, coalesce((SELECT sum(events) FROM bundles WHERE root = roots.id), 0) AS held
        FROM roots
      ) WHERE held < rows`,
    )
    .get();
  const [roots, rows] = [Number(row?.["roots"]), Number(row?.["rows"])];
  return roots > 0 ? { found: "rows_missing", rows, roots } : undefined;
}

/** Most traces that are named. */
const tracesMax = 10_000;

/** Bundles whose bytes are not those that were written, by their checksum. */
function damagedRows(database: SqliteDatabase): EvidenceFileState | undefined {
  const roots = new Set<number>();
  let rows = 0;
  // In slices: a file may be larger than the memory.
  const slice = database.prepare(
    "SELECT id, root, segments, crc FROM bundles WHERE id > ? ORDER BY id LIMIT 200",
  );
  let found = slice.all(Number.MIN_SAFE_INTEGER);
  while (found.length > 0) {
    for (const row of found) {
      if (isWhole(String(row["segments"]), Number(row["crc"]))) continue;
      rows += 1;
      roots.add(Number(row["root"]));
    }
    found = slice.all(Number(found.at(-1)?.["id"]));
  }
  if (rows === 0) return undefined;
  const name = database.prepare("SELECT root_trace_id AS name FROM roots WHERE id = ?");
  const traces = [...roots].slice(0, tracesMax).flatMap((root) => {
    const found = name.get(root)?.["name"];
    return typeof found === "string" ? [found] : [];
  });
  return { found: "rows_damaged", rows, roots: roots.size, traces };
}

function isUnmarked(database: SqliteDatabase): boolean {
  return database.prepare("PRAGMA user_version").get()?.["user_version"] === 0;
}

function namesIn(database: SqliteDatabase): ReadonlySet<string> {
  const rows = database.prepare("SELECT name FROM sqlite_master").all();
  return new Set(rows.map(({ name }) => String(name)));
}

/** Tables and indexes of a file of this version. */
function partsOfSchema(): readonly string[] {
  const database = openSqlite(":memory:");
  try {
    makeEvidenceTables(database);
    const names = [...namesIn(database)];
    return names.filter((name) => !name.startsWith("sqlite_"));
  } finally {
    database.close();
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new CodedError("store_unavailable", { cause: error });
  }
}

/** The first bytes of a log ("Database File Format", 4.1): an invalid header is ignored. */
const headerBytes = 32;
const magics: ReadonlySet<number> = new Set([0x377f0682, 0x377f0683]);

/** True where the engine would read the log: its header is complete, by its checksum. */
async function isLog(path: string): Promise<boolean> {
  const header = Buffer.alloc(headerBytes);
  try {
    const file = await open(path);
    try {
      const { bytesRead } = await file.read(header, 0, headerBytes, 0);
      if (bytesRead < headerBytes) return false;
    } finally {
      await file.close();
    }
  } catch {
    return false;
  }
  const magic = header.readUInt32BE(0);
  if (!magics.has(magic)) return false;
  const word = (at: number): number =>
    magic === 0x377f0683 ? header.readUInt32BE(at) : header.readUInt32LE(at);
  let [first, second] = [0, 0];
  for (let at = 0; at < 24; at += 8) {
    first = (first + word(at) + second) >>> 0;
    second = (second + word(at + 4) + first) >>> 0;
  }
  return first === header.readUInt32BE(24) && second === header.readUInt32BE(28);
}
