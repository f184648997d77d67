/**
 * @module Judge: looks at turns that grew quiet and settles their rows in the ledger with verdict
 * and finding codes, so that lists can show and filter them. An unjudged turn stays labelled so.
 */
import { setImmediate as nextTask } from "node:timers/promises";

import { compareTimes } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";
import type { DueRoot } from "@turnproof/store";

import { judgeBusy } from "./judge-busy.ts";
import { createLateLosses } from "./judge-losses.ts";
import { openMark } from "./judge-mark.ts";
import type { JudgeState } from "./judge-mark.ts";
import { createOpenRoots } from "./judge-open.ts";
import { judgeRoots, readBriefing } from "./judge-roots.ts";
import type { Briefing, JudgeMemory } from "./judge-roots.ts";
import { unendedRoots, unjudgedRoots, unsettledRoots } from "./judge-todo.ts";
import { pendingAfterMs } from "./judge-windows.ts";
import type { Parts } from "../parts.ts";

/** When and how much the judge looks. */
export interface JudgeOptions {
  /** A root is quiet when nothing arrived for this long. */
  readonly quietMs?: number;
  readonly everyMs?: number;
  /** Roots of one page of the store; more than these are looked at again at once. */
  readonly rootsMax?: number;
}

/** The running judge. */
export interface Judge {
  /** Judges what is quiet now; how many turns it judged. */
  look(): Promise<number>;
  close(): Promise<void>;
}

const defaults = { quietMs: 5_000, everyMs: 2_000, rootsMax: 5_000 } as const;
/** Roots that are judged and written together; other requests run in between. */
const rootsPerWrite = 2_000;
/** Without a mark the judge goes back this far; so long it waits for what did not end. */
const lookBackMs = 24 * 3_600_000;
/** How often the ledger is asked for turns that other writers stored and that are not judged. */
const wideEveryMs = 60_000;
/** A root that never is quiet is judged this often, as far as it is stored. */
const busyMs = 60_000;
/** How often it is kept how far the judge came. */
const keepEveryMs = 5_000;
/** Roots of which is known that they were judged here. */
const ownMax = 200_000;

/** Starts the judge; it never throws, and what it could not judge it tries again. */
export function startJudge(parts: Parts, options: JudgeOptions = {}): Judge {
  const running = new RunningJudge(parts, { ...defaults, ...options });
  let looking: Promise<number> | undefined;
  const timer = setInterval(() => {
    looking ??= running
      .look()
      .catch((error: unknown) => noteFailure(parts, error))
      .finally(() => (looking = undefined));
  }, options.everyMs ?? defaults.everyMs);
  timer.unref();
  return {
    look: () => running.look(),
    close: async () => {
      running.closed = true;
      clearInterval(timer);
      await looking;
      await running.keep();
    },
  };
}

function noteFailure({ log }: Parts, error: unknown): number {
  log.warn("judge_failed", { code: CodedError.is(error) ? error.code : "internal_error" });
  return 0;
}

