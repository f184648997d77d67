/**
 * @module Negatives: Reconciliation 4. An explicit failure of ownership, or provenance that is
 * missing or failed, blocks wherever the judged scope says it, until an explicit positive about the
 * same subject supersedes it, made before the delivery or followed by a fresh one.
 */
import { either, failed, partial, unsettled } from "./law.ts";
import type { Objection, Scope } from "./law.ts";
import { latest } from "./order.ts";
import type { Clocks } from "./order.ts";
import { attr, ofKind, refs, text } from "./reading.ts";
import type { Json, Ref } from "./reading.ts";

/** One statement about a subject: what it says, and where. */
interface Statement {
  readonly subject: string;
  readonly about: "ownership" | "provenance";
  readonly good: boolean;
  readonly event: Json;
}

const badProvenance = new Set(["missing", "failed"]);

/** What blocks the task. */
export function negatives(scope: Scope): Objection[] {
  const statements = scope.turn.flatMap((event) => statementsOf(event));
  const deliveries = ofKind(scope.own, "delivery");
  const found: Objection[] = [];
  const asked = statements.filter(({ event }) => concerns(event, scope));
  for (const negative of asked.filter(({ good }) => !good)) {
    const same = statements.filter(
      (one) => one.subject === negative.subject && one.about === negative.about,
    );
    const state = stateOf(same, deliveries, scope.clocks);
    if (state === "superseded") continue;
    if (state === "unsettled") found.push(unsettled("negative"));
    else found.push(negative.about === "ownership" ? failed("negative") : partial("negative"));
    // What the positive that came too late changes is absence, not badness.
    if (state === "late") found.push(either("negative"));
  }
  return found;
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
): "standing" | "superseded" | "late" | "unsettled" {
  const events = statements.map(({ event }) => event);
  const last = latest([...new Set(events)], clocks);
  const standing = statements.filter(({ event }) => last.includes(event));
  if (standing.some(({ good }) => !good)) return "standing";
  // The positive was made before the latest delivery of the task, else nothing fresh followed it.
  const covered = latest(deliveries, clocks).some((delivery) =>
    last.every((event) => event === delivery || clocks.compare(event, delivery) <= 0),
  );
  return covered ? "superseded" : "late";
}

function statementsOf(event: Json): Statement[] {
  const kind = String(event["event_kind"]);
  const found: Statement[] = [];
  const say = (subject: string, about: Statement["about"], good: boolean): void => {
    found.push({ subject, about, good, event });
  };
  const owned = attr(event, "ownership_verified");
  if (typeof owned === "boolean") say(ownSubject(event), "ownership", owned);
  if (!["intent", "artifact", "delivery", "application_action", "context_binding"].includes(kind)) {
    return [];
  }
  for (const ref of [...refs(event, "input_refs"), ...refs(event, "output_refs")]) {
    const subject = subjectOf(ref);
    if (ref.ownership_verified !== undefined) say(subject, "ownership", ref.ownership_verified);
    if (ref.provenance_status === "verified") say(subject, "provenance", true);
    if (badProvenance.has(ref.provenance_status ?? "")) say(subject, "provenance", false);
  }
  return found;
}

const subjectOf = (ref: Ref): string => `${ref.resource_type} ${ref.ref} ${ref.version}`;

/** What an event that speaks of ownership without a reference speaks of. */
function ownSubject(event: Json): string {
  const made = refs(event, "output_refs")[0];
  if (event["event_kind"] === "artifact" && made !== undefined) return subjectOf(made);
  if (event["event_kind"] === "context_binding") return "binding";
  return `the ${String(event["event_kind"])} ${text(event, "span_id") ?? String(event["event_id"])}`;
}
