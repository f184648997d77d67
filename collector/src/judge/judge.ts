/**
 * @module Judge: settles the ledger rows of quiet turns with verdict and finding codes, so that
 * lists can show and filter them. An unjudged turn is labelled as such.
 */
import { setImmediate as nextTask } from "node:timers/promises";

import { codeOf, compareTimes, isoTime } from "@turnproof/semconv";
import type { DueRoot } from "@turnproof/store";

import { judgeBusy } from "./active-roots.ts";
import { createLateLosses } from "./judge-losses.ts";
import { openMark } from "./judge-mark.ts";
import type { JudgeState } from "./judge-mark.ts";
import { createOpenRoots } from "./judge-open.ts";
import { readJudgeInput } from "./judge-input.ts";
import type { JudgeInput, JudgeMemory } from "./judge-input.ts";
import { judgeRoots } from "./judge-roots.ts";
import { endedMs, everyMs, firstMs, keepEveryMs, pendingAfterMs, quietMs } from "./judge-timing.ts";
import { unendedRoots, unjudgedRoots, unsettledRoots } from "./unsettled-roots.ts";
import type { JudgeParts } from "../parts.ts";

/** Timing and bounds of the judge. */
export interface JudgeOptions {
  /** A root is quiet when nothing arrived for this long. */
  readonly quietMs?: number;
  readonly everyMs?: number;
  /** How soon after the start it looks; without it as often as `everyMs` where that is given. */
  readonly firstMs?: number;
  /** Roots of one page of the store; with more, the next check follows at once. */
  readonly rootsMax?: number;
  /**
   * Called after a check that settled turns, with the first receipt of a root among them, in ms.
   */
  readonly onSettled?: (sinceMs: number) => void;
}

/** The running judge. */
export interface Judge {
  /** Judges what is quiet now; returns the number of turns judged. */
  look(): Promise<number>;
  close(): Promise<void>;
}

const defaults = { quietMs, everyMs, firstMs, rootsMax: 5_000, onSettled: () => {} } as const;
/** Roots that are judged and written together; other requests run in between. */
const rootsPerWrite = 2_000;
/**
 * How far the judge goes back without a mark, and how long it waits for an unfinished operation.
 */
const lookBackMs = 24 * 3_600_000;
/** How often the ledger is queried for unjudged turns of other writers. */
const wideEveryMs = 60_000;
/** How often a root that is never quiet is judged, as far as it is stored. */
const busyMs = 60_000;
/** Most roots recorded as judged here. */
const ownMax = 200_000;

/** Starts the judge; it never throws, and retries what it could not judge. */
export function startJudge(parts: JudgeParts, options: JudgeOptions = {}): Judge {
  const running = new RunningJudge(parts, { ...defaults, ...options });
  let looking: Promise<number> | undefined;
  const look = (): void => {
    looking ??= running
      .look()
      .catch((error: unknown) => noteFailure(parts, error))
      .finally(() => (looking = undefined));
  };
  const { everyMs: pauseMs = everyMs } = options;
  const soonMs = options.firstMs ?? (options.everyMs === undefined ? firstMs : pauseMs);
  // What a process that was killed left is quiet already when the next one starts.
  let timer = setTimeout(() => {
    timer = setInterval(look, pauseMs).unref();
    look();
  }, soonMs).unref();
  return {
    look: () => running.look(),
    close: async () => {
      running.closed = true;
      clearTimeout(timer);
      await looking;
      await running.keep();
    },
  };
}

function noteFailure({ log }: JudgeParts, error: unknown): number {
  log.warn("judge_failed", { code: codeOf(error) });
  return 0;
}

function before(time: string, ms: number): string {
  return isoTime(Date.parse(time) - ms);
}

function earlier(time: string, other: string | null): string {
  return other !== null && compareTimes(other, time) < 0 ? other : time;
}

function unknownState(since: string): JudgeState {
  return { since, seen: [], named: [] };
}

class RunningJudge {
  closed = false;
  private readonly parts: JudgeParts;
  private readonly options: Required<JudgeOptions>;
  private readonly mark: ReturnType<typeof openMark>;
  private readonly memory: JudgeMemory;
  /** Last receipt of roots that were judged here. */
  private readonly own = new Map<string, string>();
  /** Roots that had rows in the journal when they were due. */
  private readonly waiting = new Set<string>();
  private started = false;
  /** Everything received before was checked, or the ledger lists it as unsettled. */
  private since: string;
  /** Rows received before this were judged without a loss that is known now. */
  private staleBefore: string;
  private wideAt: number;
  private keptAt: number;
  private wanted: number;
  /** First receipt of a root that was judged in this check. */
  private first = "";

  constructor(parts: JudgeParts, options: Required<JudgeOptions>) {
    this.parts = parts;
    this.options = options;
    this.mark = openMark(parts);
    const backTo = isoTime(parts.now() - lookBackMs);
    // A process that ended before it stored a mark, or whose file is gone, may have settled turns
    // as well.
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
    const input = await this.readInput();
    let total = await this.judgeDue(input);
    total += await this.judgeHeld(input);
    if (wide) {
      total += await this.judgeToDo(input);
      this.wideAt = now;
      this.started = !this.closed;
    }
    let latest = input;
    while (!this.closed) {
      const { judged, more } = await this.pass(latest);
      total += judged;
      if (!more) break;
      latest = await this.readInput();
    }
    if (total > 0) this.options.onSettled(this.first === "" ? now : Date.parse(this.first));
    this.first = "";
    if (now - this.keptAt >= keepEveryMs) {
      await this.keep();
      this.keptAt = now;
    }
    return total;
  }

