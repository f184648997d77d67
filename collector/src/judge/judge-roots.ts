/**
 * @module JudgeRoots: settles the turns of whole roots. Roots still in memory from the drain are
 * judged from there; others, and those that other processes wrote to, are read back.
 */
import { judgeSettledTurn } from "@turnproof/evidence";
import type { TurnEvent, Verdict, WindowMetadata } from "@turnproof/evidence";
import { compareTimes, isoTime } from "@turnproof/semconv";
import { recordRoots } from "@turnproof/store";
import type { Judgement, WholeRoot } from "@turnproof/store";

import { codesOf, unendedCodes } from "./judge-codes.ts";
import { settleDrafted } from "./judge-drafts.ts";
import type { JudgeInput, JudgeMemory } from "./judge-input.ts";
import type { OpenRoots } from "./judge-open.ts";
import { judgeWindows } from "./judge-windows.ts";
import type { JudgeParts } from "../parts.ts";
import { contractNames } from "./loaded-contracts.ts";
import { metadataOf } from "./verdict.ts";
import type { Window } from "../turns/window.ts";

/** Result of judging. */
export interface JudgedRoots {
  readonly turns: number;
  /** The latest receipt behind the verdicts; empty without one. */
  readonly asOf: string;
  /** The last receipt of that root of these which was quiet first; empty without one. */
  readonly first: string;
  /** Roots with rows in the journal: they are judged later. */
  readonly waiting: readonly string[];
}

/** Settles the turns of these roots. */
export async function judgeRoots(
  parts: JudgeParts,
  roots: readonly string[],
  input: JudgeInput,
  memory: JudgeMemory,
): Promise<JudgedRoots> {
  const isPending = (root: string): boolean =>
    compareTimes(parts.recorder?.last(root) ?? "", input.mark) > 0;
  const early = roots.filter(isPending);
  const requested = early.length === 0 ? roots : roots.filter((root) => !isPending(root));
  // Rows stored after this count are read too, and make the next version of the turns.
  const standing = await parts.store.standing(requested);
  const drafts = await settleDrafted(parts, standing, input, memory);
  const windows = await judgeWindows(parts, drafts.others, input.mark);
  const judged: JudgedWindow[] = [];
  for (const [root, { window, turns }] of windows) {
    const { rows, epoch } = standing.get(root) ?? { rows: 0, epoch: 0 };
    const held = turns === undefined ? {} : { held: turns };
    const damaged = window.errors.some(({ code }) => code === "store_corrupt");
    const whole = { root, events: window.events, damaged, rows, epoch, ...held };
    judged.push({ window, whole });
  }
  const { turns, asOf, first } = await settleTurns(parts, judged, input, memory);
  const waiting = [...early, ...[...drafts.others.keys()].filter((root) => !windows.has(root))];
  const latest = drafts.settled.reduce((last, { as_of: at }) => laterOf(last, at ?? ""), asOf);
  const earliest = drafts.settled.reduce((from, { as_of: at }) => firstOf(from, at ?? ""), first);
  return { turns: turns + drafts.settled.length, asOf: latest, first: earliest, waiting };
}

interface JudgedWindow {
  readonly window: Window;
  readonly whole: WholeRoot;
}

async function settleTurns(
  parts: JudgeParts,
  windows: readonly JudgedWindow[],
  { reports }: JudgeInput,
  { losses, open }: JudgeMemory,
): Promise<Omit<JudgedRoots, "waiting">> {
  const turns = new Map<WholeRoot, TurnsOfRoot>();
  for (const { window, whole } of windows) {
    const metadata = await metadataOf(parts, window, reports);
    turns.set(whole, new TurnsOfRoot(parts, window, metadata));
  }
  const whole = windows.map((one) => one.whole);
  // A failed write may have settled some of them: a later loss has to reach these too.
  for (const { window } of windows) losses.judged(window.events);
  await recordRoots(parts.store.ledger, whole, (root) => {
    const of = turns.get(root);
    return (_row, own) => of?.judge(own);
  });
  let [asOf, first] = ["", ""];
  let judged = 0;
  for (const [{ root }, of] of turns) {
    open.note(root, of.unended());
    judged += of.judged;
    asOf = laterOf(asOf, of.window.as_of ?? "");
    first = firstOf(first, of.window.as_of ?? "");
  }
  return { turns: judged, asOf, first };
}

/** The earlier of two times; one that is empty is none. */
function firstOf(a: string, b: string): string {
  return a === "" || (b !== "" && b < a) ? b : a;
}

function laterOf(a: string, b: string): string {
  return a < b ? b : a;
}

/** Judges the turns of one root, and records which of them did not end. */
export class TurnsOfRoot {
  readonly window: Window;
  /** Turns of it that were judged. */
  judged = 0;
  private readonly parts: JudgeParts;
  private readonly metadata: WindowMetadata;
  private until: string | null = null;
  private readonly producers = new Set<string>();

  constructor(parts: JudgeParts, window: Window, metadata: WindowMetadata) {
    this.parts = parts;
    this.window = window;
    this.metadata = metadata;
  }

  judge(events: readonly TurnEvent[]): Judgement {
    const found = judgeSettledTurn(events, { normalizationMetadata: this.metadata });
    const { verdict } = found;
    const { open_until: until } = verdict;
    if (until !== null && (this.until === null || until < this.until)) this.until = until;
    for (const id of awaited(verdict, events)) this.producers.add(id);
    this.judged += 1;
    return {
      verdict: verdict.status,
      ...codesOf(found),
      ...contractNames(this.parts.contracts, events, this.metadata),
      judged_at: isoTime(this.parts.now()),
      // The latest judged receipt, not the mark: any later receipt makes the verdict outdated.
      as_of: this.window.as_of ?? verdict.as_of ?? "",
    };
  }

  /** What is waited for; null where all ended. */
  unended(): Parameters<OpenRoots["note"]>[1] {
    const { until, producers, window } = this;
    if (until === null && producers.size === 0) return null;
    return { until, producers: [...producers], asOf: window.mark };
  }
}

/** The processes of operations that began and did not end. */
function awaited({ findings }: Verdict, events: readonly TurnEvent[]): string[] {
  const unended = findings.filter(({ code }) => unendedCodes.has(code));
  if (unended.length === 0) return [];
  const ids = new Set(unended.flatMap(({ evidence_ids }) => evidence_ids));
  return events.flatMap(({ event_id, producer_id }) =>
    producer_id !== undefined && ids.has(event_id) ? [producer_id] : [],
  );
}
