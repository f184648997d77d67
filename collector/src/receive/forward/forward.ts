/**
 * @module Forward: what this collector stored goes on to another OTLP endpoint. Frames wait in a
 * journal of their own, which a batch enters after it is stored and before the receiver's journal
 * forgets it: a kill at any time sends spans again, and loses none. An endpoint that is away or
 * slow delays nothing here; when the queue has no room, spans are given up and counted.
 */
import { setTimeout as sleep } from "node:timers/promises";

import type { TurnEvent } from "@turnproof/evidence";
import { eventRequest } from "@turnproof/exporter";
import type { Journal, JournalPosition, StoredFrames } from "@turnproof/journal";
import { codeOf } from "@turnproof/semconv";

import type { Log } from "../../log.ts";
import { decodeFrame } from "../otlp/frame-codec.ts";
import { noCounts, sumOf } from "./forward-account.ts";
import type {
  ForwardAccount,
  ForwardCounts,
  ForwardLoss,
  ForwardLossCounts,
} from "./forward-account.ts";
import { openForwardQueue } from "./forward-queue.ts";
import type { ForwardQueue } from "./forward-queue.ts";
import { sendRequest } from "./send-request.ts";
import type { ForwardTarget, Sent } from "./send-request.ts";

/** State of the queue, for Health and metrics. */
export interface ForwardState {
  readonly pending_spans: number;
  readonly oldest_pending_at: string | null;
  readonly disk_bytes: number;
  readonly bytes_max: number;
  /** Since the directory was made, as all counts of spans. */
  readonly sent_spans: number;
  /**
   * Of these the spans of requests that were accepted with an answer that could not be read: some
   * of them may have been rejected.
   */
  readonly unconfirmed_spans: number;
  /** Attempts that the endpoint did not take. */
  readonly failures: number;
  /** True while the last attempt failed; null: none has ended since the start, so it is unknown. */
  readonly failing: boolean | null;
  /** Spans that were given up, by reason, since the directory was made. */
  readonly lost_spans: ForwardLossCounts;
  /**
   * True where the file with these counts was damaged: they began anew, and what was counted before
   * is unknown. Ends when `forward/account.json.corrupt` is moved away and the collector starts
   * again.
   */
  readonly account_damaged: boolean;
}

/** A running forward. */
export interface Forward {
  /** Queues the spans of a stored batch; resolves when they are durable or counted as lost. */
  stored(batch: StoredFrames): Promise<void>;
  state(): ForwardState;
  /** Ends sending; what is not sent stays in the queue. */
  close(): Promise<void>;
}

/** Directory, endpoint and bounds; times are shortened by tests. */
export interface ForwardOptions {
  readonly directory: string;
  readonly target: ForwardTarget;
  readonly bytesMax: number;
  readonly log: Log;
  readonly retryMs?: number;
  readonly timeoutMs?: number;
}

/** Spans of one request; the other side sees them as one batch. */
const requestSpansMax = 2_048;
const requestBytesMax = 4_194_304;
const retryMsDefault = 1_000;
const retryMsMax = 60_000;
const timeoutMsDefault = 30_000;

/** Opens the queue and starts to send. @throws CodedError of the journal */
export async function startForward(options: ForwardOptions): Promise<Forward> {
  return new Sender(options, await openForwardQueue(options));
}

class Sender implements Forward {
  readonly #options: ForwardOptions;
  readonly #queue: ForwardQueue;
  readonly #journal: Journal;
  readonly #account: ForwardAccount;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #wake = Promise.withResolvers<void>();
  #failures = 0;
  #inRow = 0;
  /** The endpoint has answered an attempt since the start. */
  #taken = false;
  #unread = false;

