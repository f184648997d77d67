/**
 * @module TaskScope: which evidence belongs to which task (requirements: Reconciliation 5, 6). A
 * label counts only for its own task of its own tuple; evidence without a label is assigned to an
 * intent only when the turn has exactly one; everything else counts for no task.
 */
import { isVerifiedOutcome } from "../coverage/coverage.ts";
import type { TurnEvent } from "../event/event.ts";
import { membersOf } from "../event/identity-tuple.ts";
import type { IdentityGroups, IdentityTuple } from "../event/identity-tuple.ts";
import { causeSpans } from "./reconcile-causes.ts";
import { mayDeny, isDenialStated, settleDenials } from "./reconcile-denials.ts";
import { isTroubled } from "./reconcile-turn.ts";
import { spanKey } from "../event/span-key.ts";
import type { TaskScope, TurnEvidence } from "./turn-evidence.ts";

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

function statesContextMissing(event: TurnEvent): boolean {
  return (
    event.attributes.context_missing === true ||
    (event.event_kind === "data_quality" &&
      event.attributes.quality_code === "trace_context_missing")
  );
}

/** A start of anything but an action is no claim. */
function isClaim(event: TurnEvent): boolean {
  const kind = event.event_kind;
  if (!isRecorderKind(kind)) {
    return isVerifiedOutcome(event) || statesContextMissing(event) || isDenialStated(event);
  }
  return lists[kind] === "actions" || event.phase !== "start";
}

/**
 * The task scopes of one tuple, none without recorder evidence. Tuple by tuple, so that its
 * working state is dropped before the next.
 */
export function taskScopes(
  events: readonly TurnEvent[],
  groups: IdentityGroups,
  group: number,
  requested?: string,
): readonly TaskScope[] {
  const members = membersOf(events, groups, group);
  const claims = members.filter(isClaim);
  const own = members.filter((event) => event.event_kind === "turn");
  const turns = isTroubled(own) ? own : [];
  if (claims.length === 0 && turns.length === 0) return noScopes;
  const identity = groups.tuples[group] as IdentityTuple;
  return scopesOfTurn(identity, members, { claims, turns, requested });
}

const noScopes: readonly TaskScope[] = [];

/**
 * The relevant events of a turn: the claims, and the turn's own events unless they are plain
 * success.
 */
interface RelevantEvents {
  readonly claims: readonly TurnEvent[];
  readonly turns: readonly TurnEvent[];
  /** The only task that is judged. */
  readonly requested: string | undefined;
}

function scopesOfTurn(
  identity: IdentityTuple,
  events: readonly TurnEvent[],
  { claims, turns, requested }: RelevantEvents,
): readonly TaskScope[] {
  const bySpan = namedSpans(events, claims);
  const book = openBook({
    identity,
    events,
    bySpan,
    causes: undefined,
    ends: undefined,
    endOfSpan: new Map(),
    startOfSpan: new Map(),
  });
  const intents = claims.filter((event) => event.event_kind === "intent");
  for (const intent of intents) book.ofIntent(intent).intents.push(intent);
  if (intents.length === 1) book.takeUnlabelled();
  let denied = false;
  for (const event of claims) {
    const kind = event.event_kind;
    denied ||= isDenialStated(event);
    if (kind === "intent" && !statesContextMissing(event)) continue;
    const scope = book.of(event);
    if (kind !== "intent" && isRecorderKind(kind)) scope[lists[kind]].push(event);
    if (kind === "outcome") scope.outcomes.push(event);
    if (statesContextMissing(event)) scope.contextMissing.push(event);
  }
  if (turns.length > 0) book.wholeTurn().turns.push(...turns);
  if (denied) {
    // A positive statement may be in an event without any other claim.
    const words = events.filter(mayDeny);
    const attributed = words.map((event) => ({ event, scope: book.ofAny(event) }));
    settleDenials(book.scopes, attributed, requested);
  }
  return book.scopes;
}

/** The scopes of one turn while they are built. */
interface ScopeBook {
  readonly scopes: readonly TaskScope[];
  /** The scope of an intent's own label. */
  ofIntent(intent: TurnEvent): TaskScope;
  /** Assigns unlabelled evidence to the only scope. */
  takeUnlabelled(): void;
  /** The scope of a label; without one the only intent's, or none. */
  of(event: TurnEvent): TaskScope;
  /** The same for intents and evidence alike. */
  ofAny(event: TurnEvent): TaskScope;
  /** The scope of the whole turn. */
  wholeTurn(): TaskScope;
}

function openBook(turn: TurnEvidence): ScopeBook {
  const scopes: TaskScope[] = [];
  const labelled = new Map<string, TaskScope>();
  let only: TaskScope | undefined;
  let ofUnlabelled: TaskScope | undefined;
  let unowned: TaskScope | undefined;
  const open = (taskId: string | undefined): TaskScope => {
    const scope = emptyScope(turn, taskId);
    scopes.push(scope);
    return scope;
  };
  const labelledAs = (taskId: string): TaskScope => {
    let scope = labelled.get(taskId);
    if (scope === undefined) labelled.set(taskId, (scope = open(taskId)));
    return scope;
  };
  const wholeTurn = (): TaskScope => only ?? (unowned ??= open(undefined));
  const of = ({ task_id: label }: TurnEvent): TaskScope =>
    label === undefined ? wholeTurn() : labelledAs(label);
  return {
    scopes,
    ofIntent: ({ task_id: label }) =>
      label === undefined ? (ofUnlabelled ??= open(undefined)) : labelledAs(label),
    takeUnlabelled: () => {
      [only] = scopes;
      if (only !== undefined) only.takesUnlabelled = true;
    },
    of,
    ofAny: (event) =>
      event.event_kind === "intent" && event.task_id === undefined
        ? (ofUnlabelled ?? wholeTurn())
        : of(event),
    wholeTurn,
  };
}

function emptyScope(turn: TurnEvidence, taskId: string | undefined): TaskScope {
  return {
    identity: turn.identity,
    taskId,
    takesUnlabelled: false,
    intents: [],
    artifacts: [],
    contracts: [],
    deliveries: [],
    actions: [],
    contextMissing: [],
    outcomes: [],
    denials: new Map(),
    turns: [],
    turn,
  };
}

/** Events of the spans that artifacts name as producers or that any claim names as its cause. */
function namedSpans(
  events: readonly TurnEvent[],
  claims: readonly TurnEvent[],
): ReadonlyMap<string, readonly TurnEvent[]> {
  const bySpan = new Map<string, TurnEvent[]>();
  for (const claim of claims) {
    const { event_kind: kind, attributes } = claim;
    const named = kind === "artifact" ? attributes.producing_span_id : undefined;
    if (named !== undefined) bySpan.set(named, []);
    if (!isRecorderKind(kind) || lists[kind] === "actions") continue;
    for (const span of causeSpans(claim)) bySpan.set(span, []);
  }
  if (bySpan.size === 0) return bySpan;
  for (const event of events) {
    const span = spanKey(event);
    if (span !== undefined) bySpan.get(span)?.push(event);
  }
  return bySpan;
}
