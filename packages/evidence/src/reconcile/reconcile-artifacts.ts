/**
 * @module ReconcileArtifacts: whether each requested artifact exists in its latest state, has the
 * required sources, was made by a producer that succeeded, and was delivered in that version
 * (requirements: Reconciliation 2, 3, 4, 10).
 */
import { compareTimes } from "@turnproof/semconv";

import type { FindingCode } from "./diagnostics-table.ts";
import type { TurnEvent } from "../event/event.ts";
import { hasOwnIdentity, mayAssert, noteUnestablished } from "./reconcile-bench.ts";
import type { Bench } from "./reconcile-bench.ts";
import { covering, deliveriesOf, noteCover, noteLateIntents } from "./reconcile-delivery.ts";
import { noteUnended } from "./reconcile-open.ts";
import { compareOrder, statesOf } from "./reconcile-order.ts";
import { judgeProducer } from "./reconcile-producer.ts";
import { judgeSources, wantedBy } from "./reconcile-sources.ts";
import { artifactStates, isDeleted, isFailed, refOf, versionOf } from "./reconcile-states.ts";
import type { ArtifactState } from "./reconcile-states.ts";
import { producerOf, tiedOf } from "./reconcile-tied.ts";
import type { Tied } from "./reconcile-tied.ts";
import { deliveredOtherwise } from "./reconcile-version.ts";

/** True when the artifact is recorded as read back, and its producer may assert that. */
function isPersisted(artifact: TurnEvent): boolean {
  return (
    artifact.attributes.persistence_verified === true && mayAssert(artifact) && !isFailed(artifact)
  );
}

/** True unless it was deleted; a deletion that ties with another state wins. */
function stands(artifact: ArtifactState): boolean {
  return !artifact.latest.some(isDeleted);
}

/** Judges every artifact of the task, and then the requests of the intents. */
export function judgeArtifacts(bench: Bench): void {
  const states = artifactStates(bench.scope.artifacts, bench.scope.turn);
  const standing = states.filter(stands);
  const before = new Map<ArtifactState, FindingCode | undefined>();
  for (const artifact of states) {
    noteUnestablished(bench, artifact, (one) => isPersisted(one) && !isDeleted(one));
    if (!stands(artifact)) continue;
    const from = bench.notices.length;
    for (const event of artifact.latest) judgeRecord(bench, artifact, event);
    before.set(artifact, bench.notices[from]?.code);
  }
  const requested = judgeRequests(bench, newestByType(standing), byTypeOf(states));
  const query = requestedByType(bench.scope.intents);
  for (const artifact of states) {
    const from = bench.notices.length;
    if (requested.has(artifact)) judgeUnended(bench, artifact);
    const delivered = requested.has(artifact) ? judgeDelivered(bench, artifact, query) : undefined;
    const reason = before.get(artifact) ?? bench.notices[from]?.code ?? delivered;
    if (requested.has(artifact) && before.get(artifact) === undefined && stands(artifact)) {
      bench.valid = true;
    }
    link(bench, artifact, reason);
  }
  judgeCredit(bench, standing);
}

/** A producer of a requested artifact that began and did not end. */
function judgeUnended(bench: Bench, { latest }: ArtifactState): void {
  for (const span of new Set(latest.map(({ attributes }) => attributes.producing_span_id))) {
    const producer = span === undefined ? undefined : bench.producers.get(span);
    const began = producer?.evidence.filter(({ phase }) => phase === "start") ?? [];
    if (producer?.state === "incomplete" && began.length > 0) noteUnended(bench, began);
  }
}

type ByType = ReadonlyMap<string | undefined, readonly ArtifactState[]>;

/**
 * The artifacts that satisfy the intents' requests, with a notice for each type without one. Equal
 * requests are checked together.
 */
