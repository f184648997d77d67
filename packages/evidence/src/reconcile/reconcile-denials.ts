/**
 * @module ReconcileDenials: explicit denials of ownership or provenance, and what supersedes them
 * (requirements: Reconciliation 4). A denial counts while its event is current, or while anything
 * current names its subject; only a later positive statement on the same subject, followed by a
 * delivery, supersedes it. Absent fields and `unverified` are no statements.
 */
import { groupBy } from "@turnproof/semconv";

import type { EventResource, TurnEvent } from "../event/event.ts";
import { areBridged } from "./reconcile-bridge.ts";
import { clockOf } from "./reconcile-clock.ts";
import { compareOrder, statesOf, unestablished } from "./reconcile-order.ts";
import { artifactStates } from "./reconcile-states.ts";
import type { TaskScope, TurnEvidence } from "./turn-evidence.ts";
import type { Denial } from "./turn-evidence.ts";

type Field = "ownership" | "provenance";

/** A statement on a subject: a reference, or the binding of the turn. */
interface Word {
  readonly field: Field;
  readonly subject: string;
  readonly good: boolean;
  readonly event: TurnEvent;
  readonly scope: TaskScope;
}

/** Subject of statements without a reference: the turn's own binding. */
const binding = "";

function subjectOf({ resource_type, ref, version }: EventResource): string {
  return JSON.stringify([resource_type, ref, version ?? null]);
}

function isDenied(ref: EventResource): boolean {
  const { ownership_verified: owned, provenance_status: provenance } = ref;
  return owned === false || provenance === "missing" || provenance === "failed";
}

/** True when the event denies ownership or provenance. */
export function isDenialStated(event: TurnEvent): boolean {
  const { input_refs: inputs, output_refs: outputs, selection_ledger: ledger } = event;
  return (
    event.attributes.ownership_verified === false ||
    inputs?.some(isDenied) === true ||
    outputs?.some(isDenied) === true ||
    ledger?.some(({ selected, resource }) => selected === true && isDenied(resource)) === true
  );
}

/** The references of an event; a candidate that was not selected is not one. */
function refsOf(event: TurnEvent): readonly EventResource[] {
  const { input_refs: inputs, output_refs: outputs, selection_ledger: ledger } = event;
  const selected = ledger?.filter((line) => line.selected === true);
  const resources = selected?.map(({ resource }) => resource);
  return [inputs, outputs, resources].flatMap((refs) => refs ?? []);
}

/** Subjects of an event's ownership statements without a reference. */
function ownSubjects(event: TurnEvent): readonly string[] {
  if (event.event_kind === "context_binding") return [binding];
  const refs =
    event.event_kind === "artifact" ? (event.output_refs ?? []).slice(0, 1) : refsOf(event);
  return refs.length === 0 ? [binding] : refs.map(subjectOf);
}

function addWords(words: Word[], event: TurnEvent, scope: TaskScope): void {
  const add = (field: Field, subject: string, good: boolean): void => {
    words.push({ field, subject, good, event, scope });
  };
  const own = event.attributes.ownership_verified;
  if (own !== undefined) {
    for (const subject of ownSubjects(event)) add("ownership", subject, own);
  }
  for (const ref of refsOf(event)) {
    const { ownership_verified: owned, provenance_status: provenance } = ref;
    if (owned !== undefined) add("ownership", subjectOf(ref), owned);
    if (provenance === undefined || provenance === "unverified") continue;
    add("provenance", subjectOf(ref), provenance === "verified");
  }
}

/** An event and its task. */
interface Attributed {
  readonly event: TurnEvent;
  readonly scope: TaskScope;
}

/** True for an event that may confirm or deny. */
export function mayDeny(event: TurnEvent): boolean {
  if (event.attributes.ownership_verified !== undefined) return true;
  const { input_refs: inputs, output_refs: outputs, selection_ledger: ledger } = event;
  return inputs !== undefined || outputs !== undefined || ledger !== undefined;
}

