/**
 * @module ProcessorSettings: options of the span processor, and what holds where they are not set.
 */
import type { GateOptions } from "../gate/gate.ts";
import type { SpanExporterLike } from "../gate/sdk-shapes.ts";
import type { SpoolJournal } from "../spool/disk-spool.ts";

/** Options of the processor. */
export interface TurnproofProcessorOptions<S = never> extends GateOptions {
  /** Exporter; it receives screened spans only. */
  readonly exporter: SpanExporterLike<S>;
  /** Most queued spans, evidence and the rest each; default 8,192. */
  readonly queueMax?: number;
  /** Spans per export; default 512. */
  readonly batchMax?: number;
  /** How long a span waits for further ones; default 1,000 ms. */
  readonly delayMs?: number;
  /** Timeout of one export; default 10,000 ms. */
  readonly exportTimeoutMs?: number;
  /** Timeout of a flush, normally and while the exporter fails; default 10,000 ms and 2,000 ms. */
  readonly flushDeadlineMs?: number;
  readonly failingDeadlineMs?: number;
  /** Timeout of a complete shutdown; default 2,000 ms. */
  readonly shutdownDeadlineMs?: number;
  /**
   * Age at which an open span gets its start marker; `false`: none. Default: 100 ms for turns and
   * actions, which are sent at once, and `delayMs` for calls.
   */
  readonly markerDelayMs?: number | false;
  /** Time between two heartbeats while evidence spans are open; default 30,000 ms. */
  readonly heartbeatEveryMs?: number;
  /** Time between two reports of losses while something changes; default 60,000 ms. */
  readonly reportEveryMs?: number;
  /** A journal on the disk for spans that cannot be delivered; its opener closes it. */
  readonly spool?: SpoolJournal;
  /** True: every batch goes to the disk first and is sent from there. */
  readonly writeThrough?: boolean;
  /**
   * How long an ended span may be in memory only when the disk is next: with `writeThrough`, and
   * while the exporter fails. Default 100 ms; a SIGKILL loses this and the disk's write time.
   */
  readonly spoolWindowMs?: number;
}

const settingDefaults = {
  queueMax: 8_192,
  batchMax: 512,
  delayMs: 1_000,
  spoolWindowMs: 100,
  exportTimeoutMs: 10_000,
  flushDeadlineMs: 10_000,
  failingDeadlineMs: 2_000,
  shutdownDeadlineMs: 2_000,
  heartbeatEveryMs: 30_000,
  reportEveryMs: 60_000,
} as const;

/** A number for each setting that has a default. */
export type Settings = { readonly [K in keyof typeof settingDefaults]: number };

/** The settings, each with its default. */
export function settingsOf(options: Partial<Settings>): Settings {
  const settings: { -readonly [K in keyof Settings]: number } = { ...settingDefaults };
  for (const name of Object.keys(settingDefaults) as (keyof Settings)[]) {
    settings[name] = options[name] ?? settingDefaults[name];
  }
  return settings;
}
