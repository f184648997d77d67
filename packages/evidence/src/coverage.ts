/**
 * @module Coverage: three separate axes (design 3.4). Whether the records were read completely,
 * whether the declared stages are there, and whether a verified outcome is on record. Without a
 * declared profile the second is unknown: that events normalized says nothing about artifacts or
 * deliveries (requirements: Reconciliation 9).
 */
import { eventKinds } from "@turnproof/semconv";
import type {
  EventKind,
  InstrumentationCompleteness,
  OutcomeVerification,
  ReadCompleteness,
} from "@turnproof/semconv";

import type { EventIdentity, TurnEvent } from "./event.ts";
import { createIdentityTable } from "./identity-table.ts";

/** A stage that a profile requires: an event of a kind, or the finished call of one. */
export type Stage = EventKind | `${"model_call" | "tool_call" | "turn"}_result`;

/** Profiles by name; hosts add theirs with {@link defineCoverageProfiles}. */
export type CoverageProfiles = ReadonlyMap<string, readonly Stage[]>;

/** What one declared profile asks for within its tenant, turn and task, and what is not there. */
export interface ProfileCoverage extends EventIdentity {
  readonly task_id?: string;
  readonly profile: string;
  /** False when nobody registered the profile; that alone is a missing stage. */
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

/** The four profiles of design 3.4. */
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
 * The built-in profiles with a host's own. A profile of the same name replaces the built-in one; a
 * stage that does not exist is a RangeError, because no evidence could ever satisfy it.
 */
export function defineCoverageProfiles(own: {
  readonly [profile: string]: readonly Stage[];
}): CoverageProfiles {
  for (const required of Object.values(own)) {
    if (!required.every((stage) => stages.has(stage))) throw new RangeError("unknown stage");
  }
  return new Map([...coverageProfiles, ...Object.entries(own)]);
}

/** Kinds that the runtime records for a whole turn: unlabelled, they serve every task in it. */
const runtimeKinds: ReadonlySet<EventKind> = new Set([
  "turn",
  "model_call",
  "tool_call",
  "memory_supply",
  "memory_retrieval",
  "context_binding",
]);

/** Reads the three axes off resolved, deduplicated events. Linear in events. */
export function readCoverage(
  events: readonly TurnEvent[],
  options: {
    readonly readCompleteness: ReadCompleteness;
    readonly profiles?: CoverageProfiles;
  },
): Coverage {
  const known = options.profiles ?? coverageProfiles;
  const scopes = collectScopes(events);
  const profiles = scopes.flatMap((scope) => scopeProfiles(scope, known));
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

/** True for an outcome that a trusted application or operator observed. */
export function isVerifiedOutcome(event: TurnEvent): boolean {
  return (
    event.event_kind === "outcome" &&
    event.attributes.verified === true &&
    event.ingest_trusted !== false
  );
}

/** What is there for one tenant and turn: stages by task, and what each task declared. */
interface CoverageScope {
  readonly identity: EventIdentity;
  readonly declared: Map<string | undefined, Set<string>>;
  readonly intentTasks: Set<string | undefined>;
  readonly stagesOf: Map<string | undefined, Set<string>>;
  readonly runtimeStages: Set<string>;
}

function collectScopes(events: readonly TurnEvent[]): CoverageScope[] {
  const tuple = createIdentityTable([
    "application_id",
    "agent_id",
    "user_id",
    "thread_id",
    "root_trace_id",
    "turn_id",
  ]);
  const scopes: CoverageScope[] = [];
  for (const event of events) {
    const scope = (scopes[tuple.idOf(event)] ??= newScope(event));
    const profile = event.attributes.coverage_profile;
    if (profile !== undefined) put(scope.declared, event.task_id, profile);
    if (event.event_kind === "intent") scope.intentTasks.add(event.task_id);
    for (const stage of stagesOf(event)) {
      put(scope.stagesOf, event.task_id, stage);
      if (event.task_id === undefined && runtimeKinds.has(event.event_kind)) {
        scope.runtimeStages.add(stage);
      }
    }
  }
  return scopes;
}

function newScope(event: TurnEvent): CoverageScope {
  return {
    identity: {
      ...(event.application_id === undefined ? {} : { application_id: event.application_id }),
      ...(event.agent_id === undefined ? {} : { agent_id: event.agent_id }),
      ...(event.user_id === undefined ? {} : { user_id: event.user_id }),
      ...(event.thread_id === undefined ? {} : { thread_id: event.thread_id }),
      ...(event.root_trace_id === undefined ? {} : { root_trace_id: event.root_trace_id }),
      ...(event.turn_id === undefined ? {} : { turn_id: event.turn_id }),
    },
    declared: new Map(),
    intentTasks: new Set(),
    stagesOf: new Map(),
    runtimeStages: new Set(),
  };
}

function put<K>(map: Map<K, Set<string>>, key: K, value: string): void {
  const set = map.get(key);
  if (set === undefined) map.set(key, new Set([value]));
  else set.add(value);
}

/** The stages that an event stands for. An outcome that nobody verified is none. */
function stagesOf(event: TurnEvent): string[] {
  if (event.event_kind === "outcome") return isVerifiedOutcome(event) ? ["outcome"] : [];
  return event.phase === "start"
    ? [event.event_kind]
    : [event.event_kind, `${event.event_kind}_result`];
}

function scopeProfiles(scope: CoverageScope, known: CoverageProfiles): ProfileCoverage[] {
  const found: ProfileCoverage[] = [];
  const tasks = [...scope.declared.keys()].toSorted((a, b) => ((a ?? "") < (b ?? "") ? -1 : 1));
  for (const task of tasks) {
    const there = stagesFor(scope, task);
    for (const profile of [...(scope.declared.get(task) ?? [])].toSorted()) {
      const required = known.get(profile);
      found.push({
        ...scope.identity,
        ...(task === undefined ? {} : { task_id: task }),
        profile,
        registered: required !== undefined,
        required_stages: required ?? [],
        missing_stages: required?.filter((stage) => !there.has(stage)) ?? [`profile:${profile}`],
      });
    }
  }
  return found;
}

/**
 * Stages that serve a task: its own and the runtime's; unlabelled host evidence only where one
 * intent alone could be meant (requirements: Reconciliation 5). A profile without a task takes
 * labelled evidence too, except what another intent claims.
 */
function stagesFor(scope: CoverageScope, task: string | undefined): ReadonlySet<string> {
  const there = new Set(scope.runtimeStages);
  const add = (label: string | undefined): void => {
    for (const stage of scope.stagesOf.get(label) ?? []) there.add(stage);
  };
  add(task);
  if (scope.intentTasks.size <= 1) add(undefined);
  // An intent without a label asked for what carries none: another label is another task.
  if (task !== undefined || scope.intentTasks.has(undefined)) return there;
  for (const label of scope.stagesOf.keys()) if (!scope.intentTasks.has(label)) add(label);
  return there;
}
