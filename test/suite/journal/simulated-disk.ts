/**
 * @module Simulated disk: a JournalFileSystem in memory that knows what is durable and what is not.
 * Writes become durable by `sync` of their file, directory entries by `syncDirectory`, nothing
 * else. A power cut keeps any subset of what was not durable, writes torn at 512 bytes. Faults are
 * injected by operation and path.
 */
import { basename } from "node:path";

import type { JournalFile, JournalFileSystem, OpenMode } from "@turnproof/journal";

const sectorBytes = 512;

type DataOperation =
  | { readonly kind: "write"; readonly position: number; readonly bytes: Buffer }
  | { readonly kind: "truncate"; readonly length: number };

type EntryOperation =
  | { readonly kind: "create"; readonly path: string; readonly inode: Inode }
  | { readonly kind: "rename"; readonly from: string; readonly to: string }
  | { readonly kind: "unlink"; readonly path: string };

interface Inode {
  current: Buffer;
  durable: Buffer;
  pending: DataOperation[];
}

export type OperationName =
  | "close"
  | "create"
  | "list"
  | "open"
  | "read"
  | "rename"
  | "sync"
  | "syncDirectory"
  | "truncate"
  | "unlink"
  | "write";

/** One call; `bytes` for writes. */
export interface Operation {
  readonly name: OperationName;
  readonly file: string;
  readonly bytes?: number;
}

/** Decides for each atom (a sector, a truncation, an entry) whether it survived. */
export type Survival = (atom: number) => boolean;

export interface SimulatedDisk extends JournalFileSystem {
  readonly log: Operation[];
  /** Returns an error code to fail the call with; a failing write leaves half of its bytes. */
  fault: (operation: Operation, index: number) => string | undefined;
  /** Runs before the call has any effect. */
  audit: (operation: Operation) => Promise<void> | void;
  /** The power goes during this call (index into the log); later calls never come back. */
  crashAt: number;
  readonly crashed: Promise<void>;
  /** How many things a power cut now would decide about. */
  atoms(): number;
  /** The disk after a power cut. */
  afterPowerCut(survives: Survival): SimulatedDisk;
  /** The disk after the process died and the machine did not. */
  afterKill(): SimulatedDisk;
  /** Bytes of a file as a reader sees them, and a way to damage them. */
  contents(name: string): Buffer;
  damage(name: string, change: (bytes: Buffer) => Buffer): void;
  names(): readonly string[];
  moveFile(from: string, to: string): void;
  copyFile(from: string, to: string): void;
  bytesUsed(): number;
}

class SystemError extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** A disk with these files, all durable. */
export function simulateDisk(files: ReadonlyMap<string, Buffer> = new Map()): SimulatedDisk {
  const current = new Map<string, Inode>();
  for (const [path, bytes] of files) {
    current.set(path, { current: bytes, durable: bytes, pending: [] });
  }
  return buildDisk(current);
}

function buildDisk(initial: Map<string, Inode>): SimulatedDisk {
  const current = initial;
  let durable = new Map(current);
  let entries: EntryOperation[] = [];
  const crash = Promise.withResolvers<void>();

  async function perform<T>(
    operation: Operation,
    effect: () => T,
    halfway?: () => void,
  ): Promise<T> {
    const index = disk.log.push(operation) - 1;
    if (index > disk.crashAt) return new Promise<never>(() => undefined);
    await disk.audit(operation);
    const code = disk.fault(operation, index);
    if (code !== undefined) {
      halfway?.();
      throw new SystemError(code);
    }
    if (index === disk.crashAt) {
      // Data may have got there; an answer never does. A sync in progress guarantees nothing.
      crash.resolve();
      if (operation.name !== "sync" && operation.name !== "syncDirectory") effect();
      return new Promise<never>(() => undefined);
    }
    return effect();
  }

  function find(path: string): Inode {
    const inode = current.get(path);
    if (inode === undefined) throw new SystemError("ENOENT");
    return inode;
  }

  function openFile(path: string, inode: Inode): JournalFile {
    const file = basename(path);
    return {
      write(bytes, position) {
        const copy = Buffer.from(bytes);
        const put = (part: Buffer): void => apply(inode, { kind: "write", position, bytes: part });
        return perform(
          { name: "write", file, bytes: copy.byteLength },
          () => put(copy),
          () => put(copy.subarray(0, copy.byteLength / 2)),
        );
      },
      read(into, position) {
        return perform({ name: "read", file }, () => {
          const bytes = inode.current.subarray(position, position + into.byteLength);
          into.set(bytes);
          return bytes.byteLength;
        });
      },
      sync() {
        return perform({ name: "sync", file }, () => {
          inode.durable = Buffer.from(inode.current);
          inode.pending = [];
        });
      },
      truncate(length) {
        return perform({ name: "truncate", file }, () =>
          apply(inode, { kind: "truncate", length }),
        );
      },
      size: () => Promise.resolve(inode.current.byteLength),
      close: () => perform({ name: "close", file }, () => undefined),
    };
  }

  const disk: SimulatedDisk = {
    log: [],
    fault: () => undefined,
    audit: () => undefined,
    crashAt: Infinity,
    crashed: crash.promise,
    makeDirectory: () => Promise.resolve(),
    list: () =>
      perform({ name: "list", file: "" }, () => [...current.keys()].map((p) => basename(p))),
    open(path: string, mode: OpenMode) {
      const file = basename(path);
      if (mode !== "create") {
        return perform({ name: "open", file }, () => openFile(path, find(path)));
      }
      return perform({ name: "create", file }, () => {
        if (current.has(path)) throw new SystemError("EEXIST");
        const inode: Inode = { current: Buffer.alloc(0), durable: Buffer.alloc(0), pending: [] };
        current.set(path, inode);
        entries.push({ kind: "create", path, inode });
        return openFile(path, inode);
      });
    },
    rename: (from, to) =>
      perform({ name: "rename", file: basename(to) }, () => {
        current.set(to, find(from));
        current.delete(from);
        entries.push({ kind: "rename", from, to });
      }),
    unlink: (path) =>
      perform({ name: "unlink", file: basename(path) }, () => {
        find(path);
        current.delete(path);
        entries.push({ kind: "unlink", path });
      }),
    syncDirectory: () =>
      perform({ name: "syncDirectory", file: "" }, () => {
        durable = new Map(current);
        entries = [];
      }),
    atoms: () => countAtoms(reachable(durable, entries), entries),
    afterPowerCut: (survives) => powerCut(durable, entries, survives),
    afterKill: () =>
      simulateDisk(new Map([...current].map(([path, inode]) => [path, inode.current]))),
    contents: (name) => find(pathOf(current, name)).current,
    damage(name, change) {
      const inode = find(pathOf(current, name));
      inode.current = change(Buffer.from(inode.current));
      inode.durable = inode.current;
      inode.pending = [];
    },
    names: () => [...current.keys()].map((path) => basename(path)),
    moveFile(from, to) {
      const path = pathOf(current, from);
      const inode = find(path);
      current.delete(path);
      current.set(path.replace(from, to), inode);
      durable = new Map(current);
    },
    copyFile(from, to) {
      const path = pathOf(current, from);
      const bytes = find(path).current;
      current.set(path.replace(from, to), { current: bytes, durable: bytes, pending: [] });
      durable = new Map(current);
    },
    bytesUsed: () =>
      [...current.values()].reduce((sum, inode) => sum + inode.current.byteLength, 0),
  };
  return disk;
}

