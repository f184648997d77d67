/**
 * @module Judge: looks at turns that grew quiet and keeps their verdict and finding codes beside
 * the turn index, so that lists can show and filter them. An unjudged turn stays labelled so.
 */
import { setImmediate as nextTask } from "node:timers/promises";

import {
  compareTimes,
  findInsights,
  findingTexts,
  foldTurns,
  lossIntervals,
  producerLives,
  reconcileOutcome,
  turnKey,
} from "@turnproof/evidence";
import type { TurnEvent, Verdict } from "@turnproof/evidence";
import { CodedError, groupBy } from "@turnproof/semconv";
import { recordRoots } from "@turnproof/store";
import type { Judgement, JudgeTurn, RootStanding, TurnVerdict, WholeRoot } from "@turnproof/store";

import { createLateLosses } from "./judge-losses.ts";
import type { LateLosses } from "./judge-losses.ts";
import { judgeWindows } from "./judge-windows.ts";
import { createOpenRoots } from "./judge-open.ts";
import type { OpenRoots, Unended } from "./judge-open.ts";
import { isTrusted, producerReports } from "./losses.ts";
import type { Parts } from "./parts.ts";
import { metadataOf } from "./verdict.ts";
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
const rootsPerRead = 200;
/** A root that never grows quiet is judged as often. */
const busyMs = 60_000;
/** On a fresh start the judge goes back this far. */
const lookBackMs = 24 * 3_600_000;
/** Once in a while it looks again at what is this young: another collector may store late. */
const wideEveryMs = 60_000;
const wideBackMs = 10 * 60_000;
/** Where much is young, looking again takes long; it may not keep the judge from what is new. */
const wideRest = 10;
/** A span is received a moment before it is pending; looking at settled turns again costs little. */
const overlapMs = 2_000;

/** The standing of those of the roots whose turns do not rest on all that is stored. */
async function unsettled(
  parts: Parts,
  roots: readonly string[],
  again: boolean,
): Promise<ReadonlyMap<string, RootStanding>> {
  const standing = await parts.store.standing(roots);
  if (again) return standing;
  const held = groupBy(await parts.store.ledger.turnsOf(roots), (turn) => turn.root_trace_id);
  return new Map(
    [...standing].filter(([root, { rows, epoch }]) => {
      const turns = held.get(root) ?? [];
      return (
        turns.length === 0 ||
        turns.some(({ version: of }) => !of.settled || of.rows !== rows || of.epoch !== epoch)
      );
    }),
  );
}

