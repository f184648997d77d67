/**
 * @module Judge: looks at turns that grew quiet and keeps their verdict and finding codes beside
 * the turn index, so that lists can show and filter them. An unjudged turn stays labelled so.
 */
import { compareTimes, foldTurns } from "@turnproof/evidence";
import type { TurnEvent, TurnRow } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";
import type { TurnVerdict } from "@turnproof/store";

import { collectorScope } from "./auth/grants.ts";
import { producerReports } from "./losses.ts";
import type { Parts } from "./parts.ts";
import { judgeWindow } from "./verdict.ts";
import { collectRoot } from "./window.ts";

/** When and how much the judge looks. */
export interface JudgeOptions {
  /** A root is quiet when nothing arrived for this long. */
  readonly quietMs?: number;
  readonly everyMs?: number;
  readonly rootsMax?: number;
}

/** The running judge. */
export interface Judge {
  /** Judges what is quiet now; how many turns it judged. */
  look(): Promise<number>;
  close(): Promise<void>;
}

const defaults = { quietMs: 5_000, everyMs: 2_000, rootsMax: 200 } as const;
/** Verdicts that are kept together: a write costs the same for one as for many. */
const verdictsPerWrite = 50;
/** On a fresh start the judge goes back this far. */
const lookBackMs = 24 * 3_600_000;
/** Once in a while it looks again at what is this young: another collector may store late. */
const wideEveryMs = 60_000;
const wideBackMs = 10 * 60_000;

/** Starts the judge; it never throws, and what it could not judge it tries again. */
export function startJudge(parts: Parts, options: JudgeOptions = {}): Judge {
  const { quietMs, everyMs, rootsMax } = { ...defaults, ...options };
  let since = new Date(parts.now() - lookBackMs).toISOString();
  let running: Promise<number> | undefined;
  let closed = false;
  let wideAt = parts.now();
  const look = async (): Promise<number> => {
    const wide = parts.now() - wideAt >= wideEveryMs;
    if (wide) {
      wideAt = parts.now();
      since = earlier(since, new Date(parts.now() - wideBackMs).toISOString());
    }
    // What is still in the journal keeps its time of receipt when it is stored later.
    const pending = parts.ingest.report().journal.oldest_pending_at;
    const quietBefore = new Date(parts.now() - quietMs).toISOString();
    const roots = await parts.store.quietRoots(since, quietBefore, rootsMax);
    let judged = 0;
    let reached = since;
    let held: TurnVerdict[] = [];
    const keep = async (): Promise<void> => {
      if (held.length > 0) await parts.store.putVerdicts(held);
      judged += held.length;
      held = [];
    };
    let reports = roots.length === 0 ? [] : await producerReports(parts);
    for (const root of roots) {
      if (closed) break;
      const { verdicts, asOf } = await judgeRoot(parts, root, reports);
      held.push(...verdicts);
      if (held.length >= verdictsPerWrite) {
        await keep();
        reports = await producerReports(parts);
      }
      if (asOf !== "" && compareTimes(asOf, reached) > 0) reached = asOf;
    }
    await keep();
    if (closed) return judged;
    // Everything up to here was looked at; a root that speaks again becomes quiet again. A full
    // page goes on where it ended, and never looks at the same roots for ever.
    since =
      roots.length === rootsMax && compareTimes(reached, since) > 0
        ? reached
        : earlier(quietBefore, pending);
    return judged;
  };
  const timer = setInterval(() => {
    running ??= look()
      .catch((error: unknown) => {
        parts.log.warn("judge_failed", {
          code: CodedError.is(error) ? error.code : "internal_error",
        });
        return 0;
      })
      .finally(() => (running = undefined));
  }, everyMs);
  timer.unref();
  return {
    look,
    close: async () => {
      closed = true;
      clearInterval(timer);
      await running;
    },
  };
}

function earlier(time: string, other: string | null): string {
  return other !== null && compareTimes(other, time) < 0 ? other : time;
}

async function judgeRoot(
  parts: Parts,
  root: string,
  reports: readonly TurnEvent[],
): Promise<{ readonly verdicts: readonly TurnVerdict[]; readonly asOf: string }> {
  const reading = { scope: collectorScope(), query: { store: "all" } } as const;
  const window = await collectRoot(parts, reading, root);
  const verdicts: TurnVerdict[] = [];
  for (const row of foldTurns(window.events)) {
    const { verdict } = await judgeWindow(parts, window, identityOf(row), reports);
    verdicts.push({
      root_trace_id: root,
      turn_id: row.turn_id ?? "",
      agent_id: row.agent_id ?? "",
      thread_id: row.thread_id ?? "",
      ...(row.application_id === undefined ? {} : { application_id: row.application_id }),
      ...(row.user_id === undefined ? {} : { user_id: row.user_id }),
      verdict: verdict.status,
      finding_codes: [...new Set(verdict.findings.map((finding) => finding.code))].toSorted(),
      judged_at: new Date(parts.now()).toISOString(),
      as_of: verdict.as_of ?? window.as_of ?? "",
    });
  }
  return { verdicts, asOf: window.as_of ?? "" };
}

function identityOf(row: TurnRow): Partial<TurnRow> {
  const { agent_id, thread_id, turn_id, user_id } = row;
  return {
    ...(agent_id === undefined ? {} : { agent_id }),
    ...(thread_id === undefined ? {} : { thread_id }),
    ...(turn_id === undefined ? {} : { turn_id }),
    ...(user_id === undefined ? {} : { user_id }),
  };
}
