/**
 * @module DoctorAccess: result of `turnproof doctor` for the permissions of this user on what a
 * collector reads and writes. Nothing is made or changed.
 */
import { existsSync, readdirSync, statSync } from "node:fs";
import type { Dirent } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { CodedError, codes } from "@turnproof/semconv";

import { auditFileOf, retentionFileOf } from "../access/audit/audit-file.ts";
import { serverOf } from "../backend/backend.ts";
import { postgresFolder } from "../backend/postgres-place.ts";
import { evidenceFolder, memoryFolder } from "../backend/store-places.ts";
import { missingAccess } from "../config/data-files.ts";
import type { Config } from "../config/config.ts";
import { opensAlone } from "./doctor-collector.ts";
import type { Check } from "./doctor-evidence.ts";
import { adviceOf } from "./failure.ts";
import { refusedCall } from "./system-failure.ts";

const check = "permissions";

/** A file or folder, which may not be there; what is in a folder has the same needs. */
interface Place {
  readonly path: string;
  readonly isWritten: boolean;
  /** True for a folder of which the content does not matter. */
  readonly isAlone?: boolean;
}

/** State beside the stores. */
const stateFiles = [
  "alerts.json",
  "collector-id",
  "ended-sessions.json",
  "evidence-account.jws",
  "judge.json",
  "keys-made",
  "sessions.json",
  "store-damage.json",
] as const;

/** Parts of a log of accesses; rotated files are only read. */
const logParts = ["", ".salts", ".checkpoints", ".tree", ".reserve", ".owners"] as const;

/** One check for each place of which something cannot be read or written; one for all else. */
export function accessChecks(config: Config): readonly Check[] {
  const { dataDir, readOnly, backend } = config;
  if (!existsSync(dataDir)) return [];
  const isWritten = !readOnly && backend !== "ephemeral";
  const [whole] = missingIn({ path: dataDir, isWritten, isAlone: true });
  // What is in a folder that cannot be read is unknown, and all of a read-only file system is so.
  const isAll = whole?.code === "file_unreadable" || whole?.field?.endsWith(": EROFS") === true;
  const checks = [
    ...(whole === undefined ? [] : [failed([whole])]),
    ...(isAll ? [] : placesOf(config).flatMap(placeCheck)),
  ];
  if (checks.length > 0) return checks;
  return [{ check, state: "ok", message: "This user can read and write what is there." }];
}

function placesOf(config: Config): readonly Place[] {
  const { dataDir, readOnly, auditLog } = config;
  const inData = (name: string): string => join(dataDir, name);
  const logs = [auditFileOf(config), retentionFileOf(config)];
  const written = [
    ...["journal", "forward", "health"].map(inData),
    ...logs.flatMap((log) => logParts.map((part) => `${log}${part}`)),
  ];
  const kept = [...stateFiles.map(inData), ...storeFolders(config)];
  // The folder of a log that lies elsewhere gets its rotated files; the data directory has a check.
  const folder = auditLog === undefined ? dataDir : dirname(resolve(auditLog));
  return [
    ...written.map((path) => ({ path, isWritten: true })),
    ...kept.map((path) => ({ path, isWritten: !readOnly })),
    { path: inData("keys"), isWritten: false },
    ...(folder === resolve(dataDir) ? [] : [{ path: folder, isWritten: true, isAlone: true }]),
  ];
}

/** Folders of embedded stores; a server has none. */
function storeFolders(config: Config): readonly string[] {
  const { dataDir, backend, memoryBackend, postgresUrl = "" } = config;
  const folders: string[] = [];
  if (backend === "filesystem") folders.push(evidenceFolder(config));
  if (memoryBackend === "filesystem") folders.push(memoryFolder(config));
  if (backend === "clickhouse" && serverOf(config) === undefined) {
    folders.push(join(dataDir, "clickhouse"));
  }
  const embedded = [backend, memoryBackend].includes("postgres") && postgresFolder(postgresUrl);
  return typeof embedded === "string" ? [...folders, embedded] : folders;
}

/**
 * The check of an embedded store that this user cannot open to look into it; undefined where it
 * can. An engine writes as it opens, and takes what it may not read for damage.
 */
export function closedStoreCheck(config: Config, subject: string): Check | undefined {
  const missing = storeFolders(config).flatMap((path) => [
    ...missingIn({ path, isWritten: opensAlone(config) }),
  ]);
  const [first] = missing;
  if (first === undefined) return undefined;
  const message = `It was not inspected, because a permission is missing: ${first.code} (${first.field}).`;
  return { check: subject, state: "unknown", message };
}

function placeCheck(place: Place): readonly Check[] {
  const found = [...missingIn(place)];
  return found.length === 0 ? [] : [failed(found)];
}

/** @param found at least one */
function failed(found: readonly CodedError[]): Check {
  const [{ code, field = "" } = new CodedError("file_unreadable")] = found;
  const more = found.length === 1 ? "" : ` and ${found.length - 1} more`;
  const advice = adviceOf(code, field) ?? "";
  const message = `${code} (${field})${more}: ${codes[code].sentence} ${advice}`;
  return { check, state: "fail", message: message.trimEnd() };
}

/** What cannot be read or written, with what is in it; links in a folder are not followed. */
function* missingIn({ path, isWritten, isAlone = false }: Place): Generator<CodedError> {
  const isFolder = isFolderAt(path);
  const missing = missingAccess(path, { isFolder, isWritten });
  if (missing !== undefined) yield missing;
  if (!isFolder || isAlone || missing?.code === "file_unreadable") return;
  for (const entry of entriesOf(path)) {
    if (entry.isSymbolicLink()) continue;
    yield* missingIn({ path: join(path, entry.name), isWritten });
  }
}

/** What is in a folder; nothing where it is gone, as parts of a running engine are. */
function entriesOf(path: string): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** False where this user cannot reach the path, which the check of its access finds. */
function isFolderAt(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}

/**
 * Runs checks of which one may meet a file that this user cannot read: their subject is unknown
 * then, and the rest is checked.
 */
export async function inspected(
  subject: string,
  run: () => readonly Check[] | Promise<readonly Check[]>,
): Promise<readonly Check[]> {
  try {
    return await run();
  } catch (error) {
    const refused = refusedCall(error);
    if (refused === undefined) throw error;
    const { code, field = "" } = refused;
    const message = `It could not be inspected: ${code} (${field}).`;
    return [{ check: subject, state: "unknown", message }];
  }
}