/**
 * Current state of a tuple: its events, and whether those that a statement applies to name its
 * subject.
 */
interface TupleState {
  readonly events: ReadonlySet<TurnEvent>;
  readonly names: (word: Word) => boolean;
}

/**
 * Gives each scope of a tuple the denials that block it. Called only where there is a denial. With
 * a single requested task, deliveries of other tasks do not matter.
 */
export function settleDenials(
  scopes: readonly TaskScope[],
  attributed: readonly Attributed[],
  requested?: string,
): void {
  const state = tupleStateOf(scopes, attributed);
  const words: Word[] = [];
  for (const { event, scope } of attributed) addWords(words, event, scope);
  const answers = createAnswers(words, scopes, requested);
  for (const word of words) {
    if (word.good) continue;
    const { event, scope } = word;
    if (!state.events.has(event) && !state.names(word)) continue;
    if (answers(word).some((positive) => isAfter(positive, event, scope.turn))) continue;
    const denial = denialOf(word);
    const known = scope.denials.get(event);
    if (known === undefined) scope.denials.set(event, [denial]);
    else if (known.every(({ code }) => code !== denial.code)) known.push(denial);
  }
}

/**
 * Most producers whose positive statements on one subject are compared with a denial, the latest
 * first.
 */
const answeringMax = 32;

/**
 * Each producer's latest positive statements that may supersede a denial: on its subject, under
 * any label, and at or before the latest delivery of every task that the denial blocks. The latest
 * of one producer may not be proven to follow the denial where another producer's is. Found once
 * for all denials of one subject and task.
 */
function createAnswers(
  words: readonly Word[],
  scopes: readonly TaskScope[],
  requested: string | undefined,
): (denial: Word) => readonly TurnEvent[] {
  const positives = new Map<string, Word[]>();
  for (const word of words) {
    if (!word.good) continue;
    const key = `${word.field} ${word.subject}`;
    const known = positives.get(key);
    if (known === undefined) positives.set(key, [word]);
    else known.push(word);
  }
  const latest = scopes.map(({ deliveries }) => statesOf(deliveries).latest);
  const judged = latest.filter(
    (_, at) => requested === undefined || scopes[at]?.taskId === requested,
  );
  const found = new Map<TaskScope, Map<string, readonly TurnEvent[]>>();
  return ({ field, subject, scope }) => {
    const key = `${field} ${subject}`;
    const own = found.get(scope) ?? new Map<string, readonly TurnEvent[]>();
    found.set(scope, own);
    let answer = own.get(key);
    if (answer !== undefined) return answer;
    const blocked =
      scope.taskId === undefined ? judged : [latest[scopes.indexOf(scope)] as readonly TurnEvent[]];
    const alike = (positives.get(key) ?? []).filter((word) =>
      blocked.every((deliveries) => isBeforeAll(word, deliveries)),
    );
    const byProducer = groupBy(alike, ({ event }) => clockOf(event));
    answer = [...byProducer.values()]
      .flatMap((stated) => statesOf(stated.map(({ event }) => event)).latest)
      .toSorted((a, b) => compareOrder(b, a))
      .slice(0, answeringMax);
    own.set(key, answer);
    return answer;
  };
}

/** True after the denial. Times of another producer that receipts contradict are not enough. */
function isAfter(positive: TurnEvent, denial: TurnEvent, turn: TurnEvidence): boolean {
  if (compareOrder(positive, denial) <= 0) return false;
  const pair = { latest: [positive], older: [denial] };
  return unestablished(turn, pair, (event) => event === positive).length === 0;
}

/** True at or before all of these deliveries, which are in one instant; skew is bridged. */
function isBeforeAll({ event, scope }: Word, deliveries: readonly TurnEvent[]): boolean {
  return (
    deliveries.every((delivery) => compareOrder(event, delivery) <= 0) ||
    areBridged(scope.turn, deliveries, [event])
  );
}

