/**
 * @module PartialFolder: a folder that a command fills before what it made gets its name. A marker
 * names the command, and a lock its process: what another made, or still fills, is left alone.
 */
import { lstat, mkdir, readFile, readdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { nodeFileSystem } from "@turnproof/journal";
import { lockDirectory, makeDirectory } from "@turnproof/journal/process-lock";
import { CodedError } from "@turnproof/semconv";
import { z } from "zod";

import { isFull } from "../access/audit/reserve.ts";
import { version } from "../version.ts";

const markerName = "made-by.json";
const marker = z.object({ command: z.string(), version: z.string() });
const lockName = /^owner-[a-z0-9-]+\.lock$/;

/** Commands that fill a folder first. */
export type FillingCommand = "backup" | "restore";

/**
 * Runs `fill` with an empty folder inside of `path`, and removes `path` afterwards. What an
 * interrupted run of the same command left there is removed first.
 *
 * @throws CodedError folder_not_empty naming a folder that this command did not make, not_a_folder;
 *   folder_locked while another process fills it
 */
export async function withPartial<T>(
  path: string,
  command: FillingCommand,
  fill: (content: string) => Promise<T>,
): Promise<T> {
  makeDirectory(dirname(path));
  await mkdir(path, { mode: 0o700 }).catch(async (error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    await requireOwn(path, command);
  });
  const lock = await lockDirectory({ directory: path });
  if (lock === undefined) throw new CodedError("folder_locked", { field: path });
  try {
    await removeContent(path);
    const made = `${JSON.stringify({ command, version })}\n`;
    await writeFile(join(path, markerName), made, { mode: 0o600, flush: true });
    const content = join(path, "content");
    await mkdir(content, { mode: 0o700 });
    return await fill(content);
  } finally {
    await removeContent(path);
    // Last, so that an interruption leaves a folder that is known as this command's, or is empty.
    await rm(join(path, markerName), { force: true });
    await lock.release();
    // Another process may have it by now.
    await rmdir(path).catch(() => {});
  }
}

/** A folder without content may be used: nothing is deleted. */
async function requireOwn(path: string, command: FillingCommand): Promise<void> {
  if (!(await lstat(path)).isDirectory()) throw new CodedError("not_a_folder", { field: path });
  const names = (await readdir(path)).filter((name) => !lockName.test(name));
  if (names.every((name) => name === markerName)) return;
  // Without a marker that can be read it is another's.
  const text = await readFile(join(path, markerName), "utf8").catch(() => "");
  if (commandOf(text) !== command) throw new CodedError("folder_not_empty", { field: path });
}

function commandOf(text: string): string | undefined {
  try {
    return marker.parse(JSON.parse(text)).command;
  } catch {
    return undefined;
  }
}

async function removeContent(path: string): Promise<void> {
  await rm(join(path, "content"), { recursive: true, force: true });
}

/**
 * Renames a folder to `target`, which is absent or an empty folder, and syncs its parent directory.
 *
 * @throws CodedError folder_not_empty
 */
export async function moveInto(folder: string, target: string): Promise<void> {
  // It is empty, or not there.
  await rmdir(target).catch(() => {});
  await rename(folder, target).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
    throw new CodedError("folder_not_empty", { field: target });
  });
  await nodeFileSystem.syncDirectory(dirname(target));
}

/** @throws CodedError disk_full naming the place where there is no space */
export async function onDisk<T>(place: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isFull(error)) throw new CodedError("disk_full", { field: place });
    throw error;
  }
}
