/**
 * @module JournalFileSystem: the port through which the journal uses a disk, and its
 * implementation for Node. It is a port so that a simulated disk can lose power, tear writes and
 * refuse to sync under the production code. It retries nothing: the writer handles a failed sync.
 */
import { constants } from "node:fs";
import { open, readdir, rename, unlink } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { dirname, resolve } from "node:path";

import { makeDirectory } from "./make-directory.ts";

/** An open file. Positions and lengths are bytes. */
export interface JournalFile {
  /** Writes all bytes at the position; a rejection leaves an unknown part of them written. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Fills the buffer as far as the file goes; resolves to the bytes read. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** fdatasync: resolves when every byte written so far survives a power loss. */
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  size(): Promise<number>;
  close(): Promise<void>;
}

/** `create` fails with EEXIST when the name is taken. */
export type OpenMode = "create" | "read" | "write";

/** The disk operations of the journal. Errors carry the `code` of the system call. */
export interface JournalFileSystem {
  /** Creates the directory and makes its own entry durable. */
  makeDirectory(path: string): Promise<void>;
  list(directory: string): Promise<readonly string[]>;
  open(path: string, mode: OpenMode): Promise<JournalFile>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Makes creations, renames and unlinks in the directory durable. */
  syncDirectory(directory: string): Promise<void>;
}

const flags: Readonly<Record<OpenMode, number>> = {
  create: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL,
  read: constants.O_RDONLY,
  write: constants.O_RDWR,
};

/** The disk of this machine. Files are 0600 and directories 0700. */
export const nodeFileSystem: JournalFileSystem = {
  async makeDirectory(path) {
    const made = makeDirectory(path);
    if (made === undefined) return;
    // Every created level is an entry of the level above, and each must be made durable.
    const top = dirname(made);
    for (let level = dirname(resolve(path)); ; level = dirname(level)) {
      await nodeFileSystem.syncDirectory(level);
      if (level === top || level === dirname(level)) return;
    }
  },
  list: (directory) => readdir(directory),
  async open(path, mode) {
    return nodeFile(await open(path, flags[mode], 0o600));
  },
  rename,
  unlink,
  async syncDirectory(directory) {
    // Windows cannot open a directory for this; it makes entries durable by itself.
    if (process.platform === "win32") return;
    const handle = await open(directory, constants.O_RDONLY);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
};

function nodeFile(handle: FileHandle): JournalFile {
  return {
    async write(bytes, position) {
      let done = 0;
      while (done < bytes.byteLength) {
        const { bytesWritten } = await handle.write(
          bytes,
          done,
          bytes.byteLength - done,
          position + done,
        );
        done += bytesWritten;
      }
    },
    async read(into, position) {
      let done = 0;
      while (done < into.byteLength) {
        const { bytesRead } = await handle.read(
          into,
          done,
          into.byteLength - done,
          position + done,
        );
        if (bytesRead === 0) break;
        done += bytesRead;
      }
      return done;
    },
    sync: () => handle.datasync(),
    truncate: (length) => handle.truncate(length),
    size: async () => (await handle.stat()).size,
    close: () => handle.close(),
  };
}

/** The `code` of a failed system call, or the empty string. */
export function systemCode(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}

/** True when the disk or the quota is full. */
export function isNoSpace(error: unknown): boolean {
  const code = systemCode(error);
  return code === "ENOSPC" || code === "EDQUOT";
}
