/**
 * @module Quarantine: rows that the store will refuse for ever, kept durable beside the journal
 * with the code of the refusal, counted, and there to be replayed. A record is the payload of a
 * frame and the positions of its bad rows, so nothing needs to be encoded anew. The same rows of
 * the same payload are kept once, however often a crash makes the drain come back to them.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";

import { nodeFileSystem, systemCode } from "./file-system.ts";
import type { JournalFile, JournalFileSystem } from "./file-system.ts";
import { encodeFrame, frameKind } from "./frame.ts";
import { isFrame, scanFrames } from "./scan.ts";

/** Rows that wait for a human or a new version. */
export interface QuarantineRecord {
  /** Hash of the content; names the record. */
  readonly id: string;
  /** Why: a content-free code. */
  readonly code: string;
  /** The payload of the frame as it was appended. */
  readonly payload: Uint8Array;
  /** Positions of the bad rows among the decoded ones, or null: the payload cannot be decoded. */
  readonly rows: readonly number[] | null;
  readonly spans: number;
  /** When its frame was appended, where nothing of it can be read; milliseconds since the epoch. */
  readonly receivedAtMs?: number;
  /** When it was set aside, milliseconds since the epoch. */
  readonly setAsideAtMs: number;
}

/** What is set aside for a record. */
export type QuarantineInput = Omit<QuarantineRecord, "id" | "setAsideAtMs">;

/** A record that cannot be read back: its bytes were changed since it was written. */
export interface DamagedRecord {
  readonly id: string;
  readonly damaged: true;
  /** Bytes of its file. */
  readonly bytes: number;
}

/** The records of one directory. */
export interface Quarantine {
  /** Durable when it resolves; false when the same record was there. */
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
 * The records of a directory whoever owns it: each is whole under its name, so nothing is locked
 * and nothing is changed. Rejects with the system call's error where there is no such directory.
 */
export async function* readQuarantine(
  directory: string,
  fileSystem: JournalFileSystem = nodeFileSystem,
): AsyncGenerator<QuarantineRecord | DamagedRecord> {
  const names = await fileSystem.list(directory);
  for (const name of names.filter((one) => namePattern.test(one)).toSorted()) {
    const id = name.slice(0, -suffix.length);
    const file = await fileSystem.open(join(directory, name), "read").catch((error: unknown) => {
      // Replayed, and forgotten by its owner, while we read.
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

/** Opens what earlier runs have set aside; damaged records are left alone and not counted. */
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

/** A file is whole under its final name or not there. */
async function writeWhole(
  fileSystem: JournalFileSystem,
  directory: string,
  name: string,
  bytes: Buffer,
): Promise<void> {
  const temporary = join(directory, `${name}.next`);
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
