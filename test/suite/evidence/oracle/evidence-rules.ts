/**
 * @module EvidenceRules: artifacts, their sources and producers, and contracts (Reconciliation 2,
 * 4, 7, 10).
 */
import { supportingRoles } from "@turnproof/semconv";

import { failed, partial, unsettled } from "./law.ts";
import type { Objection, Scope } from "./law.ts";
import { isCyclic, latest, sameProducer } from "./order.ts";
import type { Clocks } from "./order.ts";
import { attr, instant, ofKind, refs, sameResource } from "./reading.ts";
import type { Json, Ref } from "./reading.ts";

/** The latest states of every artifact of the task, resource by resource. */
export function artifactStates(scope: Scope): (readonly Json[])[] {
  return artifactSubjects(scope).map((states) => latest(states, scope.clocks));
}

/** All states of every artifact. A failed attempt without a resource is one of its type. */
function artifactSubjects(scope: Scope): Json[][] {
  const all = ofKind(scope.own, "artifact");
  const named = all.filter((event) => refOf(event) !== undefined);
  const subjects = bySubject(named, (event) => `${typeOf(event)} ${refOf(event)}`);
  for (const event of all.filter((one) => !named.includes(one))) {
    // A failed attempt or a deletion without a resource is one of its type.
    const untyped = isDeleted(event) && typeOf(event) === "";
    const ofType = isFailed(event) || isDeleted(event);
    const same = subjects.filter(
      (states) => ofType && (untyped || states.some((one) => typeOf(one) === typeOf(event))),
    );
    if (same.length === 0) subjects.push([event]);
    for (const states of same) states.push(event);
  }
  return subjects;
}

const refOf = (event: Json): string | undefined => refs(event, "output_refs")[0]?.ref;

/** The latest records of every contract of the task, name by name. */
export function contractStates(scope: Scope): (readonly Json[])[] {
  return bySubject(ofKind(scope.own, "contract"), (event) =>
    String(attr(event, "contract_name")),
  ).map((records) => latest(records, scope.clocks));
}

/** The type of an artifact. */
export function typeOf(event: Json): string {
  const stated = attr(event, "artifact_type");
  return typeof stated === "string" ? stated : (refs(event, "output_refs")[0]?.resource_type ?? "");
}

function bySubject(events: readonly Json[], subject: (event: Json) => string): Json[][] {
  const names = [...new Set(events.map(subject))];
  return names.map((name) => events.filter((event) => subject(event) === name));
}

const isFailed = (event: Json): boolean =>
  attr(event, "artifact_status") === "failed" || event["status"] === "error";
const isDeleted = (event: Json): boolean => attr(event, "artifact_status") === "deleted";

/** Reconciliation 2 and 10: what is requested stands, persisted, with its sources. */
export function artifacts(scope: Scope): Objection[] {
  const states = artifactStates(scope);
  const found: Objection[] = [];
  for (const type of (attr(scope.intent, "expected_artifact_types") as string[] | undefined) ??
    []) {
    const stands = states.some((latestOnes) =>
      latestOnes.every((event) => typeOf(event) === type && !isDeleted(event)),
    );
    if (!stands) found.push(partial("artifact"));
  }
  for (const event of states.flat()) {
    if (isDeleted(event)) continue;
    if (isFailed(event)) found.push(failed("artifact"));
    if (attr(event, "persistence_verified") !== true) found.push(partial("artifact"));
    const named = refs(event, "output_refs")[0];
    // The newest artifact of a type is what is requested: one without a resource gives way to it.
    const replaced =
      named === undefined &&
      states.some((ones) => ones.some((other) => replaces(other, event, scope)));
    if (named?.version === undefined && !replaced) found.push(partial("artifact"));
    if (isDerived(event)) found.push(partial("artifact"));
    found.push(...sources(event, scope), ...producer(event, scope));
  }
  for (const all of artifactSubjects(scope)) {
    found.push(...contradictions(all, scope, artifactState));
  }
  return found;
}

function replaces(other: Json, event: Json, { clocks }: Scope): boolean {
  return (
    refOf(other) !== undefined &&
    typeOf(other) === typeOf(event) &&
    !isDeleted(other) &&
    clocks.compare(other, event) > 0
  );
}

function artifactState(event: Json): string {
  if (isDeleted(event)) return "deleted";
  return isFailed(event) || attr(event, "persistence_verified") !== true ? "bad" : "good";
}

/**
 * Inherited identity proves no ownership and no delivery (vocabulary: From a span to an event 2).
 */
export function isDerived(event: Json): boolean {
  return ((event["identity_derived"] as readonly string[] | undefined) ?? []).length > 0;
}

function sources(artifact: Json, scope: Scope): Objection[] {
  const used = refs(artifact, "input_refs");
  const found: Objection[] = [];
  if (used.length === 0 && attr(artifact, "source_independent") !== true) {
    found.push(partial("sources"));
  }
  for (const wanted of refs(scope.intent, "input_refs")) {
    if (isSupporting(wanted)) continue;
    if (!used.some((ref) => matchesSource(ref, wanted))) found.push(partial("sources"));
    // Another version beside the right one is a source that does not match.
    else if (used.some((ref) => sameResource(ref, wanted) && !matchesSource(ref, wanted))) {
      found.push(unsettled("sources"));
    }
  }
  return found;
}

