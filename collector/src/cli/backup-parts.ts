/**
 * @module BackupParts: the parts of a data directory in the order in which they are copied while a
 * collector runs: first what is behind the store, then the store. What was in the journal by then
 * is stored again after a restore and leaves no second event.
 */
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { checkpointNames } from "@turnproof/journal";
import { CodedError } from "@turnproof/semconv";

import { rotatedFiles } from "../access/audit/lines.ts";
import { saltsFile } from "../access/audit/salts.ts";
import { fieldOf, madeSecrets } from "../access/stable-secret.ts";
import { ifThere } from "../config/data-files.ts";
import { copyHashed } from "./backup-manifest.ts";
import type { BackupEntry } from "./backup-manifest.ts";

/** Folder of the data directory in a backup. */
export const dataFolder = "data";
/** Folder of the audit log in a backup, where each file has the name of a log `audit.jsonl`. */
export const auditFolder = "audit";
/** Name of the log in that folder. */
export const auditName = "audit.jsonl";

const keysFolder = "keys";

/** Folders that are copied in their own way, or made anew. */
const ownWays: ReadonlySet<string> = new Set([
  "journal",
  "forward",
  "clickhouse",
  "files",
  "memory",
]);

/** Files that belong to the running process, or are derived from others. */
const skipped = /^owner-|\.(?:next|lock|partial)$|^reserve$|\.reserve$|^index\.(?:json|dirty)$/;

/** Copies one file under a path of the backup; a file that is gone meanwhile gives no entry. */
async function copyFile(
  from: string,
  { to, path, bytesMax }: { to: string; path: string; bytesMax?: number },
): Promise<BackupEntry[]> {
  const target = join(to, path);
  try {
    return [{ is: "file", path, ...(await copyHashed(from, target, bytesMax)) }];
  } catch (cause) {
    const { code, syscall, path: at } = cause as NodeJS.ErrnoException;
    // The backup itself cannot be written.
    if (at === target || syscall === "write") throw cause;
    if (code === "ENOENT") return [];
    throw new CodedError("file_unreadable", { field: path, cause });
  }
}

async function namesIn(dataDir: string, folder = ""): Promise<readonly string[]> {
  // A folder that was never made holds nothing.
  const names = (await ifThere(readdir(join(dataDir, folder)), folder || dataFolder)) ?? [];
  return names.filter((name) => !skipped.test(name)).toSorted();
}

/**
 * State beside the stores: keys, sessions, the judge's mark. It is copied first.
 *
 * @throws CodedError file_unreadable; key_unusable naming a key that was made and is not there
 */
export async function copyState(
  dataDir: string,
  to: string,
  auditFile: string | undefined,
): Promise<BackupEntry[]> {
  const entries: BackupEntry[] = [];
  const audit = auditFile === undefined ? undefined : basename(auditFile);
  const names = await namesIn(dataDir);
  for (const name of names.filter((name) => name !== keysFolder)) {
    if (ownWays.has(name) || (audit !== undefined && name.startsWith(audit))) continue;
    // The collector runs on and may have deleted the file after the listing.
    const found = await ifThere(stat(join(dataDir, name)), name);
    if (found?.isFile() !== true) continue;
    const path = `${dataFolder}/${name}`;
    entries.push(...(await copyFile(join(dataDir, name), { to, path })));
  }
  // After the list of them, so that each key of the list is in the folder.
  entries.push(...(await copyDocuments(dataDir, to, keysFolder)));
  const [missing] = missingKeys(join(to, dataFolder), entries);
  if (missing !== undefined) throw new CodedError("key_unusable", { field: fieldOf(missing) });
  return entries;
}

/** Keys that were made in this data directory and are not among the entries of its backup. */
export function missingKeys(dataDir: string, entries: readonly BackupEntry[]): readonly string[] {
  const paths = new Set(entries.map(({ path }) => path));
  return madeSecrets(dataDir).filter((name) => !paths.has(`${dataFolder}/${fieldOf(name)}`));
}

