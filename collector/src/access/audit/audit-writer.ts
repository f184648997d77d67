/**
 * @module AuditWriter: appends durable, chained records with group commit, rotates the file, and
 * writes checkpoints.
 */
import { CodedError } from "@turnproof/semconv";

import { recordOf } from "./entry.ts";
import type { AuditEntry } from "./entry.ts";
import { appendDurably } from "./log-file.ts";
import type { LogFile } from "./log-file.ts";
import { hashLeaf } from "./merkle.ts";
import type { Tree } from "./merkle.ts";
import { keepTree } from "./recover.ts";
import type { RecoveredChain } from "./recover.ts";
import { hashOfLine, leafOf, sealRecord, subjectOf } from "./record.ts";
import { isFull } from "./reserve.ts";
import type { AuditReserve } from "./reserve.ts";
import { openSalts, saltsFile } from "./salts.ts";
import type { Salts } from "./salts.ts";
import type { ShipState } from "./ship.ts";
import type { AuditVerification } from "./verify.ts";
import type { WriterLock } from "./writer-lock.ts";
import type { Audit, AuditOptions } from "./contract.ts";
import { failureOf } from "./audit-failure.ts";
import type { AuditFailure } from "./audit-failure.ts";

const bytesMaxDefault = 67_108_864;
const checkpointEvery = 100;
const checkpointAfterMsDefault = 60_000;
const retryAfterMs = 1_000;
/** How long a stop waits for checkpoints that are on their way. */
const closeMs = 2_000;

interface Waiting {
  readonly entry: AuditEntry;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Appends records in the order of their requests, with group commit. */
export class AuditWriter implements Audit {
  readonly #options: AuditOptions;
  readonly #lock: WriterLock;
  readonly #reserve: AuditReserve;
  readonly #queue: Waiting[] = [];
  readonly #file: LogFile;
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
    chain: RecoveredChain,
    held: { readonly lock: WriterLock; readonly reserve: AuditReserve; readonly file: LogFile },
  ) {
    this.#options = options;
    this.#file = held.file;
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

  /**
   * Records after the newest checkpoint, which a kill left without one, wait for theirs as after a
   * new record. @param size of that checkpoint
   */
  coverAfter(size: number): void {
    if (size < this.#tree.size) this.#checkpointSeq = Math.min(this.#checkpointSeq, size);
    this.#checkpointWhenIdle();
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
      await this.#file.close();
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
    const moved = await this.#file.reopenWhenMoved();
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
    await this.#file.append(`${lines.join("\n")}\n`);
    for (const line of lines) this.#tree.append(hashLeaf(leafOf(line)));
    this.#seq = seq;
    this.#head = head;
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
    if ((await this.#file.size()) > (this.#options.bytesMax ?? bytesMaxDefault)) {
      this.#rotations += 1;
      await this.#file.rotate(this.#seq);
    }
  }

  async #checkpoint(): Promise<void> {
    const size = this.#tree.size;
    const note = this.#options.signer.note({ size, root: this.#tree.root() });
    await appendDurably(`${this.#options.file}.checkpoints`, note, this.#options.append);
    this.#checkpointSeq = this.#seq;
    this.#checkpointAt = Date.now();
    keepTree(this.#options.file, this.#tree.state());
    this.#options.shipper?.ship(size, note);
  }
}
