/**
 * @module SpanCounts: the fate of every evidence span, to the unit (evidence: Loss accounting). At
 * any moment
 * `created = exported + spooled + queued + the sum of dropped`.
 */

/** Counters of one producer; structural spans and start markers are counted apart. */
export interface ExportHealth {
  /** Evidence spans that ended here; also the last sequence number given. */
  readonly created: number;
  readonly exported: number;
  /** On the disk, not yet delivered. */
  readonly spooled: number;
  /** Spans of any kind that an earlier process left on that disk, not yet delivered. */
  readonly inherited: number;
  /** Waiting in memory, or in flight. */
  readonly queued: number;
  /** Lost, by content-free code. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Evidence that a sampler dropped, as far as our sampler counted it. */
  readonly sampled_out: number;
  /** Exports that failed or timed out. */
  readonly write_failures: number;
  readonly structure: SideCount;
  readonly markers: SideCount;
}

/** Counts beside the sequence. */
export interface SideCount {
  readonly created: number;
  readonly exported: number;
  readonly dropped: number;
}

/** Class of a queue item. */
export type ItemClass = "evidence" | "structure" | "markers";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The counters, with one method per event in a span's life. */
export class SpanCounts {
  private readonly counts = { created: 0, exported: 0, spooled: 0, queued: 0 };
  private readonly drops: Record<string, number> = Object.create(null);
  private readonly side: Record<"structure" | "markers", Mutable<SideCount>> = {
    structure: { created: 0, exported: 0, dropped: 0 },
    markers: { created: 0, exported: 0, dropped: 0 },
  };
  private sampledOut = 0;
  /** Exports that failed or timed out. */
  failures = 0;
  /** Incremented with every change, so that a report is sent only when something changed. */
  revision = 0;

  /** An item was created; evidence gets its sequence number, everything else 0. */
  create(kind: ItemClass): number {
    if (kind !== "evidence") {
      this.side[kind].created++;
      return 0;
    }
    this.revision++;
    this.counts.queued++;
    return ++this.counts.created;
  }

  /** Items were exported. */
  exported(kind: ItemClass, count: number): void {
    if (kind !== "evidence") this.side[kind].exported += count;
    else this.move("exported", count);
  }

  /** Items are durable on the disk. */
  spooled(kind: ItemClass, count: number): void {
    if (kind !== "evidence") this.side[kind].exported += count;
    else this.move("spooled", count);
  }

  /** Evidence that this process wrote to the disk was delivered from there. */
  delivered(count: number): void {
    this.counts.spooled -= count;
    this.counts.exported += count;
    if (count > 0) this.revision++;
  }

  /** Evidence that this process wrote to the disk is permanently refused. */
  refused(count: number, code: string): void {
    if (count === 0) return;
    this.counts.spooled -= count;
    this.drops[code] = (this.drops[code] ?? 0) + count;
    this.revision++;
  }

  /** Items are lost. */
  dropped(kind: ItemClass, count: number, code: string): void {
    if (count === 0) return;
    if (kind !== "evidence") {
      this.side[kind].dropped += count;
      return;
    }
    this.revision++;
    this.counts.queued -= count;
    this.drops[code] = (this.drops[code] ?? 0) + count;
  }

  /** An export failed. */
  failed(): void {
    this.failures++;
    this.revision++;
  }

  /** A sampler dropped evidence. */
  sampled(): void {
    this.sampledOut++;
    this.revision++;
  }

  private move(to: "exported" | "spooled", count: number): void {
    this.counts.queued -= count;
    this.counts[to] += count;
    if (count > 0) this.revision++;
  }

  /** A copy of the counters, with what an earlier process left. */
  health(inherited: number): ExportHealth {
    return {
      ...this.counts,
      inherited,
      dropped: { ...this.drops },
      sampled_out: this.sampledOut,
      write_failures: this.failures,
      structure: { ...this.side.structure },
      markers: { ...this.side.markers },
    };
  }
}
