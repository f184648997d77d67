/**
 * @module Quarantine: rows that the store will refuse for ever, kept durable beside the journal
 * with the code of the refusal, counted, and there to be replayed. A record is the payload of a
 * frame and the positions of its bad rows, so nothing needs to be encoded anew. The same rows of
 * the same payload are kept once, however often a crash makes the drain come back to them.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";

import type { JournalFileSystem } from "./file-system.ts";
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
}

/** What is set aside for a record. */
export type QuarantineInput = Omit<QuarantineRecord, "id">;

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

/** Opens what earlier runs have set aside; damaged records are left alone and not counted. */
export async function openQuarantine(
  fileSystem: JournalFileSystem,
  directory: string,
  names: readonly string[],
): Promise<Quarantine> {
  const held = new Map<string, { readonly spans: number; readonly bytes: number }>();
  for (const name of names) {
    if (!/^[0-9a-f]{32}\.quarantine$/.test(name)) continue;
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
      const head = Buffer.from(JSON.stringify({ code: input.code, rows: input.rows }));
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
    for await (const items of scanFrames(file, { from: 0, to: await file.size() })) {
      for (const item of items) {
        if (!isFrame(item) || item.kind !== frameKind.quarantine) continue;
        const headEnd = 4 + item.payload.readUInt32LE(0);
        const head = JSON.parse(item.payload.subarray(4, headEnd).toString()) as {
          readonly code: string;
          readonly rows: readonly number[] | null;
        };
        return { id, ...head, payload: item.payload.subarray(headEnd), spans: item.spans };
      }
    }
    return undefined;
  } finally {
    await file.close();
  }
}

function lengthPrefix(bytes: Uint8Array): Buffer {
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32LE(bytes.byteLength, 0);
  return prefix;
}
