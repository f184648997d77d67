/**
 * @module ReconcileWindow: whether a window supports a verdict (requirements: Reconciliation 1,
 * 8). Only metadata can state that everything was read; a plain list cannot. A loss known to the
 * reader or a producer prevents every success.
 */
import type { ReadCompleteness } from "@turnproof/semconv";
import { addMs, normalizeTime } from "@turnproof/semconv";

import type { NormalizationMetadata } from "../coverage/join-pages.ts";
import { lossesOfTurns, lossIntervals } from "../coverage/loss-intervals.ts";
import type { LossInterval } from "../coverage/loss-intervals.ts";
import { rootsAmong } from "../coverage/page.ts";
import { producerLives } from "./reconcile-open.ts";
import type { ProducerLife, TurnLimits, WindowClock } from "./window-clock.ts";
import { isUntrusted } from "../normalize/untrusted.ts";
import type { WindowEvents } from "../normalize/window-events.ts";
import type { TurnEvent } from "../event/event.ts";

/** The reader's statement about the window, and its known losses. */
export interface WindowMetadata extends NormalizationMetadata {
  /** Evidence that a sampler dropped. */
  readonly sampled_out?: number | null;
  /** Evidence lost in transit at an unknown time: it blocks every turn. */
  readonly known_loss?: number | null;
  /** Received watermark up to which the window was read. */
  readonly as_of?: string | null;
  /** How long turns may be idle; default 15 minutes. */
  readonly turn_limits?: TurnLimits;
  /** Facts about the processes that produced the evidence, beside the reports in the window. */
  readonly producers?: readonly ProducerLife[];
}

/** Why a window is incomplete. */
export type WindowReason =
  | "metadata_missing"
  | "metadata_incomplete"
  | "window_incomplete"
  | "truncated"
  | "normalization_errors"
  | "read_incomplete"
  | "events_rejected"
  | "contested"
  | "known_loss"
  | "sampled_out"
  | "write_failures";

/** Completeness and trust of a window. */
export interface WindowTrust {
  readonly complete: boolean;
  readonly read_completeness: ReadCompleteness;
  readonly reasons: readonly WindowReason[];
}

/** True unless the value is absent or zero: a value that is no number does not prove zero. */
function isSomething(value: unknown): boolean {
  return value !== undefined && value !== null && value !== 0;
}

function hasErrors(value: unknown): boolean {
  return Array.isArray(value) ? !value.every(isUntrusted) : isSomething(value);
}

/** The completeness in the metadata, in its own field or in its coverage. */
function statedReads(metadata: WindowMetadata): unknown[] {
  const coverage: unknown = metadata.coverage;
  const inCoverage =
    typeof coverage === "object" && coverage !== null && "read_completeness" in coverage
      ? coverage.read_completeness
      : typeof coverage === "string"
        ? coverage
        : undefined;
  return [metadata.read_completeness, inCoverage].filter(
    (value) => value !== undefined && value !== null,
  );
}

/**
 * True where metadata has everything that `window_complete` depends on: absence proves nothing.
 */
function statesAll(metadata: WindowMetadata): boolean {
  const { truncated, normalization_errors: errors, as_of } = metadata;
  const isMarked = typeof as_of === "string" && normalizeTime(as_of) !== undefined;
  return (
    [truncated, errors].every((value) => value !== undefined && value !== null) &&
    (isMarked || statedReads(metadata).length > 0)
  );
}

/** Losses while a turn of the window was open. */
function lossReasons(
  { events, groups, reports }: WindowEvents,
  metadata: WindowMetadata | undefined,
): WindowReason[] {
  const stated: unknown = metadata?.losses;
  const known = Array.isArray(stated) ? stated.filter(isInterval) : [];
  const reasons = new Set<WindowReason>();
  for (const loss of lossesOfTurns(events, groups, [...known, ...lossIntervals(reports)])) {
    if (loss.lost > 0) reasons.add("known_loss");
    if (loss.sampled_out > 0) reasons.add("sampled_out");
    if (loss.write_failures > 0) reasons.add("write_failures");
  }
  return [...reasons];
}