function judgeRequests(bench: Bench, newest: ByType, all: ByType): ReadonlySet<ArtifactState> {
  const requested = new Set<ArtifactState>();
  const request = (
    intents: readonly TurnEvent[],
    types: Iterable<readonly [string | undefined, readonly ArtifactState[]]>,
  ): void => {
    const wanted = wantedBy(intents);
    for (const [type, artifacts] of types) {
      for (const artifact of artifacts) requested.add(artifact);
      const events = artifacts.flatMap(({ latest }) => latest);
      judgeSources(bench, wanted, type, events);
    }
  };
  const byType = new Map<string, TurnEvent[]>();
  const untyped: TurnEvent[] = [];
  for (const intent of bench.scope.intents) {
    const expected = new Set(intent.attributes.expected_artifact_types ?? []);
    if (expected.size === 0) untyped.push(intent);
    for (const type of expected) {
      const requesting = byType.get(type);
      if (requesting === undefined) byType.set(type, [intent]);
      else requesting.push(intent);
    }
  }
  // An intent without a type requests any artifact of its task.
  if (untyped.length > 0) request(untyped, newest);
  for (const [type, intents] of byType) {
    const artifacts = newest.get(type);
    if (artifacts === undefined) noteMissing(bench, type, intents, all.get(type) ?? []);
    else request(intents, [[type, artifacts]]);
  }
  return requested;
}

/** The latest intents by requested type; under undefined those without a type. */
function requestedByType(
  intents: readonly TurnEvent[],
): ReadonlyMap<string | undefined, readonly TurnEvent[]> {
  const byType = new Map<string | undefined, TurnEvent[]>();
  for (const intent of intents) {
    const expected = intent.attributes.expected_artifact_types ?? [];
    for (const type of expected.length === 0 ? [undefined] : new Set(expected)) {
      const known = byType.get(type);
      if (known === undefined) byType.set(type, [intent]);
      else known.push(intent);
    }
  }
  return new Map([...byType].map(([type, requesting]) => [type, statesOf(requesting).latest]));
}

function noteMissing(
  bench: Bench,
  type: string,
  intents: readonly TurnEvent[],
  gone: readonly ArtifactState[],
): void {
  const code = "artifact_missing";
  const evidence = [...intents, ...gone.flatMap((artifact) => artifact.latest)];
  bench.notices.push({ code, subject: type, evidence, absence: true });
  if (gone.length > 0) return;
  bench.links.push({ link: "artifact", name: type, state: "missing", reason: code, evidence: [] });
}

function byTypeOf(artifacts: readonly ArtifactState[]): Map<string | undefined, ArtifactState[]> {
  const byType = new Map<string | undefined, ArtifactState[]>();
  for (const artifact of artifacts) {
    const known = byType.get(artifact.type);
    if (known === undefined) byType.set(artifact.type, [artifact]);
    else known.push(artifact);
  }
  return byType;
}

/** Per type, the artifacts that are not proven to be older than another one of it. */
function newestByType(
  standing: readonly ArtifactState[],
): Map<string | undefined, readonly ArtifactState[]> {
  const newest = new Map<string | undefined, readonly ArtifactState[]>();
  for (const [type, artifacts] of byTypeOf(standing)) {
    if (artifacts.length === 1) {
      newest.set(type, artifacts);
      continue;
    }
    const { latest } = statesOf(artifacts.flatMap((artifact) => artifact.latest));
    const kept = new Set(latest);
    newest.set(
      type,
      artifacts.filter((artifact) => artifact.latest.some((event) => kept.has(event))),
    );
  }
  return newest;
}

function judgeRecord(bench: Bench, { type: subject }: ArtifactState, event: TurnEvent): void {
  const note = (code: FindingCode, absence = false): void => {
    bench.notices.push({ code, subject, evidence: [event], absence });
  };
  if (!isPersisted(event)) {
    note("artifact_persistence_unverified");
    if (isFailed(event)) bench.bad = true;
  }
  for (const { code } of bench.scope.denials.get(event) ?? []) note(code);
  const sources = event.input_refs ?? [];
  const unsourced = sources.length === 0 && event.attributes.source_independent !== true;
  if (unsourced) note("artifact_provenance_invalid");
  judgeProducer(bench, event, subject);
  if (!hasOwnIdentity(event)) note("artifact_identity_derived");
}

/**
 * The latest delivery of the artifact must name its version and be acknowledged. Returns what that
 * delivery lacks; noted once, however many artifacts it names.
 */
