/**
 * @module Judge: looks at turns that grew quiet and keeps their verdict and finding codes beside
 * the turn index, so that lists can show and filter them. An unjudged turn stays labelled so.
 */
import { setImmediate as nextTask } from "node:timers/promises";

import {
  compareTimes,
  findInsights,
  foldTurns,
  lossIntervals,
  producerLives,
  reconcileOutcome,
  turnKey,
} from "@turnproof/evidence";
import type { TurnEvent, Verdict } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";
import type { TurnVerdict } from "@turnproof/store";

import { collectorScope } from "./auth/grants.ts";
import { createLateLosses } from "./judge-losses.ts";
import type { LateLosses } from "./judge-losses.ts";
import { createOpenRoots } from "./judge-open.ts";
import type { OpenRoots, Unended } from "./judge-open.ts";
import { isTrusted, producerReports } from "./losses.ts";
import type { Parts } from "./parts.ts";
import { metadataOf } from "./verdict.ts";
import { collectRoot, collectRoots } from "./window.ts";
import type { Window } from "./window.ts";

/** When and how much the judge looks. */
export interface JudgeOptions {
  /** A root is quiet when nothing arrived for this long. */
  readonly quietMs?: number;
  readonly everyMs?: number;
  /** Roots of one look; more than these are looked at again at once. */
  readonly rootsMax?: number;
}

/** The running judge. */
export interface Judge {
  /** Judges what is quiet now; how many turns it judged. */
  look(): Promise<number>;
  close(): Promise<void>;
}

const defaults = { quietMs: 5_000, everyMs: 2_000, rootsMax: 200 } as const;
/** Roots that are read and kept together: a statement costs the same for one as for many. */
const rootsPerRead = 50;
/** On a fresh start the judge goes back this far. */
const lookBackMs = 24 * 3_600_000;
/** Once in a while it looks again at what is this young: another collector may store late. */
const wideEveryMs = 60_000;
const wideBackMs = 10 * 60_000;
/** Where much is young, looking again takes long; it may not keep the judge from what is new. */
const wideRest = 10;

