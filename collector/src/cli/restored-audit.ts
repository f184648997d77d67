/**
 * @module RestoredAudit: the audit log of a backup in its place, before the data directory is in
 * its own: a collector that starts on the data never begins another log. What an interrupted
 * restore has placed is left as it is, and nothing else is written over.
 */
import { createHash } from "node:crypto";
import { createReadStream, existsSync, realpathSync } from "node:fs";
import { mkdir, rename, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";

import { nodeFileSystem } from "@turnproof/journal";
import { makeDirectory } from "@turnproof/journal/process-lock";
import { CodedError } from "@turnproof/semconv";

import { rotatedFiles } from "../access/audit/lines.ts";
import { saltsFile } from "../access/audit/salts.ts";
import { copyHashed } from "./backup-manifest.ts";
import type { BackupEntry, Manifest } from "./backup-manifest.ts";
import { auditFolder, auditPlace } from "./backup-parts.ts";
import { onDisk, withPartial } from "./partial-folder.ts";

type LogFileEntry = Extract<BackupEntry, { is: "file" }>;

function auditEntries({ entries }: Manifest): readonly LogFileEntry[] {
  return entries
    .filter((entry): entry is LogFileEntry => entry.is === "file")
    .filter(({ path }) => path.startsWith(`${auditFolder}/`));
}

/**
 * Entries whose file is not in its place yet.
 *
 * @throws CodedError folder_not_empty naming a file of another log
 */
export async function missingAudit(
  manifest: Manifest,
  file: string,
): Promise<readonly LogFileEntry[]> {
  const entries = auditEntries(manifest);
  if (entries.length === 0) return [];
  const byPlace = new Map(entries.map((entry) => [auditPlace(entry.path, file), entry]));
  const own = [file, `${file}.checkpoints`, `${file}.torn`, saltsFile(file)];
  const missing = new Set(entries);
  for (const place of new Set([...byPlace.keys(), ...own, ...(await rotatedFiles(file))])) {
    if (!existsSync(place)) continue;
    const entry = byPlace.get(place);
    if (entry === undefined || !(await isSame(place, entry))) {
      throw new CodedError("folder_not_empty", { field: place });
    }
    missing.delete(entry);
  }
  return [...missing];
}

async function isSame(place: string, { bytes, sha256 }: LogFileEntry): Promise<boolean> {
  if ((await stat(place)).size !== bytes) return false;
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(place)) hash.update(chunk as Buffer);
  return hash.digest("hex") === sha256;
}

/**
 * Places the log of `content`, which has the data in `data`: a log inside of the data directory
 * into `data`, which is renamed afterwards, any other on its own disk.
 *
 * @throws CodedError disk_full, audit_unavailable naming the file of the log
 */
export async function placeAudit(
  manifest: Manifest,
  { file, target }: { readonly file: string; readonly target: string },
  { content, data }: { readonly content: string; readonly data: string },
): Promise<void> {
  const [realFile, realTarget] = [realPlace(file), realPlace(target)];
  if (realFile.startsWith(realTarget + sep)) {
    const inside = join(data, relative(realTarget, realFile));
    for (const { path } of auditEntries(manifest)) {
      const place = auditPlace(path, inside);
      await mkdir(dirname(place), { recursive: true, mode: 0o700 });
      await rename(join(content, path), place);
    }
    return;
  }
  if (manifest.audit === null) return;
  const missing = await missingAudit(manifest, file);
  try {
    await onDisk(file, placeElsewhere(missing, file, content));
  } catch (cause) {
    if (CodedError.is(cause)) throw cause;
    throw new CodedError("audit_unavailable", { field: file, cause });
  }
}

async function placeElsewhere(
  entries: readonly LogFileEntry[],
  file: string,
  content: string,
): Promise<void> {
  makeDirectory(dirname(file));
  await withPartial(`${file}.partial`, "restore", async (partial) => {
    for (const { path } of entries) await copyHashed(join(content, path), join(partial, path));
    for (const { path } of entries) await rename(join(partial, path), auditPlace(path, file));
    await nodeFileSystem.syncDirectory(dirname(file));
  });
}

/** The path without links, also where its last parts are not there yet. */
function realPlace(path: string): string {
  const whole = resolve(path);
  if (existsSync(whole)) return realpathSync(whole);
  const above = dirname(whole);
  return above === whole ? whole : join(realPlace(above), basename(whole));
}
