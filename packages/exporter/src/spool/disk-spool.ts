/**
 * @module Disk spool: screened spans that could not be delivered are written to a journal and sent
 * in order once the exporter works again, including those of an earlier process. The journal's
 * guarantees hold: what `append` resolved for survives kill -9 and power loss.
 */
import { attribute } from "@turnproof/semconv";

import type { ReadableSpanLike } from "../gate/sdk-shapes.ts";
import type { Journal, JournalFrame } from "@turnproof/journal";
import type { CallResult } from "../processor/exporter-call.ts";
import { decodeSpans, encodeSpans } from "./span-codec.ts";

const isEvidence = (span: ReadableSpanLike): boolean =>
  span.attributes[attribute.producer_seq.span] !== undefined;

/** The part of a journal that a spool uses. */
export type SpoolJournal = Pick<Journal, "append" | "read" | "checkpoint" | "stats">;

/** Sends spans and returns whether they arrived. */
export type SendSpans = (spans: readonly ReadableSpanLike[]) => Promise<CallResult>;

/** Time between two attempts while the exporter fails, doubling up to a minute. */
const retryFirstMs = 1_000;
const retryMaxMs = 60_000;

/** Options of a spool. */
export interface DiskSpoolOptions {
  readonly journal: SpoolJournal;
  readonly send: SendSpans;
  /** Called with the number of this process's evidence spans that were delivered from the disk. */
  readonly onDelivered: (evidence: number) => void;
  /**
   * Called with the number of this process's evidence spans that the receiver permanently refuses.
   */
  readonly onRefused: (evidence: number) => void;
  readonly retryMs?: number;
  /** Most spans of one request, as far as complete frames allow; default 512. */
  readonly batchMax?: number;
}

/** A frame with its content; no content when its bytes cannot be read. */
interface ReadFrame {
  readonly frame: JournalFrame;
  readonly spans: readonly ReadableSpanLike[];
  readonly evidence: number;
}

/** Undelivered spans on the disk, in order. */
export class DiskSpool {
  private readonly options: DiskSpoolOptions;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private draining: Promise<void> | undefined;
  private delayMs: number;
  private closed = false;
  /** Frames of this process; those of an earlier one are sent, but not in our counts. */
  private readonly own = new Set<number>();
  private readonly appending = new Set<Promise<void>>();
  /** The last frame of an earlier process, and how many spans of such frames are pending. */
  private readonly inheritedThrough: number;
  private inheritedSpans: number;
  /** True since a send failed, until one succeeds. */
  private held = false;

  constructor(options: DiskSpoolOptions) {
    this.options = options;
    this.delayMs = options.retryMs ?? retryFirstMs;
    const { pendingFrames, pendingSpans, acknowledgedThrough } = options.journal.stats();
    this.inheritedThrough = acknowledgedThrough;
    this.inheritedSpans = pendingSpans;
    if (pendingFrames > 0) this.schedule(0);
  }

  /** Pending spans of an earlier process; damaged frames are not included. */
  get inherited(): number {
    return Math.min(this.inheritedSpans, this.options.journal.stats().pendingSpans);
  }

  /** True while something is pending and the last attempt did not fail. */
  get sendable(): boolean {
    return !this.closed && !this.held && this.options.journal.stats().pendingFrames > 0;
  }

  /**
   * Resolves once the spans are durable; rejects with the journal's own codes. `onDurable` is
   * called then, before anything is sent, and returns whether this process still counts them.
   */
  async append(
    spans: readonly ReadableSpanLike[],
    evidence: number,
    onDurable: () => boolean,
  ): Promise<void> {
    const payload = encodeSpans(spans, evidence);
    const appending = this.options.journal
      .append({ payload, spans: spans.length })
      .then(({ sequence }) => {
        if (onDurable()) this.own.add(sequence);
      });
    this.appending.add(appending);
    try {
      await appending;
    } finally {
      this.appending.delete(appending);
    }
    this.schedule(this.delayMs);
  }

  /** Sends until the journal is empty or the exporter fails. */
  drain(): Promise<void> {
    this.draining ??= this.sendAll().finally(() => (this.draining = undefined));
    return this.draining;
  }

  /** Stops sending; what is pending waits for the next process. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.draining;
  }

  private schedule(delayMs: number): void {
    if (this.closed || this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.drain();
    }, delayMs);
    this.timer.unref?.();
  }

  private async sendAll(): Promise<void> {
    const { journal, batchMax = 512 } = this.options;
    try {
      let group: ReadFrame[] = [];
      let spans = 0;
      for await (const frame of journal.read()) {
        if (this.closed) return;
        // An unreadable frame would block everything after it, so it is skipped.
        const read = decodeSpans(frame.payload) ?? { spans: [], evidence: 0 };
        group.push({ frame, ...read });
        spans += read.spans.length;
        if (spans < batchMax) continue;
        if (!(await this.sendGroup(group))) return this.later();
        [group, spans] = [[], 0];
      }
      if (group.length > 0 && !(await this.sendGroup(group))) return this.later();
      if (journal.stats().pendingFrames > 0) this.schedule(this.delayMs);
    } catch {
      this.later();
    }
  }

  /** Sends frames in one request, and settles each; false where they have to wait. */
  private async sendGroup(group: readonly ReadFrame[]): Promise<boolean> {
    const { journal, onDelivered, onRefused } = this.options;
    const refused = await this.sendAround(group.flatMap(({ spans }) => spans));
    const last = group.at(-1);
    if (refused === undefined || last === undefined) return false;
    await journal.checkpoint(last.frame.position);
    // The reader may get to a frame before its writer has recorded it as its own.
    await Promise.allSettled(this.appending);
    const lost = new Set(refused.filter(isEvidence));
    for (const { frame, spans, evidence } of group) {
      if (frame.sequence <= this.inheritedThrough) this.inheritedSpans -= frame.spans;
      if (!this.own.delete(frame.sequence)) continue;
      const count = spans.filter((span) => lost.has(span)).length;
      onDelivered(evidence - count);
      onRefused(count);
    }
    this.delayMs = this.options.retryMs ?? retryFirstMs;
    this.held = false;
    return true;
  }

  /**
   * Sends spans without those that the receiver permanently refuses, which would block everything
   * after them. Returns the refused ones, or undefined when the rest has to wait. Halves the
   * request, because a refusal does not name the span that is the cause.
   */
  private async sendAround(
    spans: readonly ReadableSpanLike[],
  ): Promise<readonly ReadableSpanLike[] | undefined> {
    const refused: ReadableSpanLike[] = [];
    const parts: (readonly ReadableSpanLike[])[] = [spans];
    for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
      if (part.length === 0) continue;
      const result = await this.options.send(part);
      if (result === "failed" || result === "late") return undefined;
      if (result !== "refused") continue;
      const half = part.length >> 1;
      if (half === 0) refused.push(...part);
      else parts.push(part.slice(half), part.slice(0, half));
    }
    return refused;
  }

  private later(): void {
    this.held = true;
    this.delayMs = Math.min(this.delayMs * 2, retryMaxMs);
    this.schedule(this.delayMs);
  }
}
