/**
 * @module DeliveryRules: Reconciliation 3: what was delivered, after what, and who acknowledged it.
 */
import {
  artifactStates,
  contractStates,
  contradictions,
  isDerived,
  typeOf,
  versionsOf,
} from "./evidence-rules.ts";
import { either, failed, partial, unsettled } from "./law.ts";
import type { Objection, Scope } from "./law.ts";
import { latest } from "./order.ts";
import { attr, ofKind, refs, sameResource, sameVersion } from "./reading.ts";
import type { Json } from "./reading.ts";

/** What the deliveries of the task leave open. */
export function deliveries(scope: Scope): Objection[] {
  const all = ofKind(scope.own, "delivery");
  const last = latest(all, scope.clocks);
  if (last.length === 0) return [partial("delivery")];
  const found = last.flatMap(arrival);
  found.push(...contradictions(all, scope, deliveryState));
  // An intent that is recorded after its delivery does not cover it.
  for (const delivery of last) found.push(...follows(delivery, scope.intent, scope, "late_intent"));
  for (const states of artifactStates(scope)) found.push(...ofArtifact(states, all, scope));
  for (const records of contractStates(scope)) found.push(...ofContract(records, all, scope));
  for (const name of new Set(all.map((one) => attr(one, "contract_name")))) {
    if (name === undefined) continue;
    const known = contractStates(scope).some((one) => attr(one[0] ?? {}, "contract_name") === name);
    if (!known) found.push(partial("delivery"));
  }
  return found;
}

function deliveryState(event: Json): string {
  return arrival(event).length === 0 ? "good" : "bad";
}

/** Emitted and acknowledged; recorded by the delivery itself, with an identity of its own. */
function arrival(delivery: Json): Objection[] {
  const found: Objection[] = [];
  const [emitted, acknowledged] = [attr(delivery, "emitted"), attr(delivery, "acknowledged")];
  if (emitted === false || acknowledged === false) found.push(failed("delivery"));
  if (emitted !== true || acknowledged !== true) found.push(partial("delivery"));
  if (isDerived(delivery)) found.push(partial("delivery"));
  return found;
}

/** The latest delivery of the artifact names the version that stands, and follows it. */
function ofArtifact(states: readonly Json[], all: readonly Json[], scope: Scope): Objection[] {
  if (states.some((event) => attr(event, "artifact_status") === "deleted")) return [];
  // A delivery is wanted of what was requested; an intent that names no type requests everything.
  const expected = attr(scope.intent, "expected_artifact_types") as string[] | undefined;
  const requested = states.some((event) => expected?.includes(typeOf(event)) === true);
  if (!requested && (expected?.length ?? 0) > 0) return [];
  const found: Objection[] = [];
  for (const made of versionsOf(states)) {
    const naming = all.filter((one) =>
      refs(one, "input_refs").some((ref) => sameResource(ref, made)),
    );
    const last = latest(naming, scope.clocks);
    if (last.length === 0) found.push(partial("delivery"));
    for (const delivery of last) {
      // What was refused before the state that stands does not count: it is absent, not bad.
      if (!precedes(delivery, states, scope)) found.push(...arrival(delivery));
      if (!refs(delivery, "input_refs").some((ref) => sameVersion(ref, made))) {
        found.push(partial("delivery"));
      }
      found.push(...follows(delivery, scope.intent, scope, "late_intent"));
      for (const state of states) found.push(...follows(delivery, state, scope, "delivery"));
    }
  }
  return found;
}

/** The latest delivery that may carry the contract follows its record. */
function ofContract(records: readonly Json[], all: readonly Json[], scope: Scope): Objection[] {
  const name = attr(records[0] ?? {}, "contract_name");
  const required = (attr(scope.intent, "required_contracts") as string[] | undefined) ?? [];
  const named = all.filter((one) => attr(one, "contract_name") === name);
  const needed =
    required.includes(String(name)) ||
    records.some((record) => attr(record, "required") === true) ||
    named.length > 0;
  if (!needed && records.every((record) => attr(record, "required") === false)) return [];
  const unnamed = all.filter((one) => attr(one, "contract_name") === undefined);
  const last = latest(named.length > 0 ? named : unnamed, scope.clocks);
  if (last.length === 0) return [partial("delivery")];
  const found = last.flatMap((delivery) => [
    ...(precedes(delivery, records, scope) ? [] : arrivalOf(name, delivery)),
    ...(required.includes(String(name))
      ? follows(delivery, scope.intent, scope, "late_intent")
      : []),
    ...records.flatMap((record) => follows(delivery, record, scope, "delivery")),
  ]);
  // A later one without a name may have carried it again: it may spoil, and it repairs nothing.
  const later = latest(unnamed, scope.clocks).filter(
    (one) => named.length > 0 && last.some((other) => scope.clocks.compare(one, other) >= 0),
  );
  found.push(...later.flatMap((delivery) => arrivalOf(name, delivery)));
  // The law has no rule here for a contract that is neither required nor optional.
  return needed ? found : found.map(() => unsettled("delivery"));
}

/** A refusal that does not name the contract need not be its own. */
function arrivalOf(name: unknown, delivery: Json): Objection[] {
  const found = arrival(delivery);
  return attr(delivery, "contract_name") === name ? found : found.map(({ rule }) => either(rule));
}

function precedes(delivery: Json, states: readonly Json[], { clocks }: Scope): boolean {
  return states.some((state) => clocks.compare(delivery, state) < 0);
}

/** The delivery is at or after what it rests on, and no clock contradicts that. */
function follows(
  delivery: Json,
  basis: Json,
  { clocks }: Scope,
  rule: "delivery" | "late_intent",
): Objection[] {
  if (clocks.compare(delivery, basis) < 0) return [partial(rule)];
  return clocks.receiptConflict(basis, delivery) ? [partial("clock_conflict")] : [];
}
