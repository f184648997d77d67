/**
 * @module ReconcileTuples: judges the tasks of a window, identity by identity. The working state
 * of a tuple is dropped before the next is judged; its findings, chains and missing stages are
 * kept.
 */
import { compareTimes, limits } from "@turnproof/semconv";

import { coverGroup } from "../coverage/coverage.ts";
import type { CoverageProfiles } from "../coverage/coverage.ts";
import type { TurnEvent } from "../event/event.ts";
import { idsOf, labelOf, toFindings } from "./finding-list.ts";
import type { Finding } from "./finding-list.ts";
import type { IdentityGroups, IdentityTuple } from "../event/identity-tuple.ts";
import type { Bench, LinkReason, LinkState } from "./reconcile-bench.ts";
import { settleClocks } from "./reconcile-clock.ts";
import type { WindowClock } from "./window-clock.ts";
import { hasEvidence, judgeContext, judgeTask } from "./reconcile-task.ts";
import type { WindowTrust } from "./reconcile-window.ts";
import { taskScopes } from "./task-scope.ts";
import type { TaskScope } from "./turn-evidence.ts";
import { compareText } from "../event/text-order.ts";
import type { WindowEvents } from "../normalize/window-events.ts";

/** Number of tasks of a sort, and whether a latest state of one is negative. */
interface JudgedTuple {
  tasks: number;
  bad: boolean;
}

/** The links of one task, and its position among other tasks. */
export interface TaskChain {
  readonly scope: Pick<TaskScope, "identity" | "taskId">;
  readonly intents: number;
  readonly links: readonly ChainLink[];
}

/** Results that are kept; everything else of a task is dropped before the next is judged. */
export interface Notes {
  readonly intended: JudgedTuple;
  /** Tasks with evidence and without an intent, with their scopes. */
  readonly other: JudgedTuple;
  readonly unrequested: TaskScope[];
  readonly findings: Finding[];
  /** Findings on turns without any task, and whether a verified outcome of one failed. */
  readonly idle: Finding[];
  idleFailed: boolean;
  readonly chains: TaskChain[];
  readonly missingStages: Set<string>;
  intents: number;
  /** When the first open operation counts as unfinished. */
  openUntil: string | null;
}

/** Options of judging the tuples. */
export interface TupleOptions {
  readonly trust: WindowTrust;
  readonly profiles: CoverageProfiles | undefined;
  readonly taskId: string | undefined;
  readonly clock: WindowClock;
}

function newNotes(): Notes {
  return {
    intended: { tasks: 0, bad: false },
    other: { tasks: 0, bad: false },
    unrequested: [],
    findings: [],
    idle: [],
    idleFailed: false,
    chains: [],
    missingStages: new Set(),
    intents: 0,
    openUntil: null,
  };
}

/**
 * Judges tuple by tuple; with a task, that task and the findings of unlabelled evidence on its
 * turn.
 */
export function judgeTuples(read: WindowEvents, options: TupleOptions): Notes {
  const notes = newNotes();
  const { groups } = read;
  const clocks = settleClocks(read.events, groups, options.clock.bound);
  for (let group = 0; group < groups.tuples.length; group += 1) {
    const from = notes.findings.length;
    judgeTuple(notes, clocks.events, { groups, group, options });
    if (clocks.ahead === undefined) continue;
    const reported = aheadIn(read, clocks.ahead, group);
    if (reported.length === 0) continue;
    const plain = newNotes();
    judgeTuple(plain, clocks.unshifted, { groups, group, options });
    const decides = blockingCodes(plain.findings) !== blockingCodes(notes.findings.slice(from));
    const variant = decides ? ("clock_ahead_decides" as const) : undefined;
    const notice = { code: "clock_ahead" as const, evidence: reported, variant };
    const place = { identity: groups.tuples[group] as IdentityTuple, taskId: undefined };
    notes.findings.push(...toFindings(place, [notice], options.trust.complete));
  }
  return notes;
}

/** Events of a tuple whose producers are ahead of their receipt. */
function aheadIn(
  { events, groups }: WindowEvents,
  ahead: ReadonlySet<number>,
  group: number,
): readonly TurnEvent[] {
  const reported: TurnEvent[] = [];
  for (let at = groups.starts[group] ?? 0; at < (groups.starts[group + 1] ?? 0); at += 1) {
    const index = groups.order[at] as number;
    if (ahead.has(index)) reported.push(events[index] as TurnEvent);
  }
  return reported;
}

/** Conflicts with receipt are resolved by moving the times, so they are not counted. */
function blockingCodes(findings: readonly Finding[]): string {
  const blocking = findings.filter(
    ({ effect, code }) => effect === "blocking" && code !== "clock_conflict",
  );
  const codes = blocking.map(({ code }) => code);
  return [...new Set(codes)].toSorted().join(" ");
}

interface TuplePlace {
  readonly groups: IdentityGroups;
  readonly group: number;
  readonly options: TupleOptions;
}