function judgeDelivered(
  bench: Bench,
  artifact: ArtifactState,
  query: ReadonlyMap<string | undefined, readonly TurnEvent[]>,
): FindingCode | undefined {
  const { type: subject, ref, latest } = artifact;
  const note = (
    code: FindingCode,
    evidence: readonly TurnEvent[],
    absence: boolean,
  ): FindingCode => {
    bench.notices.push({ code, subject, evidence, absence });
    return code;
  };
  if (bench.scope.deliveries.length === 0) return undefined;
  if (ref === undefined) return note("delivery_artifact_unnamed", latest, true);
  const types = new Set(latest.flatMap((event) => refOf(event)?.resource_type ?? []));
  const candidates = deliveriesOf(bench.index, ref, types);
  if (candidates === undefined) return note("delivery_artifact_unnamed", latest, true);
  const cover = covering(bench, candidates, latest);
  for (const intents of [query.get(subject), query.get(undefined)]) {
    noteLateIntents(bench, candidates, intents ?? []);
  }
  if (cover.except === undefined) {
    const evidence = [...latest, ...candidates.latest.shown];
    const code = "delivery_precedes_evidence";
    const variant = artifact.older.length > 0 ? "delivery_outdated" : undefined;
    bench.notices.push({ code, subject, evidence, absence: true, variant });
    return code;
  }
  const versions = new Set(latest.map(versionOf));
  if (versions.has(undefined)) note("artifact_version_unknown", latest, false);
  const mismatched = deliveredOtherwise(candidates, cover.except, { ref, types, versions });
  if (mismatched.length > 0) note("delivery_version_mismatch", [...latest, ...mismatched], false);
  return noteCover(bench, candidates, cover);
}

function link(bench: Bench, artifact: ArtifactState, reason: FindingCode | undefined): void {
  const { type: name, latest, older } = artifact;
  const add = bench.links;
  if (!stands(artifact)) {
    add.push({
      link: "artifact",
      name,
      state: "missing",
      reason: "artifact_deleted",
      evidence: latest,
    });
  } else if (reason === undefined) {
    add.push({
      link: "artifact",
      name,
      state: "present",
      reason: "artifact_persisted",
      evidence: latest,
    });
  } else {
    const failed = latest.some(isFailed) || reason === "artifact_ownership_unverified";
    const state = failed ? "failed" : "unconfirmed";
    add.push({ link: "artifact", name, state, reason, evidence: latest });
  }
  if (older.length === 0) return;
  add.push({ link: "artifact", name, state: "superseded", reason: "later_state", evidence: older });
}

/** The only decision that costs money. */
const chargedDecision = "charged";

/** A charge must follow the first verified persistence of its artifact. */
function judgeCredit(bench: Bench, standing: readonly ArtifactState[]): void {
  const charges = bench.scope.actions.filter(
    (action) => action.phase !== "start" && action.attributes.credit_decision === chargedDecision,
  );
  if (charges.length === 0) return;
  const expects = bench.scope.intents.some(
    (intent) => (intent.attributes.expected_artifact_types?.length ?? 0) > 0,
  );
  if (!expects && bench.scope.artifacts.length === 0) return;
  const firsts = firstPersistences(standing);
  // All of them were persisted once the last of these first persistences had happened.
  const bar = tiedOf(firsts.every((event) => event !== undefined) ? statesOf(firsts).latest : []);
  for (const charge of charges) {
    if (bar.at !== undefined && follows(charge, bar)) continue;
    bench.notices.push({ code: "credit_before_persistence", evidence: [charge] });
  }
}

/** True at or after all of the tied events; within one instant by the producer's sequence. */
function follows(event: TurnEvent, tied: Tied): boolean {
  const byTime = compareTimes(event.timestamp, tied.at as string);
  if (byTime !== 0) return byTime > 0;
  const [own] = tied.byProducer.get(producerOf(event)) ?? [];
  return own === undefined || compareOrder(event, own) >= 0;
}

/** The first verified persistence of each existing resource, across its types. */
function firstPersistences(standing: readonly ArtifactState[]): (TurnEvent | undefined)[] {
  const byResource = new Map<string, TurnEvent>();
  for (const event of standing.flatMap(({ older, latest }) => [...older, ...latest])) {
    if (!isPersisted(event)) continue;
    const key = resourceKey(event);
    const first = byResource.get(key);
    if (first === undefined || compareOrder(event, first) < 0) byResource.set(key, event);
  }
  return standing.flatMap(({ latest }) =>
    latest.map((event) => byResource.get(resourceKey(event))),
  );
}

/** Without a resource a record counts by its type. */
function resourceKey(event: TurnEvent): string {
  const made = refOf(event);
  const type = event.attributes.artifact_type;
  return JSON.stringify(made === undefined ? [type] : [made.resource_type, made.ref]);
}