function denialOf({ field, event }: Word): Denial {
  const artifact = event.event_kind === "artifact";
  const type = event.attributes.artifact_type ?? event.output_refs?.[0]?.resource_type;
  const owned = artifact ? "artifact_ownership_unverified" : "ownership_unverified";
  const sourced = artifact ? "artifact_provenance_invalid" : "provenance_missing";
  return {
    code: field === "ownership" ? owned : sourced,
    event,
    artifactType: artifact ? type : undefined,
  };
}

/** What a turn did and received is current whatever its artifacts' sources; candidates are not. */
const standingKinds: ReadonlySet<string> = new Set([
  "context_binding",
  "memory_selection",
  "memory_supply",
  "model_call",
  "tool_call",
  "turn",
]);

function tupleStateOf(scopes: readonly TaskScope[], attributed: readonly Attributed[]): TupleState {
  const events = new Map<TurnEvent, TaskScope>();
  const spans = new Set<string | undefined>();
  for (const scope of scopes) {
    for (const intent of scope.intents) events.set(intent, scope);
    const artifacts = artifactStates(scope.artifacts, scope.turn).flatMap(({ latest }) => latest);
    for (const record of latestByName(scope.contracts, contractNames)) events.set(record, scope);
    for (const delivery of standingDeliveries(scope, artifacts)) events.set(delivery, scope);
    for (const artifact of artifacts) {
      events.set(artifact, scope);
      const span = artifact.attributes.producing_span_id;
      if (span !== undefined) spans.add(span);
    }
  }
  for (const { event, scope } of attributed) {
    const { event_kind: kind, span_id: span } = event;
    if (standingKinds.has(kind) || spans.has(span)) events.set(event, scope);
  }
  return { events: new Set(events.keys()), names: namesOf(events) };
}

/**
 * A labelled statement applies to its own task and the whole turn, an unlabelled one to every
 * task.
 */
function namesOf(events: ReadonlyMap<TurnEvent, TaskScope>): TupleState["names"] {
  const all = new Set<string>();
  const byTask = new Map<string | undefined, Set<string>>();
  for (const [event, { taskId }] of events) {
    const own = byTask.get(taskId) ?? new Set<string>();
    byTask.set(taskId, own);
    for (const subject of refsOf(event).map(subjectOf)) {
      own.add(subject);
      all.add(subject);
    }
  }
  return ({ subject, scope: { taskId } }) =>
    taskId === undefined
      ? all.has(subject)
      : byTask.get(taskId)?.has(subject) === true || byTask.get(undefined)?.has(subject) === true;
}

/** The latest delivery of the task, and of each current artifact and contract. */
function standingDeliveries(
  { deliveries, contracts }: TaskScope,
  artifacts: readonly TurnEvent[],
): readonly TurnEvent[] {
  const made = new Set(artifacts.flatMap(({ output_refs: refs }) => resourceNames(refs)));
  for (const record of contracts) for (const name of contractNames(record)) made.add(name);
  const named = latestByName(deliveries, (delivery) =>
    [...resourceNames(delivery.input_refs), ...contractNames(delivery)].filter((name) =>
      made.has(name),
    ),
  );
  return [...statesOf(deliveries).latest, ...named];
}

function resourceNames(refs: readonly EventResource[] | undefined): readonly string[] {
  return refs?.map(({ resource_type: type, ref }) => JSON.stringify([type, ref])) ?? [];
}

function contractNames({ attributes }: TurnEvent): readonly string[] {
  return [JSON.stringify([attributes.contract_name ?? null])];
}

/** The latest events of each name. */
function latestByName(
  events: readonly TurnEvent[],
  namesOf: (event: TurnEvent) => readonly string[],
): readonly TurnEvent[] {
  const byName = new Map<string, TurnEvent[]>();
  for (const event of events) {
    for (const name of new Set(namesOf(event))) {
      const known = byName.get(name);
      if (known === undefined) byName.set(name, [event]);
      else known.push(event);
    }
  }
  return [...byName.values()].flatMap((named) => statesOf(named).latest);
}
