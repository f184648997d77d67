/**
 * @module Span watch: reports spans that have not ended. A turn and a host's action get a start
 * marker at once, so that a crash within a second is visible; a long call gets one after a delay;
 * while any is open, the process sends heartbeats.
 */
import type { EventKind } from "@turnproof/semconv";

import type { ReadableSpanLike } from "../gate/sdk-shapes.ts";
import { OpenSpans } from "./open-spans.ts";
import { untraced } from "./untraced.ts";

/** Options of a watch; times in milliseconds. */
export interface SpanWatchOptions {
  /** Age at which an open turn or action gets its marker. */
  readonly promptMs: number;
  /** Age at which any other open span of a marked kind gets its marker. */
  readonly patientMs: number;
  readonly heartbeatEveryMs: number;
  /** Most open spans that are watched, of each sort. */
  readonly max: number;
  /** Called with spans that began and are open; `prompt`: send it now. */
  readonly mark: (spans: readonly ReadableSpanLike[], prompt: boolean) => void;
  /** Called as a heartbeat, with the number of open spans. */
  readonly beat: (open: number) => void;
}

/** Kinds whose start must be recorded even if the process ends within a second. */
const promptKinds: ReadonlySet<EventKind> = new Set(["turn", "application_action"]);

/** Watches open spans; keeps no reference to a span after its marker. */
export class SpanWatch {
  private readonly options: SpanWatchOptions;
  private readonly prompt: OpenSpans;
  private readonly patient: OpenSpans;
  private marked: WeakRef<ReadableSpanLike>[] = [];
  private beatAt = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** When the timer fires next, in epoch milliseconds. */
  private lookAt = Infinity;
  private stopped = false;

  constructor(options: SpanWatchOptions) {
    this.options = options;
    this.prompt = new OpenSpans(options.max);
    this.patient = new OpenSpans(options.max);
  }

  /** Watches a span that began. */
  add(span: ReadableSpanLike, kind: EventKind): void {
    if (this.stopped) return;
    const now = Date.now();
    const { promptMs, patientMs } = this.options;
    const prompt = promptKinds.has(kind);
    (prompt ? this.prompt : this.patient).add(span, now);
    this.schedule(now + (prompt ? promptMs : patientMs));
  }

  /** Marks all open spans, whatever their age. */
  markAll(): void {
    this.markBefore(Infinity, Infinity);
  }

  /** Ends the watch. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private markBefore(prompt: number, patient: number): void {
    for (const [list, before, early] of [
      [this.prompt, prompt, true],
      [this.patient, patient, false],
    ] as const) {
      const spans = list.take(before);
      if (spans.length === 0) continue;
      if (this.marked.length === 0) this.beatAt = Date.now();
      const room = this.options.max - this.marked.length;
      for (const span of spans.slice(0, Math.max(0, room))) this.marked.push(new WeakRef(span));
      this.options.mark(spans, early);
    }
  }

  /** Schedules the next check, unless an earlier one is scheduled. */
  private schedule(dueAt: number): void {
    if (this.stopped || dueAt >= this.lookAt) return;
    clearTimeout(this.timer);
    this.lookAt = dueAt;
    // A timer keeps the context of its creation and would keep the process alive; it must do
    // neither.
    this.timer = untraced(() => setTimeout(() => this.look(), Math.max(0, dueAt - Date.now())));
    this.timer.unref?.();
  }

  private look(): void {
    const { promptMs, patientMs, heartbeatEveryMs } = this.options;
    const now = Date.now();
    this.lookAt = Infinity;
    this.markBefore(now - promptMs, now - patientMs);
    if (this.marked.length > 0 && now >= this.beatAt + heartbeatEveryMs) this.beat(now);
    const beatAt = this.marked.length > 0 ? this.beatAt + heartbeatEveryMs : Infinity;
    this.schedule(Math.min(this.prompt.oldest + promptMs, this.patient.oldest + patientMs, beatAt));
  }

  private beat(now: number): void {
    this.beatAt = now;
    this.marked = this.marked.filter((held) => held.deref()?.ended === false);
    if (this.marked.length > 0) this.options.beat(this.marked.length);
  }
}
