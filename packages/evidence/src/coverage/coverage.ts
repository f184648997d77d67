/**
 * @module Coverage: three separate axes (vocabulary: States): whether the records were read
 * completely, whether the declared stages are recorded, and whether a verified outcome is recorded.
 * Without a declared profile the second is unknown: events that normalized prove nothing about
 * artifacts or deliveries (requirements: Reconciliation 9).
 */
import { eventKinds, failedOutcomes, outcomeWord, partialOutcomes } from "@turnproof/semconv";
import type {
  EventKind,
  InstrumentationCompleteness,
  OutcomeVerification,
  ReadCompleteness,
} from "@turnproof/semconv";

import type { EventIdentity, TurnEvent } from "../event/event.ts";
import { groupByIdentity } from "../event/identity-tuple.ts";
import type { IdentityGroups, IdentityTuple } from "../event/identity-tuple.ts";
import { compareText } from "../event/text-order.ts";

/** A stage that a profile requires: an event of a kind, or the finished call of one. */
export type Stage = EventKind | `${"model_call" | "tool_call" | "turn"}_result`;

/** The kind of event that shows a stage. */
export function stageKind(stage: string): string {
  return stage.replace(/_result$/, "");
}

/** Profiles by name; hosts add their own with {@link defineCoverageProfiles}. */
export type CoverageProfiles = ReadonlyMap<string, readonly Stage[]>;

/** One declared profile within its tenant, turn and task, with its missing stages. */
export interface ProfileCoverage extends EventIdentity {
  readonly task_id?: string;
  readonly profile: string;
  /** False when the profile is not registered; that alone is a missing stage. */
  readonly registered: boolean;
  readonly required_stages: readonly Stage[];
  readonly missing_stages: readonly string[];
}

/** Coverage of a window. */
export interface Coverage {
  readonly read_completeness: ReadCompleteness;
  readonly instrumentation: InstrumentationCompleteness;
  readonly outcome_verification: OutcomeVerification;
  readonly profiles: readonly ProfileCoverage[];
  /** Distinct missing stages of all profiles; an unregistered one is `profile:<name>`. */
  readonly missing_stages: readonly string[];
}

/** The four profiles (vocabulary: States). */
export const coverageProfiles: CoverageProfiles = new Map<string, readonly Stage[]>([
  ["chat_response", ["model_call_result"]],
  ["content_ingestion", ["context_binding", "tool_call_result", "outcome"]],
  ["content_derived_artifact", ["intent", "memory_supply", "artifact", "delivery", "outcome"]],
  ["interactive_response", ["model_call_result", "contract", "delivery"]],
]);

const stages: ReadonlySet<string> = new Set([
  ...eventKinds,
  "model_call_result",
  "tool_call_result",
  "turn_result",
]);

/**
 * The built-in profiles with a host's own. A profile of the same name replaces the built-in one.
 * An unknown stage is a RangeError, because no evidence could ever satisfy it.
 */
export function defineCoverageProfiles(own: {
  readonly [profile: string]: readonly Stage[];
}): CoverageProfiles {
  for (const required of Object.values(own)) {
    if (!required.every((stage) => stages.has(stage))) throw new RangeError("unknown stage");
  }
  return new Map([...coverageProfiles, ...Object.entries(own)]);
}

/**
 * Kinds that the runtime records for a complete turn: without a label they count for every task in
 * it.
 */
const runtimeKinds: ReadonlySet<EventKind> = new Set([
  "turn",
  "model_call",
  "tool_call",
  "memory_supply",
  "memory_retrieval",
  "context_binding",
]);

/** Reads the three axes from resolved, deduplicated events. Linear in events. */
export function readCoverage(
  events: readonly TurnEvent[],
  options: {
    readonly readCompleteness: ReadCompleteness;
    readonly profiles?: CoverageProfiles;
    /** The partition of these events, where the caller has computed it. */
    readonly groups?: IdentityGroups;
  },
): Coverage {
  const known = options.profiles ?? coverageProfiles;
  const groups = options.groups ?? groupByIdentity(events);
  const profiles: ProfileCoverage[] = [];
  for (let group = 0; group < groups.tuples.length; group += 1) {
    for (const profile of coverGroup(events, groups, group, known)) profiles.push(profile);
  }
  const missing = new Set(profiles.flatMap((profile) => profile.missing_stages));
  const whole = missing.size === 0 && options.readCompleteness === "complete";
  return {
    read_completeness: options.readCompleteness,
    instrumentation: profiles.length === 0 ? "unknown" : whole ? "complete" : "partial",
    outcome_verification: events.some(isVerifiedOutcome) ? "recorded" : "unknown",
    profiles,
    missing_stages: [...missing].toSorted(),
  };
}