/** The listed roles are supporting; everything else is checked as authoritative. */
function isSupporting(ref: Ref): boolean {
  return ref.role !== undefined && supportingRoles.has(ref.role);
}

function matchesSource(ref: Ref, wanted: Ref): boolean {
  return sameResource(ref, wanted) && ref.version === wanted.version;
}

/** Reconciliation 4: the span that produced it is there, ended, and ended well. */
function producer(artifact: Json, scope: Scope): Objection[] {
  const id = attr(artifact, "producing_span_id");
  const spans = scope.turn.filter(
    (event) =>
      id !== undefined &&
      event["span_id"] === id &&
      ["application_action", "queue_transition", "tool_call", "model_call", "turn"].includes(
        String(event["event_kind"]),
      ) &&
      (scope.own.includes(event) ||
        // A call is found by its span; one of another task's label is another task's.
        (["tool_call", "model_call", "turn"].includes(String(event["event_kind"])) &&
          (event["task_id"] === undefined || event["task_id"] === scope.intent["task_id"]))),
  );
  const results = spans.filter((event) => event["phase"] === "result");
  if (results.length === 0) return [partial("producer")];
  const last = latest(results, scope.clocks);
  // Reconciliation 11: a degraded result of a tool stays usable.
  const usable = last.every(
    (event) =>
      event["status"] === "success" ||
      (event["status"] === "partial" &&
        event["event_kind"] === "tool_call" &&
        attr(event, "tool_outcome") === "degraded"),
  );
  return usable ? [] : [partial("producer")];
}

/** Reconciliation 7: the latest record of every contract is clean. */
export function contracts(scope: Scope): Objection[] {
  const found: Objection[] = [];
  const states = contractStates(scope);
  for (const name of (attr(scope.intent, "required_contracts") as string[] | undefined) ?? []) {
    if (!states.some((records) => attr(records[0] ?? {}, "contract_name") === name)) {
      found.push(partial("contract"));
    }
  }
  for (const record of states.flat()) found.push(...contractObjections(record));
  for (const records of bySubject(ofKind(scope.own, "contract"), (event) =>
    String(attr(event, "contract_name")),
  )) {
    found.push(...contradictions(records, scope, contractState));
  }
  return found;
}

function contractState(record: Json): string {
  return contractObjections(record).length === 0 ? "good" : "bad";
}

function contractObjections(record: Json): Objection[] {
  const found: Objection[] = [];
  const parser = attr(record, "parser_status");
  if (parser === "failed") found.push(failed("contract"));
  else if (parser !== "success") found.push(partial("contract"));
  if (attr(record, "recovery_used") === true) found.push(partial("contract"));
  const markers = [attr(record, "opening_marker_found"), attr(record, "closing_marker_found")];
  // A missing marker is missing unless the contract declares `unmarked`.
  if (attr(record, "unmarked") === true) {
    if (markers.includes(false)) found.push(unsettled("marker"));
  } else if (markers.some((marker) => marker !== true)) {
    found.push(partial(markers.includes(false) ? "contract" : "marker"));
  }
  const reason = attr(record, "contract_finish_reason");
  if (reason === "length" || reason === "max_tokens") found.push(partial("contract"));
  return found;
}

/**
 * Two contradictory states of one subject from different producers whose timestamps and
 * receipts disagree are never a success. Only what the latest state contradicts decides.
 */
export function contradictions(
  states: readonly Json[],
  scope: Pick<Scope, "clocks">,
  state: (event: Json) => string,
): Objection[] {
  const { clocks } = scope;
  const found: Objection[] = [];
  if (isCyclic(states, clocks)) found.push(unsettled("order"));
  for (const last of latest(states, clocks)) {
    for (const other of states) {
      if (clocks.compare(other, last) < 0 && clocks.receiptConflict(other, last)) {
        found.push(partial("clock_conflict"));
      }
      if (state(last) === state(other)) continue;
      if (!isOrdered(last, other, clocks)) found.push(partial("order"));
    }
  }
  return found;
}

/**
 * False for events of two producers on whose order times and receipts disagree, without a cause
 * that orders them.
 */
export function isOrdered(one: Json, other: Json, clocks: Clocks): boolean {
  if (sameProducer(one, other) || clocks.causes(one, other) || clocks.causes(other, one)) {
    return true;
  }
  const [a, b] = [instant(one, "received_at"), instant(other, "received_at")];
  // Of a producer that is ahead only the latest possible times are known.
  const lead = clocks.time(one) > clocks.time(other) ? one : other;
  if ((a === undefined || b === undefined) && clocks.bounded(lead)) return false;
  if (a === undefined || b === undefined) return true;
  return (clocks.time(one) - clocks.time(other)) * (a - b) >= 0;
}

/** The versions of an artifact that stand. */
export function versionsOf(states: readonly Json[]): Ref[] {
  return states.flatMap((event) => refs(event, "output_refs").slice(0, 1));
}
