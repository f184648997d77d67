/**
 * @module ForwardAccount: spans that were sent and spans that the other endpoint will never have,
 * by reason, in a file that outlives the process. What comes in is what was sent, is lost or waits:
 * a batch of the receiver counts once, also where a stop or a kill repeats it, and the counts of a
 * request take effect with the checkpoint behind it.
 */
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { replaceFile } from "@turnproof/journal";
import type { JournalFrame } from "@turnproof/journal";
import { z } from "zod";

/** Why spans are not sent: no room in the queue, refused there, damaged here, ids of no span. */
export type ForwardLoss = "queue_full" | "refused" | "damaged" | "unmapped";

/** Counts by reason. */
export type ForwardLossCounts = Readonly<Record<ForwardLoss, number>>;

/** Counts since the directory was made. */
export interface ForwardCounts {
  readonly sent: number;
  readonly unconfirmed: number;
  readonly lost: ForwardLossCounts;
}

/** Place of a frame in the receiver's journal. */
export type FramePosition = Pick<JournalFrame, "sequence" | "appendedAtMs">;

const count = z.int().min(0);
const lossSchema = z.object({
  queue_full: count,
  refused: count,
  damaged: count,
  unmapped: count,
});
const countsSchema = z.object({ sent: count, unconfirmed: count, lost: lossSchema });
const markSchema = z.object({ from: count, to: count, fromMs: z.number(), toMs: z.number() });
const accountSchema = z.object({
  counts: countsSchema,
  /** Counts of a request whose checkpoint may be missing. */
  open: countsSchema.extend({ through: count }).nullable(),
  /** Batches of the receiver that are queued or counted, newest last. */
  batches: z.array(markSchema),
});
type WrittenCounts = z.output<typeof accountSchema>;

const fileName = "account.json";
/** An account that could not be read, until an operator moves it away. */
export const asideName = `${fileName}.corrupt`;

/** What the next start finds in a folder; `aside` where an earlier one set a damaged file aside. */
export function lookAtForwardAccount(directory: string): {
  readonly file: "none" | "whole" | "damaged";
  readonly name: string;
  readonly aside: boolean;
} {
  let damaged: string | undefined;
  const found = read(join(directory, fileName), (file) => (damaged = basename(file)));
  const file = damaged !== undefined ? "damaged" : found === undefined ? "none" : "whole";
  return { file, name: damaged ?? fileName, aside: existsSync(join(directory, asideName)) };
}

/** No span. */
export const noCounts: ForwardCounts = {
  sent: 0,
  unconfirmed: 0,
  lost: { queue_full: 0, refused: 0, damaged: 0, unmapped: 0 },
};

/**
 * Batches that are remembered. One that was forwarded and has no checkpoint in the receiver's
 * journal is one of those in flight, which are four at most.
 */
const batchesMax = 32;

/** Both counts together. */
export function sumOf(one: ForwardCounts, other: ForwardCounts): ForwardCounts {
  const reasons = Object.keys(one.lost) as ForwardLoss[];
  const lost = reasons.map((reason) => [reason, one.lost[reason] + other.lost[reason]]);
  return {
    sent: one.sent + other.sent,
    unconfirmed: one.unconfirmed + other.unconfirmed,
    lost: Object.fromEntries(lost) as ForwardLossCounts,
  };
}

/** The account of a directory. */
export class ForwardAccount {
  readonly #file: string;
  /** True where an account could not be read, until an operator moves away what was set aside. */
  readonly isDamaged: boolean;
  #account: WrittenCounts;
  #writing: Promise<void> = Promise.resolve();

  /** Reads it; an absent one is empty, and a damaged one is set aside. */
  constructor(directory: string) {
    mkdirSync(directory, { recursive: true });
    this.#file = join(directory, fileName);
    const aside = join(directory, asideName);
    const found = read(this.#file, (damaged) => renameSync(damaged, aside));
    this.isDamaged = existsSync(aside);
    this.#account = found ?? empty;
  }

  get counts(): ForwardCounts {
    return this.#account.counts;
  }

  /** What a kill left open counts where its checkpoint was written; else it is sent again. */
  settle(drainedThrough: number): void {
    const { counts, open } = this.#account;
    if (open === null) return;
    const isDone = open.through <= drainedThrough;
    this.#account = {
      ...this.#account,
      counts: isDone ? sumOf(counts, open) : counts,
      open: null,
    };
  }

  /** Whether a frame of the receiver was queued or counted before. */
  has({ sequence, appendedAtMs }: FramePosition): boolean {
    return this.#account.batches.some(
      ({ from, to, fromMs, toMs }) =>
        sequence >= from && sequence <= to && appendedAtMs >= fromMs && appendedAtMs <= toMs,
    );
  }

  /** A batch is in the queue, without the spans that found no room. */
  async entered(frames: readonly FramePosition[], queueFull: number): Promise<void> {
    if (frames.length === 0) return;
    const [sequences, times] = [
      frames.map(({ sequence }) => sequence),
      frames.map(({ appendedAtMs }) => appendedAtMs),
    ];
    const mark = {
      from: Math.min(...sequences),
      to: Math.max(...sequences),
      fromMs: Math.min(...times),
      toMs: Math.max(...times),
    };
    const batches = [...this.#account.batches, mark].slice(-batchesMax);
    this.#account = { ...this.#account, batches };
    await this.lose("queue_full", queueFull);
  }

  /** Spans that are lost without a request. */
  async lose(reason: ForwardLoss, spans: number): Promise<void> {
    const lost = { ...noCounts.lost, [reason]: spans };
    const counts = sumOf(this.#account.counts, { ...noCounts, lost });
    this.#account = { ...this.#account, counts };
    await this.#write();
  }

  /** Counts a request once its checkpoint is written. */
  async request(
    through: number,
    counts: ForwardCounts,
    checkpoint: () => Promise<void>,
  ): Promise<void> {
    this.#account = { ...this.#account, open: { ...counts, through } };
    await this.#write();
    await checkpoint();
    this.settle(through);
  }

  /** Writes the newest state. A disk that refuses it refuses frames as well, with its own error. */
  #write(): Promise<void> {
    this.#writing = this.#writing
      .then(() => replaceFile(this.#file, Buffer.from(JSON.stringify(this.#account))))
      // The counts stay in memory, and the next write has them.
      .catch(() => undefined);
    return this.#writing;
  }

  /** Writes the last state. */
  close(): Promise<void> {
    return this.#write();
  }
}

const empty: WrittenCounts = { counts: noCounts, open: null, batches: [] };

function read(file: string, setAside: (damaged: string) => void): WrittenCounts | undefined {
  if (existsSync(file)) return readAs(accountSchema, file, setAside);
  // Earlier versions kept only what was lost.
  const earlier = join(dirname(file), "losses.json");
  const lost = existsSync(earlier) ? readAs(lossSchema, earlier, setAside) : undefined;
  return lost && { ...empty, counts: { ...noCounts, lost } };
}

/** Undefined for a damaged file. It is replaced as a whole, so it is never half a file. */
function readAs<T>(
  schema: z.ZodType<T>,
  file: string,
  setAside: (damaged: string) => void,
): T | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    setAside(file);
    return undefined;
  }
}