/** The stages of a list that these events of one turn lack. */
export function missingStages(
  events: readonly TurnEvent[],
  required: readonly Stage[],
): readonly Stage[] {
  const there: StageSet = { kinds: 0, results: 0 };
  for (const event of events) {
    if (isStage(event)) add(there, event, stageBits.get(event.event_kind)?.kinds ?? 0);
  }
  return required.filter((stage) => !hasStage(there, stage));
}

/** True for an outcome that a trusted application or operator observed. */
export function isVerifiedOutcome(event: TurnEvent): boolean {
  return (
    event.event_kind === "outcome" &&
    event.attributes.verified === true &&
    event.ingest_trusted !== false
  );
}

/** True for an outcome that means the task failed. */
export function isFailedOutcome({ status, attributes }: TurnEvent): boolean {
  return status === "error" || failedOutcomes.has(outcomeWord(attributes.outcome));
}

/** True for an outcome that means the task was done in part, or that it is unknown. */
export function isPartialOutcome({ status, attributes }: TurnEvent): boolean {
  return status === "partial" || partialOutcomes.has(outcomeWord(attributes.outcome));
}

/** Recorded stages, a bit for each kind: recorded at all, and recorded with a result. */
interface StageSet {
  kinds: number;
  results: number;
}

/** The bits of every stage. */
const stageBits: ReadonlyMap<string, StageSet> = new Map(
  eventKinds.flatMap((kind, place) => [
    [kind, { kinds: 1 << place, results: 0 }],
    [`${kind}_result`, { kinds: 0, results: 1 << place }],
  ]),
);

function join(set: StageSet, other: StageSet | undefined): void {
  set.kinds |= other?.kinds ?? 0;
  set.results |= other?.results ?? 0;
}

function hasStage(set: StageSet, stage: Stage): boolean {
  const bits = stageBits.get(stage);
  return bits !== undefined && ((set.kinds & bits.kinds) | (set.results & bits.results)) !== 0;
}

/**
 * State of one tenant and turn: recorded stages by task, and the profiles that each task declared.
 */
interface CoverageScope {
  readonly identity: EventIdentity;
  declared: Map<string | undefined, Set<string>> | undefined;
  /** Declared by the turn itself: they apply to the whole turn, whatever the task. */
  turnProfiles: Set<string> | undefined;
  readonly intentTasks: Set<string | undefined>;
  /** Stages of evidence without a label, with one, and of the runtime without one. */
  readonly unlabelled: StageSet;
  labelled: Map<string, StageSet> | undefined;
  readonly runtime: StageSet;
}

/** The declared profiles of one group; one that declares none requires nothing. */
export function coverGroup(
  events: readonly TurnEvent[],
  groups: IdentityGroups,
  group: number,
  known: CoverageProfiles = coverageProfiles,
): readonly ProfileCoverage[] {
  const { starts, order } = groups;
  const to = starts[group + 1] as number;
  for (let at = starts[group] as number; at < to; at += 1) {
    const { attributes } = events[order[at] as number] as TurnEvent;
    if (attributes.coverage_profile === undefined) continue;
    return scopeProfiles(collectScope(events, groups, group), known);
  }
  return noProfiles;
}

const noProfiles: readonly ProfileCoverage[] = [];

