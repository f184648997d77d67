/**
 * @module Process end: when the process ends by itself, on SIGTERM or on Ctrl-C, sends what is
 * queued, within a time limit, and writes one line about losses. One listener per event serves all
 * set-ups of the process, and the process is never kept from ending.
 */
import type { ReadableSpanLike } from "../gate/sdk-shapes.ts";
import type { ExportHealth } from "../processor/span-counts.ts";
import type { TurnproofProcessor } from "../processor/turnproof-processor.ts";
import type { WriteNotice } from "./notice.ts";

/** The part of a set-up that concerns the end of its process. */
export interface Ending {
  readonly processor: Pick<
    TurnproofProcessor<ReadableSpanLike>,
    "health" | "idle" | "settle" | "workedAt"
  >;
  /** How long after its last span the process may be kept alive, in milliseconds. */
  readonly exitDeadlineMs: number;
  /** Sends what is queued, and shuts down. */
  readonly end: () => Promise<void>;
  readonly notice: WriteNotice;
}

const endings = new Set<Ending>();
const signals = ["SIGTERM", "SIGINT"] as const;

/** Handles a set-up at the end of the process. */
export function atProcessEnd(ending: Ending): void {
  if (endings.size === 0) {
    process.on("beforeExit", settleAll);
    process.once("exit", reportEnd);
    // Prepended, so that a one-time listener of the application is still counted.
    for (const signal of signals) process.prependListener(signal, onSignal);
  }
  endings.add(ending);
}

function settleAll(): void {
  for (const { processor, exitDeadlineMs } of endings) {
    const left = processor.workedAt + exitDeadlineMs - Date.now();
    if (!processor.idle && left > 0) void processor.settle(left);
  }
}

function reportEnd(): void {
  for (const { processor, notice } of endings) {
    const line = endLine(processor.health);
    if (line !== undefined) notice(line);
  }
}

/**
 * With listeners of the application these decide when it ends; without them the signal ends it,
 * and a second signal ends it at once.
 */
function onSignal(signal: NodeJS.Signals): void {
  const alone = process.listenerCount(signal) === 1;
  if (alone) process.removeListener(signal, onSignal);
  const work = [...endings].map(({ end, processor, exitDeadlineMs }) =>
    alone ? end() : processor.settle(exitDeadlineMs),
  );
  void Promise.allSettled(work).then(() => alone && process.kill(process.pid, signal));
}

/** The line to write at the end of the process; undefined when everything arrived. */
function endLine(health: ExportHealth): string | undefined {
  const lines = [lossLine(health), waitingLine(health)].filter((line) => line !== undefined);
  return lines.length === 0 ? undefined : lines.join(" ");
}

/** What is on the disk for the next process. */
function waitingLine({ spooled, inherited }: ExportHealth): string | undefined {
  if (spooled + inherited === 0) return undefined;
  const earlier = inherited === 0 ? "" : `, and ${inherited} spans of an earlier one`;
  return `${spooled} evidence spans wait in the spool for the next process${earlier}.`;
}

/** What was lost, by content-free code; undefined when nothing was. */
function lossLine(health: ExportHealth): string | undefined {
  const unsent = health.queued;
  const reasons = Object.entries({ ...health.dropped, not_sent: unsent }).filter(([, n]) => n > 0);
  const evidence = reasons.reduce((sum, [, count]) => sum + count, 0);
  const others = health.structure.dropped + health.markers.dropped;
  if (evidence + others === 0) return undefined;
  const why = reasons.map(([code, count]) => `${code} ${count}`).join(", ");
  const beside = others === 0 ? "" : ` and ${others} other spans`;
  return (
    `${evidence} evidence spans${why === "" ? "" : ` (${why})`}${beside} were lost. ` +
    "Is the collector there? A spool keeps what it does not take."
  );
}
