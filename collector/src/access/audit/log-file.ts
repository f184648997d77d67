/**
 * @module LogFile: a file that only grows, open for appending: of records, or of checkpoints. What
 * is appended is durable, or not in it.
 */
import { open, rename, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";

import type { Append } from "./reserve.ts";

/** The file system's own way to append. */
export const appendText: Append = (handle, text) => handle.appendFile(text);

/** Opens the file; it is created where there is none. */
export async function openLogFile(path: string, append: Append = appendText): Promise<LogFile> {
  return new LogFile(path, await openToAppend(path), append);
}

/** Appends to a file that is open only for this: durable, or not in it. */
export async function appendDurably(
  path: string,
  text: string,
  append: Append = appendText,
): Promise<void> {
  const file = await openLogFile(path, append);
  try {
    await file.append(text);
  } finally {
    await file.close();
  }
}

/** An open file. */
export class LogFile {
  readonly #path: string;
  readonly #append: Append;
  #handle: FileHandle;

  constructor(path: string, handle: FileHandle, append: Append) {
    this.#path = path;
    this.#handle = handle;
    this.#append = append;
  }

  /** A part of a text must not remain; if this fails too, readers find it cut. */
  async append(text: string): Promise<void> {
    const before = await this.size();
    try {
      await this.#append(this.#handle, text);
      await this.#handle.datasync();
    } catch (error) {
      // The first error is thrown; the next open of a log cuts a partial line.
      await this.#handle.truncate(before).catch(() => {});
      throw error;
    }
  }

  /** Bytes of the file. */
  async size(): Promise<number> {
    return (await this.#handle.stat()).size;
  }

  /**
   * The full file gets the number of its last record in its name; the chain continues in a new
   * one.
   */
  async rotate(last: number): Promise<void> {
    await rename(this.#path, `${this.#path}.${String(last).padStart(12, "0")}`);
    await this.#replace();
    await syncFolder(dirname(this.#path));
  }

  /** Opens the file again where it was moved or removed; true where it was. */
  async reopenWhenMoved(): Promise<boolean> {
    const held = await this.#handle.stat();
    // A file that is gone is another file.
    const there = await stat(this.#path).catch(() => undefined);
    if (held.nlink > 0 && there?.ino === held.ino) return false;
    await this.#replace();
    return true;
  }

  /** The new one first: while it cannot be opened, the old one and the failure remain. */
  async #replace(): Promise<void> {
    const next = await openToAppend(this.#path);
    await this.#handle.close();
    this.#handle = next;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

function openToAppend(path: string): Promise<FileHandle> {
  return open(path, "a", 0o600);
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
