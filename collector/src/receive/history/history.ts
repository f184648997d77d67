/**
 * @module History: records the receiving side minute by minute, so that Health has true numbers for
 * a range of time across restarts. The minutes of a process that was killed are stored up to its
 * last full one; the rest is a gap, which is unknown and not zero.
 */
import { join } from "node:path";

import { makeDirectory } from "@turnproof/journal/process-lock";

import type { Config } from "../../config/config.ts";
import type { Log } from "../../log.ts";
import { appendMinute, removeOldDays } from "./history-file.ts";
import { addedBetween, largerOf, noCounts } from "./minute.ts";
import type { IngestCounts, IngestMinute, IngestPeaks } from "./minute.ts";

/** What is recorded. */
export interface RecordingOptions {
  readonly folder: string;
  readonly totals: () => IngestCounts;
  /** Present values. */
  readonly state: () => Promise<IngestPeaks>;
  readonly now: () => number;
  readonly log: Log;
}

/** The recorded minutes. */
export interface IngestHistory {
  readonly folder: string;
  /** Minutes that are not on the disk: the present one, and those being written. */
  recent(): readonly IngestMinute[];
  /** Ends the present minute; resolves when it is stored. */
  end(): Promise<void>;
  /** Ends the last minute. Call it when nothing is received any more. */
  close(): Promise<void>;
}

/** Where the minutes of a collector are stored. */
export function historyFolder({ dataDir }: Pick<Config, "dataDir">): string {
  return join(dataDir, "health");
}

const minuteMs = 60_000;
/** How often the present values are read. */
const readEveryMs = 5_000;

/** Begins to record. */
export async function startHistory(options: RecordingOptions): Promise<IngestHistory> {
  makeDirectory(options.folder);
  const fromMs = options.now();
  const recording = new Recording(options, fromMs, await options.state());
  // The journal counts a loss at the first start that finds it: a kill now must not forget it.
  if (recording.hasLost()) await recording.end({ to_ms: Math.max(options.now(), fromMs + 1) });
  recording.schedule();
  return {
    folder: options.folder,
    recent: () => recording.recent(),
    end: () => recording.end(),
    close: () => recording.close(),
  };
}

class Recording {
  private readonly options: RecordingOptions;
  /** Totals begin with the process: what its start found lost is in the first minute. */
  private before: IngestCounts = noCounts;
  private fromMs: number;
  private peaks: IngestPeaks;
  private readonly writing = new Set<IngestMinute>();
  private timer: NodeJS.Timeout | undefined;
  private closed = false;
  private failed = false;

  constructor(options: RecordingOptions, fromMs: number, peaks: IngestPeaks) {
    this.options = options;
    this.fromMs = fromMs;
    this.peaks = peaks;
  }

  recent(): readonly IngestMinute[] {
    return this.closed ? [...this.writing] : [...this.writing, this.present()];
  }

  /** Whether items were lost in the present minute. */
  hasLost(): boolean {
    return this.options.totals().lost > this.before.lost;
  }

  async end(mark: Partial<Pick<IngestMinute, "last" | "to_ms">> = {}): Promise<void> {
    const minute = { ...this.present(), ...mark };
    // An earlier time than before is a clock that was set back: the counts go to the next minute.
    if (minute.to_ms <= minute.from_ms) return;
    this.before = this.options.totals();
    this.fromMs = minute.to_ms;
    this.writing.add(minute);
    const peaks = await this.options.state();
    this.peaks = peaks;
    try {
      await appendMinute(this.options.folder, minute);
      this.failed = false;
    } catch {
      if (!this.failed) this.options.log.warn("health_minutes_unwritten", { count: 1 });
      this.failed = true;
    } finally {
      this.writing.delete(minute);
    }
  }

  async close(): Promise<void> {
    if (this.closed) return;
    clearTimeout(this.timer);
    await this.end({ last: true });
    this.closed = true;
  }

  /**
   * The next reading is at a full multiple of its interval, so that minutes end with the clock's.
   */
  schedule(): void {
    const wait = readEveryMs - (this.options.now() % readEveryMs);
    this.timer = setTimeout(() => {
      void this.read().finally(() => {
        if (!this.closed) this.schedule();
      });
    }, wait + 1).unref();
  }

  private present(): IngestMinute {
    const { fromMs: from_ms, peaks } = this;
    const counts = addedBetween(this.before, this.options.totals());
    return { from_ms, to_ms: Math.max(this.options.now(), from_ms), counts, peaks };
  }

  private async read(): Promise<void> {
    const nowMs = this.options.now();
    this.peaks = largerOf(this.peaks, await this.options.state());
    const sameMinute = Math.floor(nowMs / minuteMs) === Math.floor(this.fromMs / minuteMs);
    if (sameMinute && !this.hasLost()) return;
    await this.end();
    // A file that cannot be removed now is removed after the next minute.
    await removeOldDays(this.options.folder, nowMs).catch(() => {});
  }
}
