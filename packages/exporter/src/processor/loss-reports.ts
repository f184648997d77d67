/**
 * @module LossReports: reports the losses of a processor so far, when they have changed (evidence:
 * Loss accounting). A report is a span that is not counted itself.
 */
import type { ReadableSpanLike, ResourceLike } from "../gate/sdk-shapes.ts";
import { lossReport } from "./own-spans.ts";
import type { Settings } from "./processor-settings.ts";
import type { ExportHealth } from "./span-counts.ts";
import { untraced } from "./untraced.ts";

/** What is reported, and how. */
export interface LossReporting {
  /** Sends a report; true where the exporter took it. */
  readonly send: (span: ReadableSpanLike, timeoutMs: number) => Promise<boolean>;
  /** Increases with each loss. */
  readonly revision: () => number;
  readonly health: () => ExportHealth;
  readonly resource: () => ResourceLike;
  readonly producerId: string;
  /** True where losses may be of spans of an earlier process. */
  readonly inherits: boolean;
  readonly settings: Pick<Settings, "reportEveryMs" | "delayMs" | "exportTimeoutMs">;
}

/** The reports of one processor. */
export class LossReports {
  private readonly reporting: LossReporting;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Start of the earliest evidence that ended here, epoch milliseconds. */
  private earliestMs = Infinity;
  private reportedRevision = 0;
  private reportedAt = Date.now();

  constructor(reporting: LossReporting) {
    this.reporting = reporting;
  }

  /** Evidence with this start, epoch milliseconds, is among what losses may concern. */
  concern(startMs: number): void {
    this.earliestMs = Math.min(this.earliestMs, startMs);
  }

  /** Schedules one report after a change. */
  reportLater(): void {
    if (this.timer !== undefined) return;
    const { reportEveryMs, delayMs, exportTimeoutMs } = this.reporting.settings;
    const inMs = Math.max(2 * delayMs, this.reportedAt + reportEveryMs - Date.now());
    this.timer = untraced(() =>
      setTimeout(() => {
        this.timer = undefined;
        void this.report(exportTimeoutMs);
      }, inMs),
    );
    this.timer.unref?.();
  }

  /** Cancels the scheduled report. */
  stop(): void {
    clearTimeout(this.timer);
  }

  /**
   * Reports the losses so far, when they have changed. The report itself is not counted. Never
   * rejects.
   */
  async report(timeoutMs: number): Promise<void> {
    const { send, health, producerId, resource, settings } = this.reporting;
    const revision = this.reporting.revision();
    if (revision === this.reportedRevision || timeoutMs <= 0) return;
    this.reportedAt = Date.now();
    const span = lossReport(health(), producerId, resource(), this.floorMs());
    const isSent = await send(span, Math.min(timeoutMs, settings.exportTimeoutMs));
    if (isSent) this.reportedRevision = revision;
  }

  /**
   * Start of the earliest evidence that the reported totals may concern, epoch milliseconds;
   * undefined where that is not known: a sampler drops spans before their start is set.
   */
  private floorMs(): number | undefined {
    const { health, inherits } = this.reporting;
    const isKnown = !inherits && health().sampled_out === 0;
    return isKnown && Number.isFinite(this.earliestMs) ? this.earliestMs : undefined;
  }
}