/** The files of a folder and its folders, each whole as it was at some moment. */
export async function copyDocuments(
  dataDir: string,
  to: string,
  folder: string,
): Promise<BackupEntry[]> {
  const entries: BackupEntry[] = [];
  for (const name of await namesIn(dataDir, folder)) {
    const inside = `${folder}/${name}`;
    // The collector runs on and may have deleted the file after the listing.
    const found = await ifThere(stat(join(dataDir, inside)), inside);
    if (found?.isDirectory() === true) entries.push(...(await copyDocuments(dataDir, to, inside)));
    else {
      const path = `${dataFolder}/${inside}`;
      entries.push(...(await copyFile(join(dataDir, inside), { to, path })));
    }
  }
  return entries;
}

/**
 * The journal of evidence, or what is forwarded. The account of the latter comes before its queue:
 * a batch that it counts as queued is in the copy of the queue.
 */
export async function copyJournal(
  dataDir: string,
  to: string,
  folder: "journal" | "forward",
): Promise<BackupEntry[]> {
  if (folder === "journal") return copyFrames(dataDir, to, folder);
  const entries: BackupEntry[] = [];
  for (const name of await namesIn(dataDir, folder)) {
    if (!name.endsWith(".json")) continue;
    const inside = `${folder}/${name}`;
    entries.push(
      ...(await copyFile(join(dataDir, inside), { to, path: `${dataFolder}/${inside}` })),
    );
  }
  return [...entries, ...(await copyFrames(dataDir, to, `${folder}/queue`))];
}

/**
 * A directory of frames: its checkpoint, then the segments of that time. The checkpoint is copied
 * as an older one: a segment that goes meanwhile was stored, and by the newest checkpoint it would
 * be lost. Only the newest of them may end inside a frame, which was not acknowledged by then.
 */
async function copyFrames(dataDir: string, to: string, folder: string): Promise<BackupEntry[]> {
  const directory = join(dataDir, folder);
  const entries: BackupEntry[] = [];
  const names = await namesIn(dataDir, folder);
  const path = `${dataFolder}/${folder}/${checkpointNames.previous}`;
  for (const name of [checkpointNames.current, checkpointNames.previous]) {
    if (entries.length > 0 || !names.includes(name)) continue;
    entries.push(...(await copyFile(join(directory, name), { to, path })));
  }
  const listed = await Promise.all(
    (await namesIn(dataDir, folder))
      .filter((name) => !name.startsWith("checkpoint"))
      .map(async (name) => ({
        name,
        // A segment that is gone was stored.
        bytesMax: (await ifThere(stat(join(directory, name)), `${folder}/${name}`))?.size,
      })),
  );
  for (const { name, bytesMax } of listed) {
    if (bytesMax === undefined) continue;
    const path = `${dataFolder}/${folder}/${name}`;
    entries.push(...(await copyFile(join(directory, name), { to, path, bytesMax })));
  }
  return entries;
}

/** Rounds before a log that is rotated again and again is given up. */
const roundsMax = 10;

/** The audit log: checkpoints before the lines that they cover, salts after their lines. */
export async function copyAudit(file: string, to: string): Promise<BackupEntry[]> {
  for (let round = 1; ; round += 1) {
    const rotated = await rotatedFiles(file);
    const sources = [`${file}.checkpoints`, ...rotated, file, `${file}.torn`, saltsFile(file)];
    const entries: BackupEntry[] = [];
    for (const source of sources) {
      const path = `${auditFolder}/${auditName}${basename(source).slice(basename(file).length)}`;
      entries.push(...(await copyFile(source, { to, path })));
    }
    // A rotation meanwhile moved lines from one file to another.
    const isSame = (await rotatedFiles(file)).length === rotated.length;
    if (isSame || round === roundsMax) return entries;
  }
}

/** Where a file of the audit log is restored to. */
export function auditPlace(path: string, file: string): string {
  const rest = path.slice(`${auditFolder}/${auditName}`.length);
  return join(dirname(file), `${basename(file)}${rest}`);
}
