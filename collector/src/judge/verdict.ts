/**
 * @module Verdict: a judged window over HTTP. It is complete only when all pages of the root were
 * read, nothing acknowledged is pending, no failure occurred and no loss is known (evidence:
 * Reconcile).
 */
import {
  matches,
  producerLives,
  readCompleteness,
  readCoverage,
  reconcileSettled,
  trustedErrors,
} from "@turnproof/evidence";
import type {
  EventQuery,
  ProducerLife,
  TurnEvent,
  Verdict,
  WindowMetadata,
} from "@turnproof/evidence";

import { isTrusted, knownLosses, producerReports } from "./losses.ts";
import type { JudgeParts } from "../parts.ts";
import { turnFilter } from "../turns/window.ts";
import type { Window } from "../turns/window.ts";

/** A verdict and the events that it judged. */
export interface Judged {
  readonly verdict: Verdict;
  readonly events: readonly TurnEvent[];
  /** Metadata of the window for the judge. */
  readonly metadata: WindowMetadata;
}

/**
 * Judges the turns of a collected window that the query selects. `reports` are the producers' loss
 * reports, where the caller has read them already.
 */
export async function judgeWindow(
  parts: JudgeParts,
  window: Window,
  query: EventQuery,
  reports?: readonly TurnEvent[],
): Promise<Judged> {
  const selected = turnFilter(query);
  const events = window.events.filter((event) => matches(event, selected));
  const metadata = await metadataOf(parts, window, reports);
  const verdict = reconcileSettled(events, {
    normalizationMetadata: metadata,
    ...(query.task_id === undefined ? {} : { taskId: query.task_id }),
  });
  return { verdict, events, metadata };
}

/** Facts about reading the window, for the verdict. */
export async function metadataOf(
  parts: JudgeParts,
  window: Window,
  reports?: readonly TurnEvent[],
): Promise<WindowMetadata> {
  const failed = trustedErrors(window.errors).length > 0;
  const read = readCompleteness({ failed, partial: !window.complete });
  const reported = reports ?? (await producerReports(parts));
  const { quarantined_roots, losses } = knownLosses(parts, window.events, reported);
  const { turnLimits } = parts.config;
  return {
    coverage: readCoverage(window.events, { readCompleteness: read }),
    window_complete: window.complete,
    truncated: window.bounded,
    normalization_errors: window.errors,
    read_completeness: read,
    quarantined_roots,
    losses,
    as_of: window.mark,
    producers: livesOf(window.events, reported),
    ...(turnLimits === undefined ? {} : { turn_limits: turnLimits }),
  };
}

const known = new WeakMap<readonly TurnEvent[], readonly ProducerLife[]>();

/** Lives of trusted processes; computed once for all windows of a check. */
function trustedLives(reports: readonly TurnEvent[]): readonly ProducerLife[] {
  let lives = known.get(reports);
  if (lives === undefined) {
    lives = producerLives(reports.filter(isTrusted));
    known.set(reports, lives);
  }
  return lives;
}

/** The lives of the processes in a window, and of their instances. */
function livesOf(
  events: readonly TurnEvent[],
  reports: readonly TurnEvent[],
): readonly ProducerLife[] {
  const producers = new Set(events.flatMap((event) => event.producer_id ?? []));
  if (producers.size === 0) return [];
  const lives = trustedLives(reports);
  const instances = new Set(
    lives.flatMap((life) => (producers.has(life.producer_id) ? (life.instance ?? []) : [])),
  );
  return lives.filter(
    (life) => producers.has(life.producer_id) || instances.has(life.instance ?? ""),
  );
}