function isInterval(value: unknown): value is LossInterval {
  if (typeof value !== "object" || value === null) return false;
  const { from, to } = value as Partial<LossInterval>;
  return typeof to === "string" && (from === null || typeof from === "string");
}

/**
 * Judges the window. Metadata must state that the window is complete and not truncated, that no
 * record was unreadable, and how far it was read: a mark (`as_of`) or a `read_completeness`.
 */
export function assessWindow(
  read: WindowEvents,
  metadata: WindowMetadata | undefined,
): WindowTrust {
  const reasons = new Set<WindowReason>(lossReasons(read, metadata));
  if (read.rejected > 0) reasons.add("events_rejected");
  if (read.events.some(isContested)) reasons.add("contested");
  const named: unknown = metadata?.quarantined_roots;
  const roots = Array.isArray(named) ? named.filter((root) => typeof root === "string") : [];
  if (rootsAmong(read.events, roots).length > 0) reasons.add("known_loss");
  if (metadata === undefined) reasons.add("metadata_missing");
  else {
    // A narrowed page can be complete as a page, but not as a window.
    const { narrowed } = metadata as { readonly narrowed?: unknown };
    if (metadata.window_complete !== true || (isSomething(narrowed) && narrowed !== false))
      reasons.add("window_incomplete");
    else if (!statesAll(metadata)) reasons.add("metadata_incomplete");
    const { truncated } = metadata as { readonly truncated?: unknown };
    if (isSomething(truncated) && truncated !== false) reasons.add("truncated");
    if (hasErrors(metadata.normalization_errors)) reasons.add("normalization_errors");
    if (statedReads(metadata).some((value) => value !== "complete")) reasons.add("read_incomplete");
    if (isSomething(metadata.sampled_out)) reasons.add("sampled_out");
    if (isSomething(metadata.known_loss)) reasons.add("known_loss");
  }
  return {
    complete: reasons.size === 0,
    read_completeness: completeness(reasons, metadata),
    reasons: [...reasons].toSorted(),
  };
}

/** True for trusted evidence of which the latest content is not known. */
export function isContested(event: TurnEvent): boolean {
  return event.contested === true && event.ingest_trusted !== false;
}

/** Truncation makes a window partial; it never improves an untrusted one (evidence: Reconcile). */
function completeness(
  reasons: ReadonlySet<WindowReason>,
  metadata: WindowMetadata | undefined,
): ReadCompleteness {
  const untrusted =
    reasons.has("normalization_errors") ||
    reasons.has("events_rejected") ||
    (metadata !== undefined && statedReads(metadata).includes("untrusted"));
  if (untrusted) return "untrusted";
  if (metadata === undefined) return "unknown";
  // What was read is complete where only the order of contents is unknown.
  return reasons.size === (reasons.has("contested") ? 1 : 0) ? "complete" : "partial";
}

/** A host's own events beside received ones may be somewhat later than any receipt. */
const dayMs = 86_400_000;

/** The reader's mark, else the latest receipt among the events, with its facts about producers. */
export function windowClock(
  { receivedAt, reports }: Pick<WindowEvents, "receivedAt" | "reports">,
  metadata: WindowMetadata | undefined,
): WindowClock {
  const asOf = typeof metadata?.as_of === "string" ? normalizeTime(metadata.as_of) : undefined;
  const stated: unknown = metadata?.producers;
  const known = Array.isArray(stated) ? stated.filter(isLife) : [];
  return {
    asOf: asOf ?? receivedAt,
    bound: asOf ?? (receivedAt === null ? null : addMs(receivedAt, dayMs)),
    limits: metadata?.turn_limits ?? {},
    lives: [...known, ...producerLives(reports)],
  };
}

function isLife(value: unknown): value is ProducerLife {
  if (typeof value !== "object" || value === null) return false;
  const { producer_id, first, last } = value as Partial<ProducerLife>;
  return [producer_id, first, last].every((field) => typeof field === "string");
}
