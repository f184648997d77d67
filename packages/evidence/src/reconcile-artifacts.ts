/**
 * @module ReconcileArtifacts: whether what an intent asked for stands in its latest state, rests on
 * what it should, came from a producer that succeeded, and was delivered in that very version
 * (requirements: Reconciliation 2, 3, 4, 10).
 */
import { authoritativeRole } from "@turnproof/semconv";

import type { FindingCode } from "./diagnostics-table.ts";
import type { ResourceRef, TurnEvent } from "./event.ts";
import { hasOwnIdentity, mayAssert, noteConflicts } from "./reconcile-bench.ts";
import type { Bench } from "./reconcile-bench.ts";
import { candidatesOf, covering, noteDelivery } from "./reconcile-delivery.ts";
import { compareOrder, followers, statesOf } from "./reconcile-order.ts";
import type { States } from "./reconcile-order.ts";
import { judgeProducer } from "./reconcile-producer.ts";

/** One artifact of a task: everything that was recorded of one resource of one type. */
export interface ArtifactState extends States {
  readonly type: string | undefined;
  readonly ref: string | undefined;
}

function refOf(artifact: TurnEvent): ResourceRef | undefined {
  return artifact.output_refs?.[0];
}

function typeOf(artifact: TurnEvent): string | undefined {
  return artifact.attributes.artifact_type ?? refOf(artifact)?.resource_type;
}

function versionOf(artifact: TurnEvent): string | undefined {
  return refOf(artifact)?.version ?? artifact.attributes.content_version;
}

function isFailed(artifact: TurnEvent): boolean {
  return artifact.attributes.artifact_status === "failed" || artifact.status === "error";
}

function isDeleted(artifact: TurnEvent): boolean {
  return artifact.attributes.artifact_status === "deleted";
}

/** True when the record says that the artifact was read back, and may say so. */
function isPersisted(artifact: TurnEvent): boolean {
  return (
    artifact.attributes.persistence_verified === true && mayAssert(artifact) && !isFailed(artifact)
  );
}

/** Stands unless it was deleted; where a deletion ties with another state, it was. */
function stands(artifact: ArtifactState): boolean {
  return !artifact.latest.some(isDeleted);
}

/** The artifacts of a task. A failed attempt without a resource is superseded by its type. */
export function artifactStates(artifacts: readonly TurnEvent[]): ArtifactState[] {
  const byType = new Map<string | undefined, Map<string | undefined, TurnEvent[]>>();
  for (const artifact of artifacts) {
    const type = typeOf(artifact);
    const byRef = byType.get(type) ?? new Map<string | undefined, TurnEvent[]>();
    byType.set(type, byRef);
    const ref = refOf(artifact)?.ref;
    const events = byRef.get(ref);
    if (events === undefined) byRef.set(ref, [artifact]);
    else events.push(artifact);
  }
  const states: ArtifactState[] = [];
  for (const [type, byRef] of byType) {
    const named = [...byRef].filter(([ref]) => ref !== undefined).flatMap(([, events]) => events);
    for (const [ref, events] of byRef) {
      const open = ref === undefined ? events.filter((event) => !isReplaced(event, named)) : events;
      if (open.length > 0) states.push({ type, ref, ...statesOf(open) });
    }
  }
  return states;
}

function isReplaced(attempt: TurnEvent, named: readonly TurnEvent[]): boolean {
  return isFailed(attempt) && named.some((event) => compareOrder(event, attempt) > 0);
}

/** Judges every artifact of the task, and then what each intent asked for. */
export function judgeArtifacts(bench: Bench): void {
  const states = artifactStates(bench.scope.artifacts);
  const standing = states.filter(stands);
  const before = new Map<ArtifactState, FindingCode | undefined>();
  for (const artifact of states) {
    noteConflicts(bench, artifact.older, artifact.latest);
    if (!stands(artifact)) continue;
    const from = bench.notices.length;
    for (const event of artifact.latest) judgeRecord(bench, artifact, event);
    before.set(artifact, bench.notices[from]?.code);
  }
  const requested = new Set<ArtifactState>();
  const shelf = { newest: newestByType(standing), gone: byTypeOf(states) };
  for (const intent of bench.scope.intents) {
    for (const artifact of requestedBy(bench, intent, shelf)) {
      requested.add(artifact);
      judgeSources(bench, intent, artifact);
    }
  }
  for (const artifact of states) {
    const from = bench.notices.length;
    if (requested.has(artifact)) judgeDelivered(bench, artifact);
    const reason = before.get(artifact) ?? bench.notices[from]?.code;
    if (requested.has(artifact) && before.get(artifact) === undefined && stands(artifact)) {
      bench.valid = true;
    }
    link(bench, artifact, reason);
  }
  judgeCredit(bench, standing);
}

/** Artifacts of a task by type: the newest that stand, and all. */
interface Shelf {
  readonly newest: ReadonlyMap<string | undefined, readonly ArtifactState[]>;
  readonly gone: ReadonlyMap<string | undefined, readonly ArtifactState[]>;
}