/** Starts the judge; it never throws, and what it could not judge it tries again. */
export function startJudge(parts: Parts, options: JudgeOptions = {}): Judge {
  const { quietMs, everyMs, rootsMax } = { ...defaults, ...options };
  let since = new Date(parts.now() - lookBackMs).toISOString();
  let running: Promise<number> | undefined;
  let closed = false;
  let wideAt = parts.now();
  let wideWaitMs: number = wideEveryMs;
  let wanted = rootsMax;
  /** What was received before this was judged without a loss that is known now. */
  let staleBefore = since;
  const goBack = (to: string): void => {
    staleBefore = new Date(parts.now()).toISOString();
    since = earlier(since, to);
  };
  const isClosed = (): boolean => closed;
  const memory: Memory = { losses: createLateLosses(), open: createOpenRoots() };
  const pass = async (): Promise<{ readonly judged: number; readonly more: boolean }> => {
    // What is still in the journal keeps its time of receipt when it is stored later.
    const pending = parts.ingest.report().journal.oldest_pending_at;
    const quietBefore = new Date(parts.now() - quietMs).toISOString();
    const roots = await parts.store.quietRoots(since, quietBefore, wanted);
    const again = compareTimes(since, staleBefore) < 0;
    const { judged, reached, back } = await judgeEach(parts, roots, { again, memory, isClosed });
    if (closed) return { judged, more: false };
    const more = roots.length >= wanted;
    const moved = reached !== "" && compareTimes(reached, since) > 0;
    // Everything up to here was looked at; a root that speaks again becomes quiet again. A full
    // page goes on where it ended. One request can bring more roots than a page has, all received
    // in one moment: then the next page must be longer to reach beyond them.
    if (!more) since = before(earlier(quietBefore, pending), overlapMs);
    else if (moved) since = reached;
    wanted = more && !moved ? wanted * 2 : rootsMax;
    if (back === null) return { judged, more };
    // Turns that were judged before their producer spoke of a loss are judged again, with it.
    goBack(back);
    return { judged, more: true };
  };
  const look = async (): Promise<number> => {
    const began = parts.now();
    const wide = began - wideAt >= wideWaitMs;
    if (wide) since = earlier(since, new Date(began - wideBackMs).toISOString());
    const due = await judgeDue(parts, memory, isClosed);
    let total = due.judged;
    if (due.back !== undefined) goBack(due.back);
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

interface Asked {
  /** Whether settled turns are judged as well. */
  readonly again: boolean;
  readonly memory: Memory;
  readonly isClosed: () => boolean;
}

/** Judges these roots, some at a time; how many turns, up to which receipt, and how far to go back. */
async function judgeEach(
  parts: Parts,
  roots: readonly string[],
  { again, memory, isClosed }: Asked,
): Promise<{ readonly judged: number; readonly reached: string; readonly back: string | null }> {
  let judged = 0;
  let reached = "";
  let back: string | null = null;
  for (let from = 0; from < roots.length && !isClosed(); from += rootsPerRead) {
    const next = roots.slice(from, from + rootsPerRead);
    const some = await judgeRoots(parts, await unsettled(parts, next, again), memory);
    if (some.verdicts.length > 0) await parts.store.putVerdicts(some.verdicts);
    judged += some.verdicts.length;
    if (reached === "" || (some.asOf !== "" && compareTimes(some.asOf, reached) > 0)) {
      reached = some.asOf;
    }
    if (some.back !== undefined) back = earlier(some.back, back);
    // Whoever asks meanwhile goes first.
    await nextTask();
  }
  return { judged, reached, back };
}

function noteFailure({ log }: Parts, error: unknown): number {
  log.warn("judge_failed", { code: CodedError.is(error) ? error.code : "internal_error" });
  return 0;
}

function before(time: string, ms: number): string {
  return new Date(Date.parse(time) - ms).toISOString();
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
  const busy = parts.recorder?.heldSince(Date.now() - busyMs) ?? [];
  const roots = [...new Set([...due, ...named, ...busy])];
  let judged = 0;
  for (let from = 0; from < roots.length && !isClosed(); from += rootsPerRead) {
    const next = await parts.store.standing(roots.slice(from, from + rootsPerRead));
    const some = await judgeRoots(parts, next, memory);
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

/** Judges the turns of these roots, which have this standing, and writes them. */
async function judgeRoots(
  parts: Parts,
  standing: ReadonlyMap<string, RootStanding>,
  { losses, open }: Memory,
): Promise<Judged> {
  if (standing.size === 0) return { verdicts: [], asOf: "", back: undefined };
  const reports = await trustedReports(parts);
  const journal = parts.ingest.losses();
  const back = losses.since([...lossIntervals(reports), ...journal.losses]);
  const windows = await judgeWindows(parts, standing);
  const verdicts: TurnVerdict[] = [];
  const whole: WholeRoot[] = [];
  const judgements = new Map<string, JudgeTurn>();
  let asOf = "";
  for (const [root, window] of windows) {
    const judged = await judgeTurns(parts, { root, window, reports });
    verdicts.push(...judged.verdicts);
    whole.push({ root, events: window.events, ...(standing.get(root) ?? nothing) });
    judgements.set(root, judged.judge);
    open.note(root, judged.unended);
    losses.judged(window.events);
    const latest = window.as_of ?? "";
    if (asOf === "" || (latest !== "" && compareTimes(latest, asOf) > 0)) asOf = latest;
  }
  await recordRoots(parts.store.ledger, whole, ({ root }) => judgements.get(root) ?? noJudgement);
  for (const { root } of whole) parts.recorder?.release(root);
  return { verdicts, asOf, back };
}

const nothing: RootStanding = { rows: 0, epoch: 0 };
const noJudgement: JudgeTurn = () => undefined;

interface RootWindow {
  readonly root: string;
  readonly window: Window;
  readonly reports: readonly TurnEvent[];
}

interface JudgedTurns {
  readonly verdicts: readonly TurnVerdict[];
  readonly judge: JudgeTurn;
  readonly unended: Unended | null;
}

async function judgeTurns(
  parts: Parts,
  { root, window, reports }: RootWindow,
): Promise<JudgedTurns> {
  const metadata = await metadataOf(parts, window, reports);
  const members = new Map<string, TurnEvent[]>();
  for (const event of window.events) {
    const key = turnKey(event);
    const known = members.get(key);
    if (known === undefined) members.set(key, [event]);
    else known.push(event);
  }
  const verdicts: TurnVerdict[] = [];
  const judgements = new Map<string, Judgement>();
  let until: string | null = null;
  const producers = new Set<string>();
  for (const row of foldTurns(window.events)) {
    const events = members.get(turnKey(row)) ?? [];
    const verdict = reconcileOutcome(events, { normalizationMetadata: metadata });
    if (verdict.open_until !== null) until = earlier(verdict.open_until, until);
    for (const id of awaited(verdict, events)) producers.add(id);
    const judgement = {
      verdict: verdict.status,
      ...codesOf(verdict, events),
      judged_at: new Date(parts.now()).toISOString(),
      // The latest receipt that was judged, not the mark: whatever is received later makes it older.
      as_of: window.as_of ?? verdict.as_of ?? "",
    };
    judgements.set(turnKey(row), judgement);
    verdicts.push({
      root_trace_id: root,
      turn_id: row.turn_id ?? "",
      agent_id: row.agent_id ?? "",
      thread_id: row.thread_id ?? "",
      ...(row.application_id === undefined ? {} : { application_id: row.application_id }),
      ...(row.user_id === undefined ? {} : { user_id: row.user_id }),
      verdict: judgement.verdict,
      finding_codes: [...judgement.finding_codes, ...judgement.insight_codes].toSorted(),
      judged_at: judgement.judged_at,
      as_of: judgement.as_of,
    });
  }
  const waits = until !== null || producers.size > 0;
  const unended = { until, producers: [...producers], asOf: window.mark };
  const judge: JudgeTurn = (row) => judgements.get(turnKey(row));
  return { verdicts, judge, unended: waits ? unended : null };
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

/** Findings and insights of a turn by code; a code that is both is a finding. */
function codesOf(
  { findings }: Verdict,
  events: readonly TurnEvent[],
): Pick<Judgement, "finding_codes" | "insight_codes"> {
  const { insights } = findInsights(events, { scope: "turn" });
  const codes = [...new Set([...findings, ...insights].map(({ code }) => code))].toSorted();
  const isFinding = (code: string): boolean => Object.hasOwn(findingTexts, code);
  return {
    finding_codes: codes.filter(isFinding),
    insight_codes: codes.filter((code) => !isFinding(code)),
  };
}
