/**
 * @module Negatives: Reconciliation 4. An explicit failure of ownership, or provenance that is
 * missing or failed, blocks wherever the judged scope holds it, until an explicit positive about
 * the same subject supersedes it, made before the delivery or followed by a fresh one.
 */
import { artifactStates, contractStates, isOrdered } from "./evidence-rules.ts";
import { either, failed, partial } from "./law.ts";
import type { Objection, Scope } from "./law.ts";
import { latest } from "./order.ts";
import type { Clocks } from "./order.ts";
import { attr, ofKind, refs, sameResource, text } from "./reading.ts";
import type { Json, Ref } from "./reading.ts";

/** One statement about a subject: its value, and where it stands. */
interface Statement {
  readonly subject: string;
  readonly about: "ownership" | "provenance";
  readonly good: boolean;
  readonly event: Json;
}

/** What the turn did and was given. */
const runtime = ["turn", "model_call", "tool_call", "memory_supply"];
const claimKinds = new Set([
  ...runtime,
  "intent",
  "artifact",
  "contract",
  "delivery",
  "application_action",
  "context_binding",
]);

const badProvenance = new Set(["missing", "failed"]);

/** What blocks the task. */
export function negatives(scope: Scope): Objection[] {
  const statements = scope.turn.flatMap((event) => statementsOf(event));
  const subjects = judgedSubjects(scope);
  const deliveries = ofKind(scope.own, "delivery");
  const found: Objection[] = [];
  const requested = statements.filter(
    ({ event, subject }) => subjects.has(subject) && concerns(event, scope),
  );
  for (const negative of requested.filter(({ good }) => !good)) {
    const same = statements.filter(
      (one) => one.subject === negative.subject && one.about === negative.about,
    );
    const state = stateOf(same, deliveries, scope.clocks);
    if (state === "superseded") continue;
    found.push(negative.about === "ownership" ? failed("negative") : partial("negative"));
    // What the positive that came too late changes is absence, not badness.
    if (state === "late") found.push(either("negative"));
  }
  return found;
}

/**
 * Basis of the verdict: the turn's binding, the intent's sources, the artifacts that stand with
 * their sources and producing actions, the deliveries with what they name. A version that another
 * one superseded is none of it (Reconciliation 2).
 */
function judgedSubjects(scope: Scope): ReadonlySet<string> {
  const standing = artifactStates(scope).flat();
  const producing = new Set(standing.map((event) => attr(event, "producing_span_id")));
  const actions = ofKind(scope.turn, "application_action").filter((event) =>
    producing.has(event["span_id"]),
  );
  const calls = ofKind(scope.turn, ...runtime);
  const contracts = contractStates(scope).flat();
  const delivered = [standing, contracts].flatMap((made) => deliveredOf(made, scope));
  delivered.push(...latest(ofKind(scope.own, "delivery"), scope.clocks));
  const events = [scope.intent, ...standing, ...contracts, ...actions, ...calls, ...delivered];
  const refsOf = (event: Json): Ref[] => [
    ...refs(event, "input_refs"),
    ...refs(event, "output_refs"),
  ];
  return new Set(["binding", ...events.map(ownSubject), ...events.flatMap(refsOf).map(subjectOf)]);
}

/** The latest deliveries of each artifact and of each contract that stands. */
function deliveredOf(made: readonly Json[], scope: Scope): Json[] {
  return made.flatMap((event) => {
    const [ref] = refs(event, "output_refs");
    const name = attr(event, "contract_name");
    const naming = ofKind(scope.own, "delivery").filter((delivery) =>
      event["event_kind"] === "artifact"
        ? ref !== undefined && refs(delivery, "input_refs").some((one) => sameResource(one, ref))
        : attr(delivery, "contract_name") === name,
    );
    return [...latest(naming, scope.clocks)];
  });
}

/** A negative without a label blocks every task, a labelled one its own. */
function concerns(event: Json, scope: Scope): boolean {
  const label = text(event, "task_id");
  return label === undefined || label === text(scope.intent, "task_id");
}

function stateOf(
  statements: readonly Statement[],
  deliveries: readonly Json[],
  clocks: Clocks,
): "standing" | "superseded" | "late" {
  const bad = statements.filter(({ good }) => !good);
  const later = statements.filter(
    (one) => one.good && bad.every(({ event }) => clocks.compare(event, one.event) < 0),
  );
  if (later.length === 0) return "standing";
  // Where times and receipts disagree on which word came last, none of them is superseded.
  const positives = later.filter((one) =>
    bad.every(({ event }) => isOrdered(event, one.event, clocks)),
  );
  // A positive was made before the latest delivery of the task, else nothing fresh followed it.
  const last = latest(deliveries, clocks);
  const covered = positives.some(({ event }) =>
    last.some((delivery) => event === delivery || clocks.compare(event, delivery) <= 0),
  );
  return covered ? "superseded" : "late";
}

function statementsOf(event: Json): Statement[] {
  const kind = String(event["event_kind"]);
  const found: Statement[] = [];
  const print = (subject: string, about: Statement["about"], good: boolean): void => {
    found.push({ subject, about, good, event });
  };
  const owned = attr(event, "ownership_verified");
  if (typeof owned === "boolean") {
    const named = refs(event, "input_refs").concat(refs(event, "output_refs")).map(subjectOf);
    // The runtime's value for a turn or a call is about what it names, or the turn's binding.
    const own = named.length > 0 ? named : ["binding"];
    for (const subject of runtime.includes(kind) ? own : [ownSubject(event)])
      print(subject, "ownership", owned);
  }
  if (!claimKinds.has(kind)) return [];
  for (const ref of [...refs(event, "input_refs"), ...refs(event, "output_refs")]) {
    const subject = subjectOf(ref);
    if (ref.ownership_verified !== undefined) print(subject, "ownership", ref.ownership_verified);
    if (ref.provenance_status === "verified") print(subject, "provenance", true);
    if (badProvenance.has(ref.provenance_status ?? "")) print(subject, "provenance", false);
  }
  return found;
}

const subjectOf = (ref: Ref): string => `${ref.resource_type} ${ref.ref} ${ref.version}`;

/** The subject of an event about ownership without a reference. */
function ownSubject(event: Json): string {
  const made = refs(event, "output_refs")[0];
  if (event["event_kind"] === "artifact" && made !== undefined) return subjectOf(made);
  if (event["event_kind"] === "context_binding") return "binding";
  return `the ${String(event["event_kind"])} ${text(event, "span_id") ?? String(event["event_id"])}`;
}
