/**
 * @module Process end: a process that ends by itself, on SIGTERM or on Ctrl-C sends what it has,
 * within a bound, and says in one line what was lost. One listener an event serves every set-up of
 * the process, and the process is never kept from ending.
 */
import type { ReadableSpanLike } from "../gate/sdk-shapes.ts";
import type { ExportHealth } from "../processor/loss-ledger.ts";
import type { TurnproofProcessor } from "../processor/turnproof-processor.ts";
import type { Notice } from "./notice.ts";

/** What of a set-up has to do with the end of its process. */
export interface Ending {
  readonly processor: Pick<
    TurnproofProcessor<ReadableSpanLike>,
    "health" | "idle" | "settle" | "workedAt"
  >;
  /** How long after its last span the process may still be kept, in milliseconds. */
  readonly exitDeadlineMs: number;
  /** Sends what waits, and ends. */
  readonly end: () => Promise<void>;
  readonly notice: Notice;
}

const endings = new Set<Ending>();
const signals = ["SIGTERM", "SIGINT"] as const;

/** Takes care of a set-up when the process ends. */
export function atProcessEnd(ending: Ending): void {
  if (endings.size === 0) {
    process.on("beforeExit", settleAll);
    process.once("exit", sayEnd);
    // First in line, so that a listener of the application that is called once is still counted.
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

function sayEnd(): void {
  for (const { processor, notice } of endings) {
    const line = endLine(processor.health);
    if (line !== undefined) notice(line);
  }
}

/**
 * The application's own listeners decide when it ends, if it does; without one the signal does, and
 * a second one at once.
 */
function onSignal(signal: NodeJS.Signals): void {
  const alone = process.listenerCount(signal) === 1;
  if (alone) process.removeListener(signal, onSignal);
  const work = [...endings].map(({ end, processor, exitDeadlineMs }) =>
    alone ? end() : processor.settle(exitDeadlineMs),
  );
  void Promise.allSettled(work).then(() => alone && process.kill(process.pid, signal));
}

/** What the end of the process leaves to be said; undefined when everything arrived. */
function endLine(health: ExportHealth): string | undefined {
  const said = [lossLine(health), waitingLine(health)].filter((line) => line !== undefined);
  return said.length === 0 ? undefined : said.join(" ");
}

/** What lies on the disk for the next process. */
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