  /** Stores the progress; nothing before the first check is done. */
  async keep(): Promise<void> {
    if (!this.started) return;
    const { since, staleBefore: stale_before } = this;
    await this.mark.keep({ since, stale_before, ...this.memory.losses.state() });
  }

  /** Turns that were judged before their producer reported a loss are judged again, with it. */
  private async readInput(): Promise<JudgeInput> {
    const input = await readJudgeInput(this.parts);
    const back = this.memory.losses.since(input.losses);
    if (back !== undefined) {
      this.staleBefore = isoTime(this.parts.now());
      this.since = earlier(this.since, back);
    }
    return input;
  }

  /** Judges these roots in batches; returns the number of turns, and the receipt reached. */
  private async judge(
    roots: readonly string[],
    input: JudgeInput,
    done: (root: string) => void = () => {},
  ): Promise<{ readonly judged: number; readonly reached: string }> {
    let judged = 0;
    let reached = "";
    for (let from = 0; from < roots.length && !this.closed; from += rootsPerWrite) {
      const some = roots.slice(from, from + rootsPerWrite);
      const found = await judgeRoots(this.parts, some, input, this.memory);
      const { turns, asOf, first, waiting } = found;
      if (first !== "") this.first = earlier(first, this.first === "" ? null : this.first);
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
   * An open root is judged again when its time is over, though nothing arrives; so is a root with
   * newly quarantined rows.
   */
  private async judgeDue(input: JudgeInput): Promise<number> {
    const { open, losses } = this.memory;
    const named = losses.fresh(this.parts.ingest.losses().quarantined_roots);
    const due = open.any() ? open.due(isoTime(this.parts.now()), input.lives) : [];
    // Roots of the recorder are due by themselves when they are quiet.
    const waiting = [...this.waiting].filter((root) => this.parts.recorder?.knows(root) !== true);
    const toJudge = [...new Set([...due, ...named, ...waiting])];
    const isNamed = new Set(named);
    // A root that could not be judged, or has pending rows, is due again.
    const { judged } = await this.judge(toJudge, input, (root) => {
      if (isNamed.has(root)) losses.settled(root);
    });
    return judged;
  }

  /**
   * A root that received nothing since then is quiet. Rows received after the mark may still be in
   * the journal, or between drain and recorder.
   */
  private quiet({ mark }: JudgeInput): string {
    return earlier(isoTime(this.parts.now() - this.options.quietMs), mark);
  }

  /** Roots of the drain that are quiet now. */
  private async judgeHeld(input: JudgeInput): Promise<number> {
    const { recorder } = this.parts;
    if (recorder === undefined) return 0;
    const now = this.parts.now();
    const quiet = this.quiet(input);
    const soon = isoTime(now - Math.min(endedMs, this.options.quietMs));
    const ended = earlier(soon, input.mark);
    const due = recorder.due({ quiet, ended, busy: isoTime(now - busyMs) });
    const isQuiet = (one: DueRoot): boolean => one.ended || compareTimes(one.last, quiet) < 0;
    const byRoot = new Map(due.filter(isQuiet).map((one) => [one.root, one]));
    const { judged } = await this.judge([...byRoot.keys()], input, (root) => {
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
    return judged + (await judgeBusy(this.parts, busy, input, this.memory));
  }

  /** Roots that the ledger lists as unsettled; at a start also those with unfinished turns. */
  private async judgeToDo(input: JudgeInput): Promise<number> {
    const now = this.parts.now();
    let total = 0;
    for await (const roots of unjudgedRoots(this.parts, this.quiet(input))) {
      if (this.closed) return total;
      const others = roots.filter((root) => this.parts.recorder?.knows(root) !== true);
      total += (await this.judge(others, input)).judged;
    }
    if (this.started || !this.mark.lasts) return total;
    for await (const roots of unendedRoots(this.parts, isoTime(now - lookBackMs))) {
      total += (await this.judge(roots, input)).judged;
    }
    return total;
  }

  /** A page of quiet roots from the store: rows that others stored. */
  private async pass(
    input: JudgeInput,
  ): Promise<{ readonly judged: number; readonly more: boolean }> {
    const { parts, wanted } = this;
    const { since } = this;
    const quietBefore = this.quiet(input);
    const roots = await parts.store.quietRoots(since, quietBefore, wanted);
    let reached = "";
    let requested = roots;
    if (compareTimes(since, this.staleBefore) >= 0) {
      const others = roots.filter((root) => {
        const last = this.own.get(root) ?? "";
        const isOwn = last !== "" && compareTimes(last, since) >= 0;
        if (isOwn && last > reached) reached = last;
        return !isOwn && parts.recorder?.knows(root) !== true;
      });
      requested = await unsettledRoots(parts, others);
    }
    const done = await this.judge(requested, input);
    if (done.reached > reached) ({ reached } = done);
    if (this.closed) return { judged: done.judged, more: false };
    const more = roots.length >= wanted;
    const moved = reached !== "" && compareTimes(reached, since) > 0;
    // Everything up to here was checked; a root with new rows becomes quiet again later. A full
    // page continues where it ended. One request can bring more roots than a page has, all
    // received at one time: the next page must then be longer.
    if (!more) this.since = before(quietBefore, pendingAfterMs);
    else if (moved) this.since = reached;
    this.wanted = more && !moved ? wanted * 2 : this.options.rootsMax;
    return { judged: done.judged, more };
  }
}
