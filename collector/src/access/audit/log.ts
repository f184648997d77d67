/**
 * @module Audit log: appends durable, chained records with group commit, rotates, checkpoints, and
 * fails closed: a request that cannot be recorded is not served (security: Audit).
 */
import { open, rename, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { basename, dirname } from "node:path";

import { makeDirectory } from "@turnproof/journal/process-lock";
import { CodedError } from "@turnproof/semconv";

import type { Keyring } from "../keyring.ts";
import type { Pseudonyms } from "../pseudonyms.ts";
import type { CheckpointSigner } from "./checkpoint.ts";
import { recordOf } from "./entry.ts";
import type { AuditEntry } from "./entry.ts";
import { newestCheckpoint } from "./extent.ts";
import type { LogExtent } from "./extent.ts";
import { hashLeaf } from "./merkle.ts";
import type { Tree } from "./merkle.ts";
import { keepTree, recoverChain } from "./recover.ts";
import type { RecoveredChain } from "./recover.ts";
import { cutEvent, hashOfLine, leafOf, sealRecord, subjectOf } from "./record.ts";
import { createReserve, isFull } from "./reserve.ts";
import type { Append, AuditReserve } from "./reserve.ts";
import { openSalts, saltsFile } from "./salts.ts";
import type { Salts } from "./salts.ts";
import type { Shipper, ShipState } from "./ship.ts";
import type { AuditVerification } from "./verify.ts";
import { holdLog } from "./writer-lock.ts";
import type { WriterLock, WriterLockOptions } from "./writer-lock.ts";

/** Why the log cannot be written. */
export type AuditFailure = "audit_unavailable" | "disk_full";

/** The open audit log. */
export interface Audit {
  /** Resolves once the record is durable. Rejects with an `AuditFailure`. */
  append(entry: AuditEntry): Promise<void>;
  /**
   * Throws the `AuditFailure` while the last write failed; writing is retried at most once per
   * second.
   */
  requireWritable(): void;
  readonly healthy: boolean;
  /** Undefined while it can be written. */
  readonly failure: AuditFailure | undefined;
  readonly records: number;
  readonly shipping: ShipState | undefined;
  /** What was found in the records that were there at the start; undefined until it is checked. */
  readonly checked: AuditVerification | undefined;
  close(): Promise<void>;
}

/** File and keys of the log. */
export interface AuditOptions {
  readonly file: string;
  readonly keyring: Keyring;
  readonly pseudonyms: Pseudonyms;
  readonly signer: CheckpointSigner;
  readonly bytesMax?: number;
  readonly now?: () => Date;
  readonly lock?: WriterLockOptions;
  /** How text is written to a file; default: the file system's own. */
  readonly append?: Append;
  /** Checks what is there at the start; absent: it is not checked. */
  readonly check?: (extent: LogExtent) => Promise<AuditVerification>;
  /** Receives what that check found, once. */
  readonly onChecked?: (found: AuditVerification) => void;
  /** Sends each checkpoint elsewhere once it is durable here. */
  readonly shipper?: Shipper;
  /** How long records wait for a checkpoint, in milliseconds. */
  readonly checkpointAfterMs?: number;
}

const bytesMaxDefault = 67_108_864;
const checkpointEvery = 100;
const checkpointAfterMsDefault = 60_000;
const retryAfterMs = 1_000;
/** How long a stop waits for checkpoints that are on their way. */
const closeMs = 2_000;
const appendText: Append = (handle, text) => handle.appendFile(text);

interface Waiting {
  readonly entry: AuditEntry;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Opens the log: takes the writer's lock, sets a torn last line aside and continues the chain.
 *
 * @throws CodedError `audit_unavailable` naming the file that cannot be opened, or the log that
 * another writer has
 */
export async function openAudit(options: AuditOptions): Promise<Audit> {
  try {
    makeDirectory(dirname(options.file));
    const lock = await holdLog(options.file, options.lock);
    try {
      const chain = await recoverChain(options.file, options.keyring);
      const newest = await newestCheckpoint(options.file, options.signer);
      const handle = await open(options.file, "a", 0o600);
      const reserve = createReserve(`${options.file}.reserve`, options.append ?? appendText);
      const log = new AuditWriter(options, handle, chain, { lock, reserve });
      await reserve.refill();
      // The chain keeps it: later checkpoints and states of the tree fit the shorter log.
      const isCut = Math.max(newest.size, chain.keptSize) > Math.max(chain.seq, chain.tree.size);
      if (isCut) await log.append({ event: cutEvent, result: "audit_cut" });
      if (chain.torn) await log.append({ event: "log.recovered", result: "ok" });
      void log.checkStart(newest.bytes);
      return log;
    } catch (error) {
      await lock.release();
      throw error;
    }
  } catch (cause) {
    throw new CodedError(failureOf(cause), {
      field: fileOf(cause) ?? basename(options.file),
      cause,
    });
  }
}

/** Name of the file that an error is about, where it has one. */
function fileOf(cause: unknown): string | undefined {
  if (CodedError.is(cause)) return cause.field;
  const { path } = cause as NodeJS.ErrnoException;
  return path === undefined ? undefined : basename(path);
}

/** A full disk ends by room, and any other failure by its cause. */
function failureOf(cause: unknown): AuditFailure {
  const isNamed = CodedError.is(cause) && cause.code === "disk_full";
  return isNamed || isFull(cause) ? "disk_full" : "audit_unavailable";
}

class AuditWriter implements Audit {
  readonly #options: AuditOptions;
  readonly #lock: WriterLock;
  readonly #reserve: AuditReserve;
  readonly #queue: Waiting[] = [];
  #handle: FileHandle;
  #seq: number;
  #head: string;
  readonly #tree: Tree;
  readonly #salts: Salts;
  #checkpointSeq: number;
  #checkpointAt = Date.now();
  #running: Promise<void> | undefined;
  #failedAt = 0;
  #failure: AuditFailure = "audit_unavailable";
  #checked: AuditVerification | undefined;
  #rotations = 0;
  /** Waits for records after which nothing is recorded. */
  #idle: NodeJS.Timeout | undefined;
  /** The disk was full, and nothing was recorded since. */
  #full = false;

  constructor(
    options: AuditOptions,
    handle: FileHandle,
    chain: RecoveredChain,
    held: { readonly lock: WriterLock; readonly reserve: AuditReserve },
  ) {
    this.#options = options;
    this.#handle = handle;
    this.#seq = chain.seq;
    this.#head = chain.head;
    this.#tree = chain.tree;
    this.#salts = openSalts(saltsFile(options.file));
    this.#checkpointSeq = chain.seq;
    this.#lock = held.lock;
    this.#reserve = held.reserve;
  }

  get healthy(): boolean {
    return this.#failedAt === 0 && !this.#lock.lost;
  }

  get failure(): AuditFailure | undefined {
    if (this.healthy) return undefined;
    return this.#lock.lost ? "audit_unavailable" : this.#failure;
  }

  get checked(): AuditVerification | undefined {
    return this.#checked;
  }

  get records(): number {
    return this.#seq;
  }

  get shipping(): ShipState | undefined {
    return this.#options.shipper?.state;
  }

  /** Checks beside the writer; again when a rotation renamed what was being read. */
  async checkStart(checkpointBytes: number): Promise<void> {
    const extent = { records: this.#tree.size, checkpointBytes };
    let rotations: number;
    do {
      rotations = this.#rotations;
      // A check that cannot run finds nothing; the next one looks again.
      const found = await this.#options.check?.(extent).catch(() => undefined);
      if (rotations === this.#rotations) this.#checked = found;
    } while (rotations !== this.#rotations);
    if (this.#checked !== undefined) this.#options.onChecked?.(this.#checked);
  }

  requireWritable(): void {
    if (this.#lock.lost) throw new CodedError("audit_unavailable");
    if (this.#failedAt !== 0 && Date.now() - this.#failedAt < retryAfterMs) {
      throw new CodedError(this.#failure);
    }
  }

  append(entry: AuditEntry): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ entry, resolve, reject });
      this.#running ??= this.#drain();
    });
  }

  /** The last records before a quiet time get a checkpoint too: a cut of them must show. */
  #checkpointWhenIdle(): void {
    clearTimeout(this.#idle);
    if (this.#seq === this.#checkpointSeq) return;
    const afterMs = this.#options.checkpointAfterMs ?? checkpointAfterMsDefault;
    this.#idle = setTimeout(() => {
      this.#running ??= this.#drain();
    }, afterMs).unref();
  }

  async close(): Promise<void> {
    await this.#running;
    clearTimeout(this.#idle);
    try {
      if (this.#seq > this.#checkpointSeq && !this.#lock.lost) await this.#checkpoint();
    } catch (cause) {
      throw new CodedError(failureOf(cause), { cause });
    } finally {
      await this.#handle.close();
      await this.#options.shipper?.close(closeMs);
      await this.#reserve.release();
      await this.#lock.release();
    }
  }

  /** All queued records become one write and one sync. */
  async #drain(): Promise<void> {
    // One turn of the event loop lets concurrent requests share the sync.
    await new Promise(setImmediate);
    if (this.#queue.length === 0) await this.#checkpointAged();
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0);
      try {
        await this.#write(batch.map(({ entry }) => entry));
        this.#failedAt = 0;
        for (const { resolve } of batch) resolve();
      } catch (cause) {
        this.#failedAt = Date.now();
        this.#failure = failureOf(cause);
        const error = new CodedError(this.#failure, { cause });
        for (const { reject } of batch) reject(error);
      }
    }
    // In the same step as the check of the queue: any later append starts a new drain.
    this.#running = undefined;
    this.#checkpointWhenIdle();
  }

  async #write(entries: readonly AuditEntry[]): Promise<void> {
    if (this.#lock.lost) throw new CodedError("audit_unavailable");
    if (this.#full && !(await this.#reserve.refill())) throw new CodedError("disk_full");
    const moved = await this.#reopenWhenMoved();
    const first: AuditEntry[] = [];
    if (moved) first.push({ event: "log.reopened", result: "ok" });
    if (this.#full) first.push({ event: "log.resumed", result: "ok" });
    try {
      await this.#appendRecords([...first, ...entries]);
      this.#full = false;
    } catch (error) {
      if (isFull(error)) await this.#recordFull();
      throw error;
    }
    await this.#afterWrite();
  }

  /** The reserved space is for one record: from this record on nothing is served. */
  async #recordFull(): Promise<void> {
    this.#full = true;
    if (!(await this.#reserve.release())) return;
    // The log refuses every access from here on, with or without this record.
    await this.#appendRecords([{ event: "log.full", result: "audit_unavailable" }]).catch(() => {});
  }

  async #appendRecords(all: readonly AuditEntry[]): Promise<void> {
    let seq = this.#seq;
    let head = this.#head;
    const lines = all.map((entry) => {
      const record = recordOf(entry, { seq: ++seq, prev: head }, this.#options);
      const salt = this.#salts.take(subjectOf(record), record.seq);
      const line = sealRecord(record, this.#options.keyring, salt);
      head = hashOfLine(line);
      return line;
    });
    await this.#appendDurably(this.#handle, `${lines.join("\n")}\n`);
    for (const line of lines) this.#tree.append(hashLeaf(leafOf(line)));
    this.#seq = seq;
    this.#head = head;
  }

  /** A partial line must not remain in a file; if this fails too, the next open recovers. */
  async #appendDurably(handle: FileHandle, text: string): Promise<void> {
    const before = (await handle.stat()).size;
    try {
      await (this.#options.append ?? appendText)(handle, text);
      await handle.datasync();
    } catch (error) {
      // The first error is thrown; the next open cuts the partial line.
      await handle.truncate(before).catch(() => {});
      throw error;
    }
  }

  get #isAged(): boolean {
    const afterMs = this.#options.checkpointAfterMs ?? checkpointAfterMsDefault;
    return Date.now() - this.#checkpointAt >= afterMs;
  }

  /** Of a quiet log. */
  async #checkpointAged(): Promise<void> {
    if (!this.#isAged || this.#seq === this.#checkpointSeq || this.#lock.lost) return;
    // A failure is tried again after the same time, and by the next record.
    await this.#checkpoint().catch(() => {});
  }

  async #afterWrite(): Promise<void> {
    const since = this.#seq - this.#checkpointSeq;
    if (since >= checkpointEvery || this.#isAged) await this.#checkpoint();
    const { size } = await this.#handle.stat();
    if (size > (this.#options.bytesMax ?? bytesMaxDefault)) await this.#rotate();
  }

  /**
   * The full file gets the number of its last record in its name; the chain continues in a new
   * one.
   */
  async #rotate(): Promise<void> {
    const { file } = this.#options;
    this.#rotations += 1;
    await rename(file, `${file}.${String(this.#seq).padStart(12, "0")}`);
    const next = await open(file, "a", 0o600);
    await this.#handle.close();
    this.#handle = next;
    await syncFolder(dirname(file));
  }

  /** A log that was moved or removed while open is opened again, and the chain records it. */
  async #reopenWhenMoved(): Promise<boolean> {
    const held = await this.#handle.stat();
    // A file that is gone is another file.
    const there = await stat(this.#options.file).catch(() => undefined);
    if (held.nlink > 0 && there?.ino === held.ino) return false;
    // The new one first: while it cannot be opened, the old one and the failure remain.
    const next = await open(this.#options.file, "a", 0o600);
    await this.#handle.close();
    this.#handle = next;
    return true;
  }

  async #checkpoint(): Promise<void> {
    const size = this.#tree.size;
    const note = this.#options.signer.note({ size, root: this.#tree.root() });
    const handle = await open(`${this.#options.file}.checkpoints`, "a", 0o600);
    try {
      await this.#appendDurably(handle, note);
    } finally {
      await handle.close();
    }
    this.#checkpointSeq = this.#seq;
    this.#checkpointAt = Date.now();
    keepTree(this.#options.file, this.#tree.state());
    this.#options.shipper?.ship(size, note);
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