/** The artifacts that satisfy an intent's request, and a notice for each type that has none. */
function requestedBy(bench: Bench, intent: TurnEvent, shelf: Shelf): ArtifactState[] {
  const expected = new Set(intent.attributes.expected_artifact_types ?? []);
  // An intent that names no type asks for whatever its task made.
  if (expected.size === 0) return [...shelf.newest.values()].flat();
  const requested: ArtifactState[] = [];
  for (const type of expected) {
    const newest = shelf.newest.get(type);
    if (newest !== undefined) {
      requested.push(...newest);
      continue;
    }
    const gone = shelf.gone.get(type) ?? [];
    const evidence = [intent, ...gone.flatMap((artifact) => artifact.latest)];
    bench.notices.push({ code: "artifact_missing", subject: type, evidence, absence: true });
    if (gone.length > 0) continue;
    const reason = "artifact_missing";
    bench.links.push({ link: "artifact", name: type, state: "missing", reason, evidence: [] });
  }
  return requested;
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

/** Of each type the artifacts that nothing shows to be older than another one of it. */
function newestByType(
  standing: readonly ArtifactState[],
): Map<string | undefined, readonly ArtifactState[]> {
  const newest = new Map<string | undefined, readonly ArtifactState[]>();
  for (const [type, artifacts] of byTypeOf(standing)) {
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
  const refs = [...(event.input_refs ?? []), ...(event.output_refs ?? [])];
  const denied = refs.some((ref) => ref.ownership_verified === false);
  if (denied || event.attributes.ownership_verified === false) {
    note("artifact_ownership_unverified");
    bench.bad = true;
  }
  const sources = event.input_refs ?? [];
  const unsourced = sources.length === 0 && event.attributes.source_independent !== true;
  if (unsourced || sources.some((source) => source.provenance_status === "missing")) {
    note("artifact_provenance_invalid");
  }
  judgeProducer(bench, event, subject);
  if (!hasOwnIdentity(event)) note("artifact_identity_derived");
}

/** Every authoritative source of the intent must be among the artifact's, in its version. */
function judgeSources(bench: Bench, intent: TurnEvent, artifact: ArtifactState): void {
  for (const wanted of intent.input_refs ?? []) {
    if (wanted.role !== authoritativeRole) continue;
    for (const event of artifact.latest) {
      const sources = event.input_refs ?? [];
      if (sources.some((source) => isSame(source, wanted))) continue;
      const mismatch = sources.some((source) => isRival(source, wanted));
      const code = mismatch ? "artifact_source_mismatch" : "artifact_source_missing";
      const evidence = [intent, event];
      bench.notices.push({ code, subject: artifact.type, evidence, absence: !mismatch });
    }
  }
}

function isSame(source: ResourceRef, wanted: ResourceRef): boolean {
  return (
    source.ref === wanted.ref &&
    source.version === wanted.version &&
    source.resource_type === wanted.resource_type
  );
}

/** In the place of the wanted source: the same resource, or one that plays its part. */
function isRival(source: ResourceRef, wanted: ResourceRef): boolean {
  if (source.ref === wanted.ref) return true;
  const plays = source.role === undefined || source.role === authoritativeRole;
  return plays && source.resource_type === wanted.resource_type;
}

/** The latest delivery that names the artifact must name its version and be acknowledged. */
function judgeDelivered(bench: Bench, artifact: ArtifactState): void {
  const { type: subject, ref, latest } = artifact;
  const note = (code: FindingCode, evidence: readonly TurnEvent[], absence: boolean): void => {
    bench.notices.push({ code, subject, evidence, absence });
  };
  if (bench.scope.deliveries.length === 0) return;
  if (ref === undefined) return note("delivery_artifact_unnamed", latest, true);
  const named = new Set(latest.map((event) => refOf(event)?.resource_type));
  const names = (delivery: TurnEvent): readonly ResourceRef[] =>
    (delivery.input_refs ?? []).filter(
      (input) => input.ref === ref && named.has(input.resource_type),
    );
  const naming = bench.index.byRef.get(ref)?.filter((delivery) => names(delivery).length > 0) ?? [];
  if (naming.length === 0) return note("delivery_artifact_unnamed", latest, true);
  const candidates = candidatesOf(naming);
  const cover = covering(bench, candidates, latest);
  if (cover.latest.length === 0) {
    return note("delivery_precedes_evidence", [...latest, ...candidates.latest], true);
  }
  const versions = new Set(latest.map(versionOf));
  if (versions.has(undefined)) note("artifact_version_unknown", latest, false);
  for (const delivery of cover.latest) {
    const delivered = names(delivery).map((input) => input.version);
    const matches = [...versions].every((version) => delivered.includes(version));
    if (!matches) note("delivery_version_mismatch", [...latest, delivery], false);
    noteDelivery(bench, delivery);
  }
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

/** The one decision that costs money. */
const chargedDecision = "charged";

/** A charge must follow the first verified persistence of what it was for. */
function judgeCredit(bench: Bench, standing: readonly ArtifactState[]): void {
  const charges = bench.scope.actions.filter(
    (action) => action.phase !== "start" && action.attributes.credit_decision === chargedDecision,
  );
  if (charges.length === 0) return;
  const expects = bench.scope.intents.some(
    (intent) => (intent.attributes.expected_artifact_types?.length ?? 0) > 0,
  );
  if (!expects && bench.scope.artifacts.length === 0) return;
  const firsts = standing.map((artifact) =>
    firstPersisted([...artifact.older, ...artifact.latest]),
  );
  // All of them were persisted once the last of the first persistences had happened.
  const bar = firsts.every((event) => event !== undefined) ? statesOf(firsts).latest : [];
  const paid = new Set(bar.length === 0 ? [] : followers(charges, bar));
  for (const charge of charges) {
    if (paid.has(charge)) noteConflicts(bench, bar, [charge]);
    else bench.notices.push({ code: "credit_before_persistence", evidence: [charge] });
  }
}

function firstPersisted(events: readonly TurnEvent[]): TurnEvent | undefined {
  let first: TurnEvent | undefined;
  for (const event of events) {
    if (!isPersisted(event)) continue;
    if (first === undefined || compareOrder(event, first) < 0) first = event;
  }
  return first;
}
