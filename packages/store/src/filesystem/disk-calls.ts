/**
 * @module DiskCalls: the operating system calls of the provider. Few, so that tests can make each
 * of them fail at any point.
 */
import { constants } from "node:fs";
import {
  lstat,
  mkdir,
  open,
  readdir,
  realpath,
  rename,
  rmdir,
  unlink,
  utimes,
} from "node:fs/promises";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;

/** Type of a directory entry. */
export interface Stat {
  readonly kind: "file" | "folder" | "other";
  readonly size: number;
  /** Time of the last change, milliseconds since the epoch. */
  readonly changedMs: number;
}

/** Calls on absolute paths; errors are Node's. None follows a link in the last path component. */
export interface DiskCalls {
  /** Creates a file (0600) with these bytes and waits until they are durable. */
  create(path: string, bytes: Uint8Array): Promise<void>;
  /** Creates an empty file (0600); durable only with its folder. */
  mark(path: string): Promise<void>;
  /** Some bytes of a file, fewer at its end. Without a range: all of them. */
  read(path: string, range?: { readonly at: number; readonly length: number }): Promise<Buffer>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Makes a folder (0700). */
  mkdir(path: string): Promise<void>;
  /** Removes an empty folder. */
  rmdir(path: string): Promise<void>;
  list(path: string): Promise<readonly string[]>;
  stat(path: string): Promise<Stat>;
  realpath(path: string): Promise<string>;
  /** Waits until the names in a folder are durable. */
  sync(path: string): Promise<void>;
  /** Sets the time of change of a file to now. */
  touch(path: string): Promise<void>;
}

/** The calls of this machine. */
export const systemCalls: DiskCalls = {
  async create(path, bytes) {
    const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
  },
  async mark(path) {
    await (await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)).close();
  },
  async read(path, range) {
    const file = await open(path, O_RDONLY | O_NOFOLLOW);
    try {
      if (range === undefined) return await file.readFile();
      const bytes = Buffer.alloc(range.length);
      const { bytesRead } = await file.read(bytes, 0, range.length, range.at);
      return bytes.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  },
  rename,
  unlink,
  async mkdir(path) {
    await mkdir(path, { mode: 0o700 });
  },
  rmdir: (path) => rmdir(path),
  list: (path) => readdir(path),
  async stat(path) {
    const stat = await lstat(path);
    const kind = stat.isFile() ? "file" : stat.isDirectory() ? "folder" : "other";
    return { kind, size: stat.size, changedMs: stat.mtimeMs };
  },
  realpath: (path) => realpath(path),
  async sync(path) {
    const folder = await open(path, O_RDONLY);
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  },
  async touch(path) {
    const now = new Date();
    await utimes(path, now, now);
  },
};

/** Code of an operating system's error, e.g. `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}
