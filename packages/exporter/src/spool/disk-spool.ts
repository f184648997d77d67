/**
 * @module Disk spool: screened spans that could not be delivered wait in a journal and are sent in
 * order once the exporter answers again, also those that an earlier process left there. The
 * journal's own rules hold: what `append` resolved for survives kill -9 and power loss.
 */
import { attribute } from "@turnproof/semconv";

import type { ReadableSpanLike } from "../gate/sdk-shapes.ts";
import type { Journal, JournalFrame } from "../journal/index.ts";
import type { CallResult } from "../processor/exporter-call.ts";
import { decodeSpans, encodeSpans } from "./span-codec.ts";

const isEvidence = (span: ReadableSpanLike): boolean =>
  span.attributes[attribute.producer_seq.span] !== undefined;

/** The part of a journal that a spool needs. */
export type SpoolJournal = Pick<Journal, "append" | "read" | "checkpoint" | "stats">;

/** Sends spans and says whether they arrived. */
export type SendSpans = (spans: readonly ReadableSpanLike[]) => Promise<CallResult>;

/** Time between two tries while the exporter does not answer, doubling up to a minute. */
const retryFirstMs = 1_000;
const retryMaxMs = 60_000;

/** Options of a spool. */
export interface DiskSpoolOptions {
  readonly journal: SpoolJournal;
  readonly send: SendSpans;
  /** Evidence spans of this process that were delivered from the disk. */
  readonly onDelivered: (evidence: number) => void;
  /** Evidence spans of this process that the receiver refuses for good. */
  readonly onRefused: (evidence: number) => void;
  readonly retryMs?: number;
  /** Spans of one request at most, as far as whole frames allow; default 512. */
  readonly batchMax?: number;
}

/** A frame that was read, and what it holds; nothing where nobody can read its bytes. */
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
  /** Frames of this process; what an earlier one left is sent, but is not in our counts. */
  private readonly own = new Set<number>();
  private readonly appending = new Set<Promise<void>>();
  /** The last frame that an earlier process left, and how many spans of such frames still wait. */
  private readonly inheritedThrough: number;
  private inheritedSpans: number;
  /** True since something could not be sent, until something was. */
  private held = false;

  constructor(options: DiskSpoolOptions) {
    this.options = options;
    this.delayMs = options.retryMs ?? retryFirstMs;
    const { pendingFrames, pendingSpans, acknowledgedThrough } = options.journal.stats();
    this.inheritedThrough = acknowledgedThrough;
    this.inheritedSpans = pendingSpans;
    if (pendingFrames > 0) this.schedule(0);
  }

  /** Spans that an earlier process left, not yet delivered; frames that rotted wait no more. */
  get inherited(): number {
    return Math.min(this.inheritedSpans, this.options.journal.stats().pendingSpans);
  }

  /** True while something waits, and the last try to send it did not fail. */
  get sendable(): boolean {
    return !this.closed && !this.held && this.options.journal.stats().pendingFrames > 0;
  }

  /**
   * Resolves once the spans are durable; rejects with the journal's own codes. `onDurable` is asked
   * then, before anything is sent, whether this process still counts them.
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

  /** Sends what lies there until it is empty or the exporter refuses. */
  drain(): Promise<void> {
    this.draining ??= this.sendAll().finally(() => (this.draining = undefined));
    return this.draining;
  }

  /** Stops sending; what lies there waits for the next process. */
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
        // Bytes that nobody can read would block everything behind them for ever.
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
    // A reader may be quicker than the one who wrote the frame and has yet to say whose it is.
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
   * Sends spans around those that the receiver refuses for good, which would keep everything behind
   * them waiting for ever. Answers with these, or undefined when the rest has to wait. Halves: a
   * refusal says that something in the request is wrong, not what.
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