function before(time: string, ms: number): string {
  return iso(Date.parse(time) - ms);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function earlier(time: string, other: string | null): string {
  return other !== null && compareTimes(other, time) < 0 ? other : time;
}

function unknownState(since: string): JudgeState {
  return { since, seen: [], named: [] };
}

class RunningJudge {
  closed = false;
  private readonly parts: Parts;
  private readonly options: Required<JudgeOptions>;
  private readonly mark: ReturnType<typeof openMark>;
  private readonly memory: JudgeMemory;
  /** Last receipt of roots that were judged here. */
  private readonly own = new Map<string, string>();
  /** Roots of which something was in the journal when they were to be judged. */
  private readonly waiting = new Set<string>();
  private started = false;
  /** Everything received before was looked at, or the ledger says that it is not settled. */
  private since: string;
  /** What was received before this was judged without a loss that is known now. */
  private staleBefore: string;
  private wideAt: number;
  private keptAt: number;
  private wanted: number;

  constructor(parts: Parts, options: Required<JudgeOptions>) {
    this.parts = parts;
    this.options = options;
    this.mark = openMark(parts);
    const backTo = iso(parts.now() - lookBackMs);
    // A process that ended before it kept a mark may have settled turns as well, and so may one
    // whose file is gone.
    const known = this.mark.earlier ?? (this.mark.lasts ? unknownState(backTo) : undefined);
    const floor = known && before(known.since, lookBackMs);
    const losses = createLateLosses(known && { ...known, floor: floor ?? known.since });
    this.memory = { losses, open: createOpenRoots() };
    this.since = known?.since ?? backTo;
    this.staleBefore = known?.stale_before ?? this.since;
    this.wideAt = parts.now();
    this.keptAt = this.wideAt;
    this.wanted = options.rootsMax;
  }

  async look(): Promise<number> {
    const now = this.parts.now();
    const wide = !this.started || now - this.wideAt >= wideEveryMs;
    const briefing = await this.briefed();
    let total = await this.judgeDue(briefing);
    total += await this.judgeHeld(briefing);
    if (wide) {
      total += await this.judgeToDo(briefing);
      this.wideAt = now;
      this.started = !this.closed;
    }
    let latest = briefing;
    while (!this.closed) {
      const { judged, more } = await this.pass(latest);
      total += judged;
      if (!more) break;
      latest = await this.briefed();
    }
    if (now - this.keptAt >= keepEveryMs) {
      await this.keep();
      this.keptAt = now;
    }
    return total;
  }

  /** Keeps how far it came; nothing before the first look is done. */
  async keep(): Promise<void> {
    if (!this.started) return;
    const { since, staleBefore: stale_before } = this;
    await this.mark.keep({ since, stale_before, ...this.memory.losses.state() });
  }

  /** Turns that were judged before their producer spoke of a loss are judged again, with it. */
  private async briefed(): Promise<Briefing> {
    const briefing = await readBriefing(this.parts);
    const back = this.memory.losses.since(briefing.losses);
    if (back !== undefined) {
      this.staleBefore = iso(this.parts.now());
      this.since = earlier(this.since, back);
    }
    return briefing;
  }

  /** Judges these roots, some at a time; how many turns, and up to which receipt. */
  private async judge(
    roots: readonly string[],
    briefing: Briefing,
    done: (root: string) => void = () => {},
  ): Promise<{ readonly judged: number; readonly reached: string }> {
    let judged = 0;
    let reached = "";
    for (let from = 0; from < roots.length && !this.closed; from += rootsPerWrite) {
      const some = roots.slice(from, from + rootsPerWrite);
      const { turns, asOf, waiting } = await judgeRoots(this.parts, some, briefing, this.memory);
      for (const root of some) this.waiting.delete(root);
      for (const root of waiting) this.waiting.add(root);
      for (const root of some) if (!this.waiting.has(root)) done(root);
      judged += turns;
      if (asOf > reached) reached = asOf;
      await nextTask();
    }
    return { judged, reached };
  }

  /**
   * What was open is judged again when its time is over, though nothing arrives; and so is a root
   * of which rows were set aside.
   */
  private async judgeDue(briefing: Briefing): Promise<number> {
    const { open, losses } = this.memory;
    const named = losses.fresh(this.parts.ingest.losses().quarantined_roots);
    const due = open.any() ? open.due(iso(this.parts.now()), briefing.lives) : [];
    // What the recorder knows is due by itself when it is quiet.
    const waiting = [...this.waiting].filter((root) => this.parts.recorder?.knows(root) !== true);
    const toJudge = [...new Set([...due, ...named, ...waiting])];
    const isNamed = new Set(named);
    // A root that could not be judged, or of which something is pending, is named again.
    const { judged } = await this.judge(toJudge, briefing, (root) => {
      if (isNamed.has(root)) losses.settled(root);
    });
    return judged;
  }

  /**
   * A root that received nothing since then is quiet. What was received after the mark may still be
   * in the journal, or on its way from the drain to the recorder.
   */
  private quiet({ mark }: Briefing): string {
    return earlier(iso(this.parts.now() - this.options.quietMs), mark);
  }

  /** What passed the drain and grew quiet. */
  private async judgeHeld(briefing: Briefing): Promise<number> {
    const { recorder } = this.parts;
    if (recorder === undefined) return 0;
    const now = this.parts.now();
    const quiet = this.quiet(briefing);
    const due = recorder.due(quiet, iso(now - busyMs));
    const isQuiet = ({ last }: DueRoot): boolean => compareTimes(last, quiet) < 0;
    const byRoot = new Map(due.filter(isQuiet).map((one) => [one.root, one]));
    const { judged } = await this.judge([...byRoot.keys()], briefing, (root) => {
      const one = byRoot.get(root);
      if (one === undefined) return;
      recorder.settled(one, quiet);
      this.own.delete(root);
      this.own.set(root, one.last);
      for (const oldest of this.own.keys()) {
        if (this.own.size <= ownMax) break;
        this.own.delete(oldest);
      }
    });
    const busy = due.flatMap((one) => (isQuiet(one) ? [] : one.root));
    return judged + (await judgeBusy(this.parts, busy, briefing, this.memory));
  }

  /** What the ledger says is not settled; at a start also what had not ended. */
  private async judgeToDo(briefing: Briefing): Promise<number> {
    const now = this.parts.now();
    let total = 0;
    for await (const roots of unjudgedRoots(this.parts, this.quiet(briefing))) {
      if (this.closed) return total;
      const others = roots.filter((root) => this.parts.recorder?.knows(root) !== true);
      total += (await this.judge(others, briefing)).judged;
    }
    if (this.started || !this.mark.lasts) return total;
    for await (const roots of unendedRoots(this.parts, iso(now - lookBackMs))) {
      total += (await this.judge(roots, briefing)).judged;
    }
    return total;
  }

  /** A page of roots that the store says grew quiet: what others stored. */
  private async pass(
    briefing: Briefing,
  ): Promise<{ readonly judged: number; readonly more: boolean }> {
    const { parts, wanted } = this;
    const { since } = this;
    const quietBefore = this.quiet(briefing);
    const roots = await parts.store.quietRoots(since, quietBefore, wanted);
    let reached = "";
    let asked = roots;
    if (compareTimes(since, this.staleBefore) >= 0) {
      const others = roots.filter((root) => {
        const last = this.own.get(root) ?? "";
        const isOwn = last !== "" && compareTimes(last, since) >= 0;
        if (isOwn && last > reached) reached = last;
        return !isOwn && parts.recorder?.knows(root) !== true;
      });
      asked = await unsettledRoots(parts, others);
    }
    const done = await this.judge(asked, briefing);
    if (done.reached > reached) ({ reached } = done);
    if (this.closed) return { judged: done.judged, more: false };
    const more = roots.length >= wanted;
    const moved = reached !== "" && compareTimes(reached, since) > 0;
    // Everything up to here was looked at; a root that speaks again becomes quiet again. A full
    // page goes on where it ended. One request can bring more roots than a page has, all received
    // in one moment: then the next page must be longer to reach beyond them.
    if (!more) this.since = before(quietBefore, pendingAfterMs);
    else if (moved) this.since = reached;
    this.wanted = more && !moved ? wanted * 2 : this.options.rootsMax;
    return { judged: done.judged, more };
  }
}
