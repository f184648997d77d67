/**
 * @module EngineSnapshot: the files of an embedded engine as of now, while it runs. Parts are never
 * changed once they have their name, so hard links hold them; all other files are copied. A merge
 * removes its sources some seconds later: a part that goes while it is linked is looked for again.
 */
import { copyFile, link, mkdir, readFile, readdir, readlink, rm, symlink } from "node:fs/promises";
import type { Dirent } from "node:fs";
import { join } from "node:path";

import { CodedError } from "@turnproof/semconv";

/** Rounds over one table before the snapshot gives up. */
const roundsMax = 50;

/** What a running engine keeps for itself: its lock, and what is not finished. */
const isOwn = (name: string): boolean => name === "status" || name.startsWith("tmp");

/** `<partition>_<from>_<to>_<level>`, with a fifth number after a mutation. */
const partName = /^[0-9A-Za-z-]+_\d+_\d+_\d+(_\d+)?$/;

/** Files of a part that the engine may write again. */
const rewritten: ReadonlySet<string> = new Set(["metadata_version.txt", "txn_version.txt"]);

/**
 * Makes a snapshot in a new folder on the same disk. Turns are taken before their evidence: a turn
 * that is older than its evidence is judged again, and none rests on evidence that is not there.
 *
 * @param dataDir as in the connection
 * @throws CodedError store_busy when a table changes faster than it can be linked
 */
export async function snapshotEngine(dataDir: string, to: string): Promise<void> {
  const [source, target] = [join(dataDir, "clickhouse"), join(to, "clickhouse")];
  await mkdir(target, { recursive: true });
  const first = await folderOfTurns(source);
  if (first !== undefined) await linkTable(join(source, first), join(target, first));
  await copyFolder(source, target);
}

/** Folder of the turns' table, relative to the engine's; undefined before it is made. */
async function folderOfTurns(source: string): Promise<string | undefined> {
  const metadata = join(source, "metadata", "default", "turn_ledger.sql");
  // Without the file there are no turns yet.
  const sql = await readFile(metadata, "utf8").catch(() => "");
  const uuid = /UUID '([0-9a-f-]{36})'/.exec(sql)?.[1];
  return uuid === undefined ? undefined : join("store", uuid.slice(0, 3), uuid);
}

async function copyFolder(source: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  const entries = await readdir(source, { withFileTypes: true });
  if (entries.some(({ name }) => name === "format_version.txt")) {
    await linkTable(source, target);
    return;
  }
  for (const entry of entries) if (!isOwn(entry.name)) await copyEntry(entry, source, target);
}

async function copyEntry(entry: Dirent, source: string, target: string): Promise<void> {
  const [from, to] = [join(source, entry.name), join(target, entry.name)];
  if (entry.isDirectory()) await copyFolder(from, to);
  else if (entry.isSymbolicLink()) await symlink(await readlink(from), to);
  else await unlessGone(copyFile(from, to));
}

/** Links the parts of one table, until a round finds none gone. */
async function linkTable(source: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  const done = new Set(await readdir(target));
  for (let round = 0; round < roundsMax; round += 1) {
    let gone = 0;
    for (const entry of await readdir(source, { withFileTypes: true })) {
      const { name } = entry;
      if (isOwn(name) || name.startsWith("delete_tmp") || done.has(name)) continue;
      if (!partName.test(name)) await copyEntry(entry, source, target);
      else if (!(await linkPart(join(source, name), join(target, name)))) {
        gone += 1;
        continue;
      }
      done.add(name);
    }
    if (gone === 0) return;
  }
  throw new CodedError("store_busy");
}

/** False when the part went meanwhile; nothing of it is left in the snapshot then. */
async function linkPart(source: string, target: string): Promise<boolean> {
  await mkdir(target);
  try {
    for (const entry of await readdir(source, { withFileTypes: true })) {
      const [from, to] = [join(source, entry.name), join(target, entry.name)];
      if (entry.isDirectory()) {
        if (!(await linkPart(from, to))) throw Object.assign(new Error("gone"), { code: "ENOENT" });
      } else if (rewritten.has(entry.name)) await copyFile(from, to);
      else await linkOrCopy(from, to);
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    await rm(target, { recursive: true, force: true });
    return false;
  }
}

/** A disk without hard links gets a copy. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw error;
    await copyFile(from, to);
  }
}

/** A file that goes while it is copied, such as one of a finished mutation, is not needed. */
async function unlessGone(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
