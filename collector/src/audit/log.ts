/**
 * @module Audit log: appends durable, chained records with group commit, rotates, checkpoints, and
 * fails closed: what cannot be recorded is not served (design 6.3; faults 5.1).
 */
import { mkdirSync } from "node:fs";
import { open, rename, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";

import { CodedError } from "@turnproof/semconv";

import type { Keyring } from "../auth/keyring.ts";
import type { Pseudonyms } from "../auth/pseudonyms.ts";
import type { CheckpointSigner } from "./checkpoint.ts";
import { recoverChain } from "./recover.ts";
import { hashOfLine, sealRecord } from "./record.ts";
import type { AuditRecord } from "./record.ts";
import { holdLock } from "./writer-lock.ts";

/** What a caller tells; names and addresses become pseudonyms before they are written. */
interface AuditEntry {
  readonly event: string;
  readonly result: string;
  readonly route?: string;
  readonly role?: string;
  readonly operator?: string;
  readonly client?: string | undefined;
  readonly requestId?: string;
}

/** The open audit log. */
export interface Audit {
  /** Resolves once the record is durable. Rejects with `audit_unavailable`. */
  append(entry: AuditEntry): Promise<void>;
  /** Throws `audit_unavailable` while the last write failed; tried again at most every second. */
  requireWritable(): void;
  readonly healthy: boolean;
  readonly records: number;
  close(): Promise<void>;
}

/** Where and under which keys the log is written. */
export interface AuditOptions {
  readonly file: string;
  readonly keyring: Keyring;
  readonly pseudonyms: Pseudonyms;
  readonly signer: CheckpointSigner;
  readonly bytesMax?: number;
  readonly now?: () => Date;
}

const bytesMaxDefault = 67_108_864;
const checkpointEvery = 100;
const checkpointAfterMs = 60_000;
const retryAfterMs = 1_000;

interface Waiting {
  readonly entry: AuditEntry;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Opens the log: takes the writer's lock, sets a torn last line aside and goes on with the chain.
 *
 * @throws CodedError `audit_unavailable` when the file cannot be opened or another writer has it
 */
export async function openAudit(options: AuditOptions): Promise<Audit> {
  try {
    mkdirSync(dirname(options.file), { recursive: true, mode: 0o700 });
    const release = holdLock(`${options.file}.lock`);
    const chain = await recoverChain(options.file, options.keyring);
    const handle = await open(options.file, "a", 0o600);
    const log = new AuditWriter(options, handle, chain.seq, chain.head, release);
    if (chain.torn) await log.append({ event: "log.recovered", result: "ok" });
    return log;
  } catch (cause) {
    throw new CodedError("audit_unavailable", { cause });
  }
}

class AuditWriter implements Audit {
  readonly #options: AuditOptions;
  readonly #release: () => void;
  readonly #queue: Waiting[] = [];
  #handle: FileHandle;
  #seq: number;
  #head: string;
  #checkpointSeq: number;
  #checkpointAt = Date.now();
  #running: Promise<void> | undefined;
  #failedAt = 0;

  constructor(
    options: AuditOptions,
    handle: FileHandle,
    seq: number,
    head: string,
    release: () => void,
  ) {
    this.#options = options;
    this.#handle = handle;
    this.#seq = seq;
    this.#head = head;
    this.#checkpointSeq = seq;
    this.#release = release;
  }

  get healthy(): boolean {
    return this.#failedAt === 0;
  }

  get records(): number {
    return this.#seq;
  }

  requireWritable(): void {
    if (this.#failedAt !== 0 && Date.now() - this.#failedAt < retryAfterMs) {
      throw new CodedError("audit_unavailable");
    }
  }

  append(entry: AuditEntry): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ entry, resolve, reject });
      this.#running ??= this.#drain();
    });
  }

  async close(): Promise<void> {
    await this.#running;
    if (this.#seq > this.#checkpointSeq) await this.#checkpoint();
    await this.#handle.close();
    this.#release();
  }

  /** Everything that waits becomes one write and one sync. */
  async #drain(): Promise<void> {
    // A turn of the loop lets requests that arrived together share the sync.
    await new Promise(setImmediate);
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0);
      try {
        await this.#write(batch.map(({ entry }) => entry));
        this.#failedAt = 0;
        for (const { resolve } of batch) resolve();
      } catch (cause) {
        this.#failedAt = Date.now();
        const error = new CodedError("audit_unavailable", { cause });
        for (const { reject } of batch) reject(error);
      }
    }
    // In the same step as the look at the queue: whoever appends from here on starts a new drain.
    this.#running = undefined;
  }

  async #write(entries: readonly AuditEntry[]): Promise<void> {
    const moved = await this.#reopenWhenMoved();
    const all = moved ? [{ event: "log.reopened", result: "ok" }, ...entries] : entries;
    let seq = this.#seq;
    let head = this.#head;
    const lines = all.map((entry) => {
      const line = sealRecord(this.#record(entry, ++seq, head), this.#options.keyring);
      head = hashOfLine(line);
      return line;
    });
    const before = (await this.#handle.stat()).size;
    try {
      await this.#handle.appendFile(`${lines.join("\n")}\n`);
      await this.#handle.datasync();
    } catch (error) {
      // Half a line must not stand in the chain; when this fails too, the next open recovers.
      await this.#handle.truncate(before).catch(() => {});
      throw error;
    }
    this.#seq = seq;
    this.#head = head;
    await this.#afterWrite();
  }

  async #afterWrite(): Promise<void> {
    const since = this.#seq - this.#checkpointSeq;
    const aged = Date.now() - this.#checkpointAt > checkpointAfterMs;
    if (since >= checkpointEvery || aged) await this.#checkpoint();
    const { size } = await this.#handle.stat();
    if (size > (this.#options.bytesMax ?? bytesMaxDefault)) await this.#rotate();
  }

  /** The full file keeps the number of its last record in its name; the chain goes on in a new one. */
  async #rotate(): Promise<void> {
    const { file } = this.#options;
    await rename(file, `${file}.${String(this.#seq).padStart(12, "0")}`);
    const next = await open(file, "a", 0o600);
    await this.#handle.close();
    this.#handle = next;
    await syncFolder(dirname(file));
  }

  /** A log that was moved or removed under us is opened anew, and the chain says so. */
  async #reopenWhenMoved(): Promise<boolean> {
    const held = await this.#handle.stat();
    const there = await stat(this.#options.file).catch(() => undefined);
    if (held.nlink > 0 && there?.ino === held.ino) return false;
    // The new one first: while it cannot be opened the old one stays, and so does the failure.
    const next = await open(this.#options.file, "a", 0o600);
    await this.#handle.close();
    this.#handle = next;
    return true;
  }

  async #checkpoint(): Promise<void> {
    const now = (this.#options.now ?? (() => new Date()))().toISOString();
    const line = this.#options.signer.line({ seq: this.#seq, head: this.#head }, now);
    const handle = await open(`${this.#options.file}.checkpoints`, "a", 0o600);
    try {
      await handle.appendFile(`${line}\n`);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    this.#checkpointSeq = this.#seq;
    this.#checkpointAt = Date.now();
  }

  #record(entry: AuditEntry, seq: number, prev: string): AuditRecord {
    const { keyring, pseudonyms, now } = this.#options;
    const { route, role, operator, client, requestId } = entry;
    return {
      v: 1,
      seq,
      ts: (now ?? (() => new Date()))().toISOString(),
      event: entry.event,
      ...(route === undefined ? {} : { route }),
      ...(role === undefined ? {} : { role }),
      ...(operator === undefined ? {} : { op: pseudonyms.of("operator", operator) }),
      ...(client === undefined ? {} : { client: pseudonyms.of("client", client) }),
      result: entry.result,
      ...(requestId === undefined ? {} : { req: requestId }),
      prev,
      kid: keyring.current("audit/v1").kid,
    };
  }
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
