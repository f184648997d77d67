/**
 * @module TaskScope: which evidence speaks of which task (requirements: Reconciliation 5, 6). A
 * label counts only for its own task of its own tuple; evidence without a label is given to an
 * intent only when the turn has exactly one; everything else counts for nobody.
 */
import type { TurnEvent } from "./event.ts";
import type { IdentityGroups, IdentityTuple } from "./identity-tuple.ts";
import type { TextEnd } from "./reconcile-truncation.ts";
import { spanKey } from "./span-key.ts";

/** The evidence of one task of one tuple. */
export interface TaskScope {
  readonly identity: IdentityTuple;
  /** The label; absent for a task without one. */
  readonly taskId: string | undefined;
  /** Unlabelled evidence of the tuple was given to this task. */
  takesUnlabelled: boolean;
  readonly intents: TurnEvent[];
  readonly artifacts: TurnEvent[];
  readonly contracts: TurnEvent[];
  readonly deliveries: TurnEvent[];
  /** Host actions and queue transitions, starts included. */
  readonly actions: TurnEvent[];
  /** What else of the task or of the turn says that a worker lost its context. */
  readonly contextMissing: TurnEvent[];
  readonly turn: TurnEvidence;
}

/** How the texts of model calls ended, by task, in order of time. */
export type TextEnds = ReadonlyMap<string | undefined, readonly TextEnd[]>;

/** All events of one tuple, and those that some artifact or contract names by span or id. */
export interface TurnEvidence {
  readonly identity: IdentityTuple;
  readonly events: readonly TurnEvent[];
  /** Events by span, only of spans that evidence of the turn names. */
  readonly bySpan: ReadonlyMap<string, readonly TurnEvent[]>;
  /** How texts ended, read when a contract first asks: of the turn, and of named spans. */
  ends: TextEnds | undefined;
  readonly endOfSpan: Map<string, TextEnd | null>;
}

const lists = {
  intent: "intents",
  artifact: "artifacts",
  contract: "contracts",
  delivery: "deliveries",
  application_action: "actions",
  queue_transition: "actions",
} as const;

type RecorderKind = keyof typeof lists;

function isRecorderKind(kind: string): kind is RecorderKind {
  return Object.hasOwn(lists, kind);
}

function saysContextMissing(event: TurnEvent): boolean {
  return (
    event.attributes.context_missing === true ||
    (event.event_kind === "data_quality" &&
      event.attributes.quality_code === "trace_context_missing")
  );
}

/** A start of anything but an action claims nothing. */
function isClaim(event: TurnEvent): boolean {
  const kind = event.event_kind;
  if (!isRecorderKind(kind)) return saysContextMissing(event);
  return lists[kind] === "actions" || event.phase !== "start";
}

/**
 * The task scopes of one tuple, none where it holds no recorder evidence. Tuple by tuple, so that
 * what one of them needs is forgotten before the next.
 */
export function taskScopes(
  events: readonly TurnEvent[],
  { tuples, starts, order }: IdentityGroups,
  group: number,
): readonly TaskScope[] {
  const from = starts[group] as number;
  const to = starts[group + 1] as number;
  let claims: TurnEvent[] | undefined;
  for (let at = from; at < to; at += 1) {
    const event = events[order[at] as number] as TurnEvent;
    if (isClaim(event)) (claims ??= []).push(event);
  }
  if (claims === undefined) return noScopes;
  const members: TurnEvent[] = [];
  for (let at = from; at < to; at += 1) members.push(events[order[at] as number] as TurnEvent);
  return scopesOfTurn(tuples[group] as IdentityTuple, members, claims);
}

const noScopes: readonly TaskScope[] = [];

function scopesOfTurn(
  identity: IdentityTuple,
  events: readonly TurnEvent[],
  claims: readonly TurnEvent[],
): TaskScope[] {
  const turn: TurnEvidence = {
    identity,
    events,
    bySpan: namedSpans(events, claims),
    ends: undefined,
    endOfSpan: new Map(),
  };
  const labelled = new Map<string, TaskScope>();
  const all: TaskScope[] = [];
  const open = (taskId: string | undefined): TaskScope => {
    const scope: TaskScope = {
      identity,
      taskId,
      takesUnlabelled: false,
      intents: [],
      artifacts: [],
      contracts: [],
      deliveries: [],
      actions: [],
      contextMissing: [],
      turn,
    };
    all.push(scope);
    return scope;
  };
  const scopeOf = (taskId: string): TaskScope => {
    const known = labelled.get(taskId);
    if (known !== undefined) return known;
    const scope = open(taskId);
    labelled.set(taskId, scope);
    return scope;
  };
  const intents = claims.filter((event) => event.event_kind === "intent");
  let unlabelledIntents: TaskScope | undefined;
  for (const intent of intents) {
    unlabelledIntents ??= intent.task_id === undefined ? open(undefined) : undefined;
    const scope = intent.task_id === undefined ? unlabelledIntents : scopeOf(intent.task_id);
    scope?.intents.push(intent);
  }
  const only = intents.length === 1 ? all[0] : undefined;
  if (only !== undefined) only.takesUnlabelled = true;
  let nobody: TaskScope | undefined;
  for (const event of claims) {
    const kind = event.event_kind;
    if (kind === "intent" && !saysContextMissing(event)) continue;
    const scope =
      event.task_id === undefined ? (only ?? (nobody ??= open(undefined))) : scopeOf(event.task_id);
    if (kind !== "intent" && isRecorderKind(kind)) scope[lists[kind]].push(event);
    if (saysContextMissing(event)) scope.contextMissing.push(event);
  }
  return all;
}

/** Events of the spans that artifacts name as producers and contracts as parents. */
function namedSpans(
  events: readonly TurnEvent[],
  claims: readonly TurnEvent[],
): ReadonlyMap<string, readonly TurnEvent[]> {
  const bySpan = new Map<string, TurnEvent[]>();
  for (const { event_kind, attributes, parent_span_id } of claims) {
    const named = event_kind === "artifact" ? attributes.producing_span_id : undefined;
    if (named !== undefined) bySpan.set(named, []);
    if (event_kind === "contract" && parent_span_id !== undefined) bySpan.set(parent_span_id, []);
  }
  if (bySpan.size === 0) return bySpan;
  for (const event of events) {
    const span = spanKey(event);
    if (span !== undefined) bySpan.get(span)?.push(event);
  }
  return bySpan;
}