/** Starts the judge; it never throws, and what it could not judge it tries again. */
export function startJudge(parts: Parts, options: JudgeOptions = {}): Judge {
  const { quietMs, everyMs, rootsMax } = { ...defaults, ...options };
  let since = new Date(parts.now() - lookBackMs).toISOString();
  let running: Promise<number> | undefined;
  let closed = false;
  let wideAt = parts.now();
  let wideWaitMs: number = wideEveryMs;
  let wanted = rootsMax;
  const memory: Memory = { losses: createLateLosses(), open: createOpenRoots() };
  const pass = async (): Promise<{ readonly judged: number; readonly more: boolean }> => {
    // What is still in the journal keeps its time of receipt when it is stored later.
    const pending = parts.ingest.report().journal.oldest_pending_at;
    const quietBefore = new Date(parts.now() - quietMs).toISOString();
    const roots = await parts.store.quietRoots(since, quietBefore, wanted);
    let judged = 0;
    let reached = since;
    let back: string | null = null;
    for (let from = 0; from < roots.length && !closed; from += rootsPerRead) {
      const some = await judgeRoots(parts, roots.slice(from, from + rootsPerRead), memory);
      if (some.verdicts.length > 0) await parts.store.putVerdicts(some.verdicts);
      judged += some.verdicts.length;
      if (some.asOf !== "" && compareTimes(some.asOf, reached) > 0) reached = some.asOf;
      if (some.back !== undefined) back = earlier(some.back, back);
      // Whoever asks meanwhile goes first.
      await nextTask();
    }
    if (closed) return { judged, more: false };
    const more = roots.length >= wanted;
    const moved = compareTimes(reached, since) > 0;
    // Everything up to here was looked at; a root that speaks again becomes quiet again. A full
    // page goes on where it ended. One request can bring more roots than a page has, all received
    // in one moment: then the next page must be longer to reach beyond them.
    if (!more) since = earlier(quietBefore, pending);
    else if (moved) since = reached;
    wanted = more && !moved ? wanted * 2 : rootsMax;
    if (back === null) return { judged, more };
    // Turns that were judged before their producer spoke of a loss are judged again, with it.
    since = earlier(since, back);
    return { judged, more: true };
  };
  const look = async (): Promise<number> => {
    const began = parts.now();
    const wide = began - wideAt >= wideWaitMs;
    if (wide) since = earlier(since, new Date(began - wideBackMs).toISOString());
    const due = await judgeDue(parts, memory, () => closed);
    let total = due.judged;
    if (due.back !== undefined) since = earlier(since, due.back);
    for (let more = true; more && !closed;) {
      const passed = await pass();
      total += passed.judged;
      more = passed.more;
    }
    if (wide) {
      wideAt = parts.now();
      wideWaitMs = Math.max(wideEveryMs, (wideAt - began) * wideRest);
    }
    return total;
  };
  const timer = setInterval(() => {
    running ??= look()
      .catch((error: unknown) => noteFailure(parts, error))
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

function noteFailure({ log }: Parts, error: unknown): number {
  log.warn("judge_failed", { code: CodedError.is(error) ? error.code : "internal_error" });
  return 0;
}

function earlier(time: string, other: string | null): string {
  return other !== null && compareTimes(other, time) < 0 ? other : time;
}

/** What the judge remembers from look to look. */
interface Memory {
  readonly losses: LateLosses;
  readonly open: OpenRoots;
}

/**
 * What was open is judged again when its time is over, though nothing arrives; and so is a root of
 * which rows were set aside.
 */
async function judgeDue(
  parts: Parts,
  memory: Memory,
  isClosed: () => boolean,
): Promise<{ readonly judged: number; readonly back: string | undefined }> {
  const { quarantined_roots, losses } = parts.ingest.losses();
  let back = memory.losses.since(losses);
  const named = memory.losses.fresh(quarantined_roots);
  const lives = memory.open.any() ? producerLives(await trustedReports(parts)) : [];
  const due = memory.open.due(new Date(parts.now()).toISOString(), lives);
  const roots = [...new Set([...due, ...named])];
  let judged = 0;
  for (let from = 0; from < roots.length && !isClosed(); from += rootsPerRead) {
    const some = await judgeRoots(parts, roots.slice(from, from + rootsPerRead), memory);
    if (some.verdicts.length > 0) await parts.store.putVerdicts(some.verdicts);
    judged += some.verdicts.length;
    if (some.back !== undefined) back = earlier(some.back, back ?? null);
  }
  return { judged, back };
}

async function trustedReports(parts: Parts): Promise<readonly TurnEvent[]> {
  return (await producerReports(parts)).filter(isTrusted);
}

interface Judged {
  readonly verdicts: readonly TurnVerdict[];
  /** The latest receipt that they rest on. */
  readonly asOf: string;
  /** From when on older verdicts have to be judged again. */
  readonly back: string | undefined;
}

/** Verdicts of the turns of these roots. */
async function judgeRoots(
  parts: Parts,
  roots: readonly string[],
  { losses, open }: Memory,
): Promise<Judged> {
  const reading = { scope: collectorScope(), query: { store: "all" } } as const;
  const reports = await trustedReports(parts);
  const journal = parts.ingest.losses();
  const back = losses.since([...lossIntervals(reports), ...journal.losses]);
  const windows = await collectRoots(parts, reading, roots);
  const verdicts: TurnVerdict[] = [];
  let asOf = "";
  for (const root of roots) {
    const window = windows.get(root) ?? (await collectRoot(parts, reading, root));
    const judged = await judgeTurns(parts, { root, window, reports });
    verdicts.push(...judged.verdicts);
    open.note(root, judged.unended);
    losses.judged(window.events);
    const latest = window.as_of ?? "";
    if (asOf === "" || (latest !== "" && compareTimes(latest, asOf) > 0)) asOf = latest;
  }
  return { verdicts, asOf, back };
}

interface RootWindow {
  readonly root: string;
  readonly window: Window;
  readonly reports: readonly TurnEvent[];
}

async function judgeTurns(
  parts: Parts,
  { root, window, reports }: RootWindow,
): Promise<{ readonly verdicts: readonly TurnVerdict[]; readonly unended: Unended | null }> {
  const metadata = await metadataOf(parts, window, reports);
  const members = new Map<string, TurnEvent[]>();
  for (const event of window.events) {
    const key = turnKey(event);
    const known = members.get(key);
    if (known === undefined) members.set(key, [event]);
    else known.push(event);
  }
  const verdicts: TurnVerdict[] = [];
  let until: string | null = null;
  const producers = new Set<string>();
  for (const row of foldTurns(window.events)) {
    const events = members.get(turnKey(row)) ?? [];
    const verdict = reconcileOutcome(events, { normalizationMetadata: metadata });
    if (verdict.open_until !== null) until = earlier(verdict.open_until, until);
    for (const id of awaited(verdict, events)) producers.add(id);
    verdicts.push({
      root_trace_id: root,
      turn_id: row.turn_id ?? "",
      agent_id: row.agent_id ?? "",
      thread_id: row.thread_id ?? "",
      ...(row.application_id === undefined ? {} : { application_id: row.application_id }),
      ...(row.user_id === undefined ? {} : { user_id: row.user_id }),
      verdict: verdict.status,
      finding_codes: codesOf(verdict, events),
      judged_at: new Date(parts.now()).toISOString(),
      // The latest receipt that was judged, not the mark: whatever is received later makes it older.
      as_of: window.as_of ?? verdict.as_of ?? "",
    });
  }
  const waits = until !== null || producers.size > 0;
  const unended = { until, producers: [...producers], asOf: window.mark };
  return { verdicts, unended: waits ? unended : null };
}

/** The processes of what began and did not end. */
function awaited({ findings }: Verdict, events: readonly TurnEvent[]): string[] {
  const unended = findings.filter(({ code }) => unendedCodes.has(code));
  if (unended.length === 0) return [];
  const ids = new Set(unended.flatMap(({ evidence_ids }) => evidence_ids));
  return events.flatMap(({ event_id, producer_id }) =>
    producer_id !== undefined && ids.has(event_id) ? [producer_id] : [],
  );
}

const unendedCodes: ReadonlySet<string> = new Set(["turn_open", "turn_unfinished"]);

/** Findings and insights of a turn by code, so that lists can be filtered by either. */
function codesOf({ findings }: Verdict, events: readonly TurnEvent[]): string[] {
  const { insights } = findInsights(events, { scope: "turn" });
  return [...new Set([...findings, ...insights].map(({ code }) => code))].toSorted();
}