function collectScope(
  events: readonly TurnEvent[],
  { tuples, starts, order }: IdentityGroups,
  group: number,
): CoverageScope {
  const scope = newScope(tuples[group] as IdentityTuple);
  const to = starts[group + 1] as number;
  for (let at = starts[group] as number; at < to; at += 1) {
    const event = events[order[at] as number] as TurnEvent;
    const { task_id: task, event_kind: kind } = event;
    const profile = event.attributes.coverage_profile;
    if (profile !== undefined) {
      if (kind === "turn" && task === undefined) (scope.turnProfiles ??= new Set()).add(profile);
      else declare(scope, task, profile);
    }
    if (kind === "intent") scope.intentTasks.add(task);
    if (!isStage(event)) continue;
    const bit = stageBits.get(kind)?.kinds ?? 0;
    add(task === undefined ? scope.unlabelled : labelledOf(scope, task), event, bit);
    if (task === undefined && runtimeKinds.has(kind)) add(scope.runtime, event, bit);
  }
  return scope;
}

/**
 * An outcome counts as a stage only when it is verified and neither failed nor partial. A model
 * call counts when it succeeded: not when it failed, was cut or has no recorded end.
 */
function isStage(event: TurnEvent): boolean {
  const { event_kind: kind, phase, status } = event;
  if (kind === "outcome") {
    return isVerifiedOutcome(event) && !isFailedOutcome(event) && !isPartialOutcome(event);
  }
  if (kind !== "model_call") return true;
  return phase === "start" ? status !== "error" : status === "success";
}

function add(set: StageSet, event: TurnEvent, bit: number): void {
  set.kinds |= bit;
  if (event.phase !== "start") set.results |= bit;
}

function labelledOf(scope: CoverageScope, task: string): StageSet {
  scope.labelled ??= new Map();
  let set = scope.labelled.get(task);
  if (set === undefined) scope.labelled.set(task, (set = { kinds: 0, results: 0 }));
  return set;
}

function declare(scope: CoverageScope, task: string | undefined, profile: string): void {
  scope.declared ??= new Map();
  const named = scope.declared.get(task);
  if (named === undefined) scope.declared.set(task, new Set([profile]));
  else named.add(profile);
}

function newScope(identity: IdentityTuple): CoverageScope {
  return {
    identity,
    declared: undefined,
    turnProfiles: undefined,
    intentTasks: new Set(),
    unlabelled: { kinds: 0, results: 0 },
    labelled: undefined,
    runtime: { kinds: 0, results: 0 },
  };
}

function scopeProfiles(scope: CoverageScope, known: CoverageProfiles): ProfileCoverage[] {
  const found: ProfileCoverage[] = [];
  const request = (
    there: StageSet,
    profiles: ReadonlySet<string>,
    task: string | undefined,
  ): void => {
    for (const profile of [...profiles].toSorted()) {
      const required = known.get(profile);
      const missing = required?.filter((stage) => !hasStage(there, stage));
      found.push({
        ...scope.identity,
        ...(task === undefined ? {} : { task_id: task }),
        profile,
        registered: required !== undefined,
        required_stages: required ?? [],
        missing_stages: missing ?? [`profile:${profile}`],
      });
    }
  };
  if (scope.turnProfiles !== undefined) request(wholeTurn(scope), scope.turnProfiles, undefined);
  const { declared } = scope;
  if (declared === undefined) return found;
  const tasks = [...declared.keys()].toSorted((a, b) => compareText(a ?? "", b ?? ""));
  for (const task of tasks) request(stagesFor(scope, task), declared.get(task) ?? new Set(), task);
  return found;
}

/** All recorded stages of the turn. */
function wholeTurn({ runtime, unlabelled, labelled }: CoverageScope): StageSet {
  const there = { ...runtime };
  join(there, unlabelled);
  for (const set of labelled?.values() ?? []) join(there, set);
  return there;
}

/**
 * Stages that count for a task: its own and the runtime's; unlabelled host evidence only where a
 * single intent could be meant (requirements: Reconciliation 5). A profile without a task counts
 * labelled evidence too, except what another intent claims.
 */
function stagesFor(scope: CoverageScope, task: string | undefined): StageSet {
  const there = { ...scope.runtime };
  const { intentTasks, labelled, unlabelled } = scope;
  if (task === undefined || intentTasks.size <= 1) join(there, unlabelled);
  if (task !== undefined) join(there, labelled?.get(task));
  // An intent without a label claims unlabelled evidence: a label means another task.
  if (task !== undefined || intentTasks.has(undefined)) return there;
  for (const [label, set] of labelled ?? []) if (!intentTasks.has(label)) join(there, set);
  return there;
}
