/**
 * @module Quarantine: rows that the store permanently refuses, stored durably beside the journal
 * with the code of the refusal, counted, and available for replay. A record is the payload of a
 * frame and the positions of its bad rows, so nothing needs encoding again. The same rows of the
 * same payload are stored once, however often a crash repeats them.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";

import { nodeFileSystem, systemCode } from "./file-system.ts";
import type { JournalFile, JournalFileSystem } from "./file-system.ts";
import { encodeFrame, frameKind } from "./frame.ts";
import { isFrame, scanFrames } from "./scan.ts";

/** Rows that wait for an operator or a new version. */
export interface QuarantineRecord {
  /** Hash of the content; names the record. */
  readonly id: string;
  /** A content-free code of the refusal. */
  readonly code: string;
  /** The payload of the frame as it was appended. */
  readonly payload: Uint8Array;
  /**
   * Positions of the bad rows among the decoded ones, or null when the payload cannot be decoded.
   */
  readonly rows: readonly number[] | null;
  readonly spans: number;
  /**
   * When its frame was appended, for payloads that cannot be read; milliseconds since the epoch.
   */
  readonly receivedAtMs?: number;
  /** When it was set aside, milliseconds since the epoch. */
  readonly setAsideAtMs: number;
}

/** The fields to set aside for a record. */
export type QuarantineInput = Omit<QuarantineRecord, "id" | "setAsideAtMs">;

/** A record that cannot be read: its bytes have changed since it was written. */
export interface DamagedRecord {
  readonly id: string;
  readonly damaged: true;
  /** Bytes of its file. */
  readonly bytes: number;
}

/** The records of one directory. */
export interface Quarantine {
  /** Durable when it resolves; false when the same record existed. */
  add(input: QuarantineInput, nowMs: number): Promise<boolean>;
  read(): AsyncIterable<QuarantineRecord>;
  remove(id: string): Promise<void>;
  spans(): number;
  records(): number;
  bytes(): number;
}

const suffix = ".quarantine";
const namePattern = /^[0-9a-f]{32}\.quarantine$/;

/**
 * The records of a directory, whether or not a process owns it: each file is complete under its
 * name, so nothing is locked or changed. Rejects with the system call's error where the directory
 * does not exist.
 */
export async function* readQuarantine(
  directory: string,
  fileSystem: JournalFileSystem = nodeFileSystem,
): AsyncGenerator<QuarantineRecord | DamagedRecord> {
  const names = await fileSystem.list(directory);
  for (const name of names.filter((one) => namePattern.test(one)).toSorted()) {
    const id = name.slice(0, -suffix.length);
    const file = await fileSystem.open(join(directory, name), "read").catch((error: unknown) => {
      // Replayed and deleted by its owner while being read.
      if (systemCode(error) === "ENOENT") return undefined;
      throw error;
    });
    if (file === undefined) continue;
    try {
      yield (await recordIn(file, id)) ?? { id, damaged: true, bytes: await file.size() };
    } finally {
      await file.close();
    }
  }
}

/** Opens the records of earlier runs; damaged ones are left in place and not counted. */
export async function openQuarantine(
  fileSystem: JournalFileSystem,
  directory: string,
  names: readonly string[],
): Promise<Quarantine> {
  const held = new Map<string, { readonly spans: number; readonly bytes: number }>();
  for (const name of names) {
    if (!namePattern.test(name)) continue;
    const id = name.slice(0, -suffix.length);
    const record = await readRecord(fileSystem, directory, id);
    if (record !== undefined) {
      held.set(id, { spans: record.spans, bytes: record.payload.byteLength });
    }
  }
  const sum = (key: "spans" | "bytes"): number =>
    [...held.values()].reduce((total, item) => total + item[key], 0);
  return {
    async add(input, nowMs) {
      const { code, rows, receivedAtMs } = input;
      const head = Buffer.from(JSON.stringify({ code, rows, receivedAtMs }));
      const id = createHash("sha256")
        .update(head)
        .update("\n")
        .update(input.payload)
        .digest("hex")
        .slice(0, 32);
      if (held.has(id)) return false;
      const payload = Buffer.concat([lengthPrefix(head), head, input.payload]);
      const fields = { kind: frameKind.quarantine, sequence: 0, lag: 0, appendedAtMs: nowMs };
      const frame = encodeFrame({ ...fields, spans: input.spans }, payload);
      await writeWhole(fileSystem, directory, id + suffix, frame);
      held.set(id, { spans: input.spans, bytes: input.payload.byteLength });
      return true;
    },
    async *read() {
      for (const id of Array.from(held.keys())) {
        const record = await readRecord(fileSystem, directory, id);
        if (record !== undefined) yield record;
      }
    },
    async remove(id) {
      if (!held.delete(id)) return;
      await fileSystem.unlink(join(directory, id + suffix));
      await fileSystem.syncDirectory(directory);
    },
    spans: () => sum("spans"),
    records: () => held.size,
    bytes: () => sum("bytes"),
  };
}

/** A file is complete under its final name or absent. */
async function writeWhole(
  fileSystem: JournalFileSystem,
  directory: string,
  name: string,
  bytes: Buffer,
): Promise<void> {
  const temporary = join(directory, `${name}.next`);
  // Usually there is none; a file that cannot be removed fails the creation below.
  await fileSystem.unlink(temporary).catch(() => undefined);
  const file = await fileSystem.open(temporary, "create");
  try {
    await file.write(bytes, 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await fileSystem.rename(temporary, join(directory, name));
  await fileSystem.syncDirectory(directory);
}

async function readRecord(
  fileSystem: JournalFileSystem,
  directory: string,
  id: string,
): Promise<QuarantineRecord | undefined> {
  const file = await fileSystem.open(join(directory, id + suffix), "read");
  try {
    return await recordIn(file, id);
  } finally {
    await file.close();
  }
}

async function recordIn(file: JournalFile, id: string): Promise<QuarantineRecord | undefined> {
  for await (const items of scanFrames(file, { from: 0, to: await file.size() })) {
    for (const item of items) {
      if (!isFrame(item) || item.kind !== frameKind.quarantine) continue;
      const headEnd = 4 + item.payload.readUInt32LE(0);
      const head = JSON.parse(item.payload.subarray(4, headEnd).toString()) as Pick<
        QuarantineRecord,
        "code" | "rows" | "receivedAtMs"
      >;
      const payload = item.payload.subarray(headEnd);
      return { id, ...head, payload, spans: item.spans, setAsideAtMs: item.appendedAtMs };
    }
  }
  return undefined;
}

function lengthPrefix(bytes: Uint8Array): Buffer {
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32LE(bytes.byteLength, 0);
  return prefix;
}