function judgeTuple(
  notes: Notes,
  events: readonly TurnEvent[],
  { groups, group, options: { trust, profiles, taskId, clock } }: TuplePlace,
): void {
  const scopes = taskScopes(events, groups, group, taskId);
  // A turn without the requested task has no findings.
  const requested =
    taskId === undefined ? scopes : scopes.filter((scope) => scope.taskId === taskId);
  if (requested.length === 0) return;
  const sort = sortOf(requested);
  for (const scope of scopes) {
    if (taskId === undefined || scope.taskId === taskId)
      noteTask(notes, scope, { trust, sort, clock });
    else if (scope.taskId === undefined) {
      const context = judgeContext(scope, clock);
      noteOpen(notes, context);
      const bench = sort === undefined ? withoutIdle(notes, context, trust) : context;
      noteFindings(notes, bench, trust);
      if (sort !== undefined) notes[sort].bad ||= bench.bad;
      noteOutcome(notes, bench);
    }
  }
  for (const profile of coverGroup(events, groups, group, profiles)) {
    const concerns = taskId === undefined || (profile.task_id ?? taskId) === taskId;
    if (concerns) for (const stage of profile.missing_stages) notes.missingStages.add(stage);
  }
}

function noteTask(notes: Notes, scope: TaskScope, { trust, sort, clock }: TupleFacts): void {
  const judgedTask = judgeTask(scope, clock);
  noteOpen(notes, judgedTask);
  const intents = scope.intents.length;
  const bench = sort === undefined ? withoutIdle(notes, judgedTask, trust) : judgedTask;
  noteFindings(notes, bench, trust);
  if (intents > 0 || hasEvidence(scope)) {
    const judged = intents > 0 ? notes.intended : notes.other;
    judged.tasks += 1;
    judged.bad ||= bench.bad;
    if (intents === 0) notes.unrequested.push(scope);
  } else if (sort !== undefined) notes[sort].bad ||= bench.bad;
  noteOutcome(notes, bench);
  notes.intents += intents;
  const { identity, taskId } = scope;
  const links = chainOf(bench);
  if (links.length > 0) notes.chains.push({ scope: { identity, taskId }, intents, links });
}

/** Facts about a tuple that the judge of a task needs. */
interface TupleFacts {
  readonly trust: WindowTrust;
  readonly sort: "intended" | "other" | undefined;
  readonly clock: WindowClock;
}

function noteOpen(notes: Notes, { openUntil: until }: Bench): void {
  if (until === null) return;
  if (notes.openUntil === null || compareTimes(until, notes.openUntil) < 0) notes.openUntil = until;
}

/**
 * Whether the tuple has an intent, or at least evidence; a negative finding counts for that sort.
 */
function sortOf(scopes: readonly TaskScope[]): TupleFacts["sort"] {
  if (scopes.some(({ intents }) => intents.length > 0)) return "intended";
  return scopes.some(hasEvidence) ? "other" : undefined;
}

/** Codes on a whole turn: in a turn without an intent they block no other turn. */
const wholeTurnCodes: ReadonlySet<string> = new Set([
  "ownership_unverified",
  "provenance_missing",
  "outcome_failed",
  "outcome_partial",
  "turn_failed",
  "turn_cancelled",
  "turn_open",
  "turn_unfinished",
]);

/** Sets aside the findings on a turn without any task. */
function withoutIdle(notes: Notes, bench: Bench, trust: WindowTrust): Bench {
  const idle = bench.notices.filter(({ code }) => wholeTurnCodes.has(code));
  if (idle.length === 0) return bench;
  notes.idle.push(...toFindings(bench.scope, idle, trust.complete));
  notes.idleFailed ||= bench.outcomeFailed;
  const notices = bench.notices.filter(({ code }) => !wholeTurnCodes.has(code));
  return { ...bench, notices, bad: false, outcomeFailed: false };
}

/** A failed outcome is negative for every task of its turn. */
function noteOutcome(notes: Notes, { outcomeFailed }: Bench): void {
  if (!outcomeFailed) return;
  notes.intended.bad = true;
  notes.other.bad = true;
}

function noteFindings(notes: Notes, { scope, notices }: Bench, trust: WindowTrust): void {
  if (notices.length === 0) return;
  for (const finding of toFindings(scope, notices, trust.complete)) notes.findings.push(finding);
}

const linkOrder = ["intent", "artifact", "contract", "delivery"] as const;

function chainOf({ scope, links }: Bench): ChainLink[] {
  const chain = links.map(({ link, name, state, reason, evidence }) => ({
    link,
    name: labelOf(name),
    state,
    reason,
    evidence_ids: idsOf(evidence).slice(0, limits.findingEvidenceMax),
    task_id: scope.taskId ?? null,
    identity: scope.identity,
  }));
  return chain.sort(compareLinks);
}

function compareLinks(a: ChainLink, b: ChainLink): number {
  return (
    linkOrder.indexOf(a.link) - linkOrder.indexOf(b.link) ||
    Number(a.state === "superseded") - Number(b.state === "superseded") ||
    compareText(a.name ?? "", b.name ?? "") ||
    compareText(a.state, b.state) ||
    // Joined only where nothing else distinguishes two links.
    compareText(a.evidence_ids.join(" "), b.evidence_ids.join(" "))
  );
}

/** One link of the chain intent → artifact → contract → delivery of a task. */
export interface ChainLink {
  readonly link: "intent" | "artifact" | "contract" | "delivery";
  /** Artifact type, contract name or delivery target; a registered label, never a value. */
  readonly name: string | null;
  readonly state: LinkState;
  readonly reason: LinkReason;
  readonly evidence_ids: readonly string[];
  readonly task_id: string | null;
  readonly identity: IdentityTuple;
}
