/**
 * @module Disk: files below one root, by lists of names that are already safe. Every folder on the
 * path must be a real folder of that root (a symbolic link counts as damage and is never
 * followed), files are replaced atomically, and no path or system message leaves this module:
 * names are made from ids.
 */
import { randomBytes } from "node:crypto";
import { dirname, join, resolve } from "node:path";

import { CodedError } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";

import { systemCode } from "./disk-calls.ts";
import type { DiskCalls, Stat } from "./disk-calls.ts";

/** A place below the root, one name per level. */
export type DiskPlace = readonly string[];

/** Files below one root. Rejects with CodedError only. */
export interface Disk {
  /** The complete file or a part of it; undefined where there is none. */
  read(
    place: DiskPlace,
    range?: { readonly at: number; readonly length: number },
  ): Promise<Buffer | undefined>;
  /** Names in a folder; empty where there is no folder. */
  list(folder: DiskPlace): Promise<readonly string[]>;
  stat(place: DiskPlace): Promise<Stat | undefined>;
  /** Creates missing folders of the path, durably. */
  ensure(folder: DiskPlace): Promise<void>;
  /** Replaces a file whole; durable after {@link Disk.sync} of its folder. */
  replace(place: DiskPlace, bytes: Uint8Array): Promise<void>;
  /** The path of a file for another engine: created (0600) where it is missing, never a link. */
  own(place: DiskPlace): Promise<string>;
  /** An empty file; true when it was not there before. */
  mark(place: DiskPlace): Promise<boolean>;
  /** Removes a file; true when it was there. */
  remove(place: DiskPlace): Promise<boolean>;
  /** Removes a folder if it is empty. */
  prune(folder: DiskPlace): Promise<void>;
  /** Waits until the names of a folder are durable. */
  sync(folder: DiskPlace): Promise<void>;
  touch(place: DiskPlace): Promise<void>;
}

const temporary = /^tmp-[0-9a-f]{16}$/;

/** True for the name of an unfinished file. */
export function isTemporary(name: string): boolean {
  return temporary.test(name);
}

/** Creates a folder and its missing parents. */
async function makeFolders(path: string, calls: DiskCalls): Promise<void> {
  try {
    await calls.mkdir(path);
  } catch (error) {
    if (systemCode(error) === "EEXIST") return;
    if (systemCode(error) !== "ENOENT" || dirname(path) === path) throw error;
    await makeFolders(dirname(path), calls);
    await makeFolders(path, calls);
  }
}

/** Opens the root, creating it when it is missing. @throws CodedError */
export async function openDisk(directory: string, calls: DiskCalls): Promise<Disk> {
  const root = await coded("read", async () => {
    await calls.realpath(directory).catch(async (error: unknown) => {
      if (systemCode(error) !== "ENOENT") throw error;
      await makeFolders(resolve(directory), calls);
    });
    return calls.realpath(directory);
  });
  const at = pathsBelow(root, calls);
  return { ...reading(at, calls), ...writing(at, calls) };
}

/** Converts names to paths. */
interface Paths {
  path(place: DiskPlace): string;
  /** The folder's path, checked to be inside the root; undefined where there is none. */
  folder(folder: DiskPlace): Promise<string | undefined>;
  /** The path of a file in such a folder; the file need not be there. */
  file(place: DiskPlace): Promise<string | undefined>;
  present(place: DiskPlace): Promise<string>;
}

function pathsBelow(root: string, calls: DiskCalls): Paths {
  const path = (place: DiskPlace): string => join(root, ...place);
  const folder: Paths["folder"] = async (names) => {
    const written = path(names);
    const real = await unlessMissing(calls.realpath(written));
    if (real !== undefined && real !== written) throw new CodedError("store_corrupt");
    return real;
  };
  const file: Paths["file"] = async (place) => {
    const parent = await folder(place.slice(0, -1));
    return parent === undefined ? undefined : join(parent, place.at(-1) ?? "");
  };
  const present: Paths["present"] = async (place) => {
    const found = await file(place);
    if (found === undefined) throw new CodedError("store_unavailable");
    return found;
  };
  return { path, folder, file, present };
}

type ReadHalf = Pick<Disk, "read" | "list" | "stat">;

function reading(at: Paths, calls: DiskCalls): ReadHalf {
  return {
    read: (place, range) =>
      coded("read", async () => {
        const path = await at.file(place);
        return path === undefined ? undefined : unlessMissing(calls.read(path, range));
      }),
    list: (folder) =>
      coded("read", async () => {
        const path = await at.folder(folder);
        return path === undefined ? [] : ((await unlessMissing(calls.list(path))) ?? []);
      }),
    stat: (place) =>
      coded("read", async () => {
        const path = await at.file(place);
        return path === undefined ? undefined : unlessMissing(calls.stat(path));
      }),
  };
}

function writing(at: Paths, calls: DiskCalls): Omit<Disk, keyof ReadHalf> {
  return {
    ensure: (folder) =>
      coded("write", async () => {
        for (let depth = 1; depth <= folder.length; depth += 1) {
          const here = folder.slice(0, depth);
          if ((await at.folder(here)) !== undefined) continue;
          await calls.mkdir(at.path(here)).catch((error: unknown) => {
            if (systemCode(error) !== "EEXIST") throw error;
          });
          if ((await at.folder(here)) === undefined) throw new CodedError("store_corrupt");
          await calls.sync(at.path(here.slice(0, -1)));
        }
      }),
    replace: (place, bytes) =>
      coded("write", async () => {
        const path = await at.present(place);
        const draft = join(path, "..", `tmp-${randomBytes(8).toString("hex")}`);
        try {
          await calls.create(draft, bytes);
          await calls.rename(draft, path);
        } catch (error) {
          // The first error is thrown; a draft that remains is never read.
          await calls.unlink(draft).catch(() => undefined);
          throw error;
        }
      }),
    mark: (place) =>
      coded("write", async () => {
        try {
          await calls.mark(await at.present(place));
          return true;
        } catch (error) {
          if (systemCode(error) === "EEXIST") return false;
          throw error;
        }
      }),
    own: (place) =>
      coded("write", async () => {
        const path = await at.present(place);
        await calls.mark(path).catch((error: unknown) => {
          if (systemCode(error) !== "EEXIST") throw error;
        });
        const { kind } = await calls.stat(path);
        if (kind !== "file") throw new CodedError("store_corrupt");
        return path;
      }),
    remove: (place) =>
      coded("write", async () => {
        const path = await at.file(place);
        if (path === undefined) return false;
        return (await unlessMissing(calls.unlink(path).then(() => true))) ?? false;
      }),
    prune: (folder) =>
      coded("write", async () => {
        const path = await at.folder(folder);
        // A folder that is not empty stays.
        if (path !== undefined) await calls.rmdir(path).catch(() => undefined);
      }),
    sync: (folder) => coded("write", () => calls.sync(at.path(folder))),
    touch: (place) => coded("write", async () => calls.touch(await at.present(place))),
  };
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Runs system calls; any error becomes a code. */
async function coded<T>(doing: "read" | "write", work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (CodedError.is(error)) throw error;
    throw new CodedError(codeOf(systemCode(error), doing));
  }
}

function codeOf(code: string | undefined, doing: "read" | "write"): Code {
  switch (code) {
    // A link or a file in place of a folder, or the reverse.
    case "ELOOP":
    case "EMLINK":
    case "ENOTDIR":
    case "EISDIR":
      return "store_corrupt";
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return doing === "write" ? "store_read_only" : "store_unavailable";
    case "ENOSPC":
    case "EDQUOT":
      return "disk_full";
    default:
      return "store_unavailable";
  }
}