  constructor(options: ForwardOptions, queue: ForwardQueue) {
    const { journal, account } = queue;
    this.#options = options;
    this.#queue = queue;
    this.#journal = journal;
    this.#account = account;
    journal.onDurable(() => this.#wake.resolve());
    this.#running = this.#run();
  }

  stored(batch: StoredFrames): Promise<void> {
    return this.#queue.stored(batch);
  }

  state(): ForwardState {
    const { pendingSpans, oldestPendingAt, diskBytes, bytesMax } = this.#journal.stats();
    const { sent, unconfirmed, lost } = this.#account.counts;
    return {
      pending_spans: pendingSpans,
      oldest_pending_at: oldestPendingAt ?? null,
      disk_bytes: diskBytes,
      bytes_max: bytesMax,
      sent_spans: sent,
      unconfirmed_spans: unconfirmed,
      failures: this.#failures,
      failing: this.#inRow > 0 ? true : this.#taken ? false : null,
      lost_spans: lost,
      account_damaged: this.#account.isDamaged,
    };
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#wake.resolve();
    await this.#running;
    await this.#queue.close();
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#wake = Promise.withResolvers();
      try {
        if (await this.#pass()) continue;
      } catch (error) {
        const code = codeOf(error);
        this.#options.log.warn("forward_queue", { code, count: 1 });
        await this.#pause(undefined);
      }
      await this.#wake.promise;
    }
  }

  /** Sends everything that is pending; false when nothing was. */
  async #pass(): Promise<boolean> {
    let events: TurnEvent[] = [];
    let bytes = 0;
    let damaged = 0;
    let through: JournalPosition | undefined;
    let any = false;
    const send = async (): Promise<boolean> => {
      const end = through;
      if (end === undefined) return true;
      const sent = await this.#send(events);
      if (sent === undefined) return false;
      const counts = sumOf(sent, lostOnly("damaged", damaged));
      await this.#account.request(end.sequence, counts, () => this.#journal.checkpoint(end));
      any = true;
      [events, bytes, damaged, through] = [[], 0, 0, undefined];
      return true;
    };
    for await (const frame of this.#journal.read()) {
      const decoded = readable(frame.payload);
      const isFull =
        events.length + (decoded?.length ?? 0) > requestSpansMax ||
        bytes + frame.payload.length > requestBytesMax;
      if (isFull && !(await send())) return true;
      if (decoded === undefined) damaged += frame.spans;
      else events.push(...decoded);
      bytes += frame.payload.length;
      through = frame.position;
    }
    await send();
    return any;
  }

  /** What became of each event; undefined when sending ended before. */
  async #send(events: readonly TurnEvent[]): Promise<ForwardCounts | undefined> {
    const { bytes, length, skipped } = eventRequest(events);
    if (length === 0) return lostOnly("unmapped", skipped);
    const answer = await this.#until(Uint8Array.from(bytes));
    if (answer === undefined) return undefined;
    if (answer.result === "taken") {
      if (answer.rejected === undefined) this.#notConfirmed(length);
      // An endpoint that rejects more than it was sent has rejected all of it.
      const refused = Math.min(answer.rejected ?? 0, length);
      return {
        sent: length - refused,
        unconfirmed: answer.rejected === undefined ? length : 0,
        lost: { ...noCounts.lost, refused, unmapped: skipped },
      };
    }
    if (events.length === 1) return lostOnly("refused", 1);
    // A divided request counts nothing: its parts do.
    const half = Math.ceil(events.length / 2);
    const first = await this.#send(events.slice(0, half));
    const second = first === undefined ? undefined : await this.#send(events.slice(half));
    return first === undefined || second === undefined ? undefined : sumOf(first, second);
  }

  /** One line for an endpoint whose answers cannot be read; Health has the count. */
  #notConfirmed(spans: number): void {
    if (!this.#unread) this.#options.log.warn("forward_answer_unread", { spans });
    this.#unread = true;
  }

  /** Sends a request until it is taken or refused; undefined when sending ended before. */
  async #until(
    bytes: Uint8Array<ArrayBuffer>,
  ): Promise<Exclude<Sent, { readonly result: "later" }> | undefined> {
    const { target, timeoutMs = timeoutMsDefault, log } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const late = AbortSignal.timeout(timeoutMs);
      const sent = await sendRequest(target, bytes, AbortSignal.any([signal, late]));
      if (sent.result !== "later") {
        if (this.#inRow > 0) log.info("forward_answers");
        this.#inRow = 0;
        this.#taken = true;
        return sent;
      }
      if (signal.aborted) return undefined;
      this.#failures += 1;
      this.#inRow += 1;
      if (this.#inRow === 1) log.warn("forward_waits");
      await this.#pause(sent.waitMs);
    }
    return undefined;
  }

  async #pause(requestedMs: number | undefined): Promise<void> {
    const { retryMs = retryMsDefault } = this.#options;
    const ownMs = Math.min(retryMsMax, retryMs * 2 ** Math.max(0, this.#inRow - 1));
    const waitMs = requestedMs ?? ownMs * (0.5 + Math.random() / 2);
    // The wait ends early on closing.
    await sleep(waitMs, undefined, { signal: this.#stop.signal, ref: false }).catch(() => {});
  }
}

/** The events of a frame; undefined for a damaged one. */
function readable(payload: Uint8Array): readonly TurnEvent[] | undefined {
  try {
    return decodeFrame(payload);
  } catch {
    return undefined;
  }
}

function lostOnly(reason: ForwardLoss, spans: number): ForwardCounts {
  return { ...noCounts, lost: { ...noCounts.lost, [reason]: spans } };
}