function pathOf(files: ReadonlyMap<string, Inode>, name: string): string {
  return [...files.keys()].find((path) => basename(path) === name) ?? name;
}

function apply(inode: Inode, operation: DataOperation): void {
  inode.current = applied(inode.current, operation);
  inode.pending.push(operation);
}

function applied(bytes: Buffer, operation: DataOperation): Buffer {
  const end = operation.kind === "write" ? operation.position + operation.bytes.byteLength : 0;
  const length = operation.kind === "write" ? Math.max(bytes.byteLength, end) : operation.length;
  const next = Buffer.alloc(length);
  bytes.copy(next, 0, 0, Math.min(length, bytes.byteLength));
  if (operation.kind === "write") operation.bytes.copy(next, operation.position);
  return next;
}

/** Every file that may have an entry after the cut, in a fixed order. */
function reachable(
  durable: ReadonlyMap<string, Inode>,
  entries: readonly EntryOperation[],
): Inode[] {
  const inodes = new Set(durable.values());
  for (const entry of entries) if (entry.kind === "create") inodes.add(entry.inode);
  return [...inodes];
}

function countAtoms(inodes: readonly Inode[], entries: readonly EntryOperation[]): number {
  let atoms = entries.length;
  for (const inode of inodes) {
    for (const operation of inode.pending) atoms += sectorsOf(operation).length;
  }
  return atoms;
}

function sectorsOf(operation: DataOperation): readonly DataOperation[] {
  if (operation.kind === "truncate") return [operation];
  const sectors: DataOperation[] = [];
  const { position, bytes } = operation;
  for (let at = 0; at < bytes.byteLength;) {
    const wanted = sectorBytes - ((position + at) % sectorBytes);
    sectors.push({
      kind: "write",
      position: position + at,
      bytes: bytes.subarray(at, at + wanted),
    });
    at += wanted;
  }
  return sectors;
}

function powerCut(
  durable: ReadonlyMap<string, Inode>,
  entries: readonly EntryOperation[],
  survives: Survival,
): SimulatedDisk {
  let atom = 0;
  const content = new Map<Inode, Buffer>();
  for (const inode of reachable(durable, entries)) {
    let bytes = inode.durable;
    for (const operation of inode.pending) {
      for (const sector of sectorsOf(operation)) {
        if (survives(atom)) bytes = applied(bytes, sector);
        atom += 1;
      }
    }
    content.set(inode, bytes);
  }
  const names = new Map(durable);
  for (const entry of entries) {
    const kept = survives(atom);
    atom += 1;
    if (!kept) continue;
    if (entry.kind === "create") names.set(entry.path, entry.inode);
    if (entry.kind === "unlink") names.delete(entry.path);
    const moved = entry.kind === "rename" ? names.get(entry.from) : undefined;
    if (entry.kind === "rename" && moved !== undefined) {
      names.set(entry.to, moved);
      names.delete(entry.from);
    }
  }
  const files = new Map<string, Buffer>();
  for (const [path, inode] of names) files.set(path, content.get(inode) ?? inode.durable);
  return simulateDisk(files);
}

/** A reproducible source of randomness: numbers from 0 to below 1. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
