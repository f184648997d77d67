/**
 * @module TurnRules: the turn itself, outcomes, coverage stages, actions and losses (evidence:
 * Reconcile).
 */
import { either, failed, partial, unsettled } from "./law.ts";
import type { Objection, Scope } from "./law.ts";
import { contradictions } from "./evidence-rules.ts";
import { directCauses, latest, sameProducer } from "./order.ts";
import { attr, instant, ofKind, refs, sameResource, text } from "./reading.ts";
import type { Json } from "./reading.ts";

/** A turn that ended in error is no success; one that did not end is not finished. */
export function turnEnd(scope: Scope): Objection[] {
  const events = ofKind(scope.turn, "turn");
  const spans = [...new Set(events.map((event) => event["span_id"]))];
  const attempts = spans
    .map((span) => events.filter((event) => event["span_id"] === span))
    .filter((attempt) => !isNested(attempt, spans, scope.turn));
  const ends = attempts.flatMap((attempt) => attempt.filter((one) => one["phase"] === "result"));
  const last = latest(ends, scope.clocks);
  const found: Objection[] = [];
  // A later attempt that ended supersedes an earlier one; a later one is one that began later.
  const isLater = (one: readonly Json[], other: readonly Json[]): boolean =>
    one.every((event) => other.some((start) => scope.clocks.compare(event, start) > 0));
  const isEnded = (attempt: readonly Json[]): boolean =>
    attempt.some((one) => one["phase"] === "result");
  for (const attempt of attempts) {
    if (isEnded(attempt)) continue;
    const later = attempts.some((one) => isEnded(one) && isLater(one, attempt));
    if (!later) found.push(partial("unfinished"));
  }
  for (const end of last) if (end["status"] === "error") found.push(either("turn_error"));
  if (last.every((end) => end["status"] !== "error")) {
    // Which of two attempts is the later one, where one began earlier and ended later?
    const crossed = ends.some(
      (end) => end["status"] === "error" && last.some((one) => !beganAfter(one, end, scope)),
    );
    if (crossed) found.push(unsettled("turn_error"));
  }
  return found;
}

/** A turn span below another one of the same turn is nested and does not count. */
function isNested(
  attempt: readonly Json[],
  spans: readonly unknown[],
  turn: readonly Json[],
): boolean {
  const seen = new Set<Json>();
  let below = false;
  const open = turn.filter(
    (one) => one["span_id"] !== undefined && one["span_id"] === attempt[0]?.["span_id"],
  );
  for (let event = open.pop(); event !== undefined; event = open.pop()) {
    for (const parent of turn.filter((one) => one["span_id"] === event["parent_span_id"])) {
      if (seen.has(parent) || parent["span_id"] === undefined) continue;
      seen.add(parent);
      const own = parent["span_id"] === attempt[0]?.["span_id"];
      // What stands above itself is nested in nothing: a circle hides no failure.
      if (own) return false;
      below ||= spans.includes(parent["span_id"]);
      open.push(parent);
    }
  }
  return below;
}

/** True where the attempt of the first end began after that of the other. */
function beganAfter(end: Json, other: Json, scope: Scope): boolean {
  const start = ({ span_id: span }: Json): Json | undefined =>
    ofKind(scope.turn, "turn").find((one) => one["span_id"] === span && one["phase"] === "start");
  const [own, theirs] = [start(end), start(other)];
  // A producer's numbers decide which start came first, not their times.
  if (own !== undefined && theirs !== undefined) return scope.clocks.compare(own, theirs) > 0;
  return began(end, scope) > began(other, scope);
}

/** When an event began; a result without its start began at the latest when it ended. */
function begin(event: Json, scope: Scope): number {
  return (
    (instant(event, "started_at") ?? instant(event, "timestamp") ?? 0) - scope.clocks.ahead(event)
  );
}

/**
 * When a cause began: its span by the first of its events, unknown where only its end is recorded.
 */
function began(cause: Json, scope: Scope): number {
  if (cause["span_id"] === undefined) return begin(cause, scope);
  const span = scope.all.filter(
    (event) =>
      event["span_id"] === cause["span_id"] &&
      event["root_trace_id"] === cause["root_trace_id"] &&
      (event["phase"] !== "result" || event["started_at"] !== undefined),
  );
  return Math.min(Infinity, ...span.map((event) => begin(event, scope)));
}

/** The latest verified outcome per (task, source, external id): a failure is a failure. */
export function outcomes(scope: Scope): Objection[] {
  const label = text(scope.intent, "task_id");
  const concerned = (event: Json): boolean =>
    event["task_id"] === undefined || event["task_id"] === label;
  return failedOutcomes(ofKind(scope.turn, "outcome").filter(concerned), scope);
}

/** Outcomes of the labels that no intent of the turn has. */
export function strayOutcomes(turn: readonly Json[], scope: Pick<Scope, "clocks">): Objection[] {
  const labels = new Set(ofKind(turn, "intent").map((intent) => intent["task_id"]));
  const stray = (event: Json): boolean =>
    event["task_id"] !== undefined && !labels.has(event["task_id"]);
  return failedOutcomes(ofKind(turn, "outcome").filter(stray), scope);
}

function failedOutcomes(events: readonly Json[], scope: Pick<Scope, "clocks">): Objection[] {
  const verified = events.filter((event) => attr(event, "verified") === true);
  const subject = (event: Json): string =>
    JSON.stringify([event["task_id"], attr(event, "source"), event["external_id"]]);
  const found: Objection[] = [];
  for (const name of new Set(verified.map(subject))) {
    const states = verified.filter((event) => subject(event) === name);
    const last = latest(states, scope.clocks);
    if (last.some((event) => outcomeState(event) === "bad")) found.push(failed("outcome"));
    if (last.some((event) => outcomeState(event) === "between")) found.push(partial("outcome"));
    const isGood = (event: Json): string => String(outcomeState(event) === "good");
    found.push(...contradictions(states, scope, isGood));
  }
  return found;
}

/** The words of failure and of something in between that the mutations use. */
function outcomeState(event: Json): "good" | "bad" | "between" {
  const word = String(attr(event, "outcome"));
  if (["failure", "declined", "timeout"].includes(word)) return "bad";
  return word === "partial" || event["status"] === "partial" ? "between" : "good";
}

const profiles: { readonly [name: string]: readonly string[] } = {
  chat_response: ["model_call"],
  content_ingestion: ["context_binding", "tool_call"],
  content_derived_artifact: ["intent", "memory_supply", "artifact", "delivery"],
  interactive_response: ["model_call", "contract", "delivery"],
};

/** Reconciliation 9: the declared stages are there, the outcome alone may be missing. */
export function stages(scope: Scope): Objection[] {
  const profile = attr(scope.intent, "coverage_profile");
  if (typeof profile !== "string") return [];
  const wanted = profiles[profile];
  if (wanted === undefined) return [partial("stage")];
  return wanted.flatMap((stage) => {
    const there = ofKind(scope.turn, stage).filter(
      (event) =>
        (event["task_id"] === undefined || scope.own.includes(event)) &&
        (!["model_call", "tool_call"].includes(stage) || event["phase"] === "result"),
    );
    if (there.length === 0) return [partial("stage")];
    // A failed model call never satisfies a stage (requirements: Reconciliation 4).
    const good = stage !== "model_call" || there.some((event) => event["status"] === "success");
    return good ? [] : [partial("failed_stage")];
  });
}

/** A charge before the persistence, and a worker that lost its context. */
export function actions(scope: Scope): Objection[] {
  const found: Objection[] = [];
  const charges = scope.own.filter(
    (event) => attr(event, "credit_decision") === "charged" && !hasResult(event, scope),
  );
  for (const charge of charges) {
    for (const artifact of ofKind(scope.own, "artifact")) {
      if (attr(artifact, "persistence_verified") !== true) continue;
      if (wasPersistedBefore(artifact, charge, scope)) continue;
      // No sentence decides whether a start that never ended charged.
      found.push(charge["phase"] === "start" ? unsettled("action") : partial("action"));
    }
  }
  if (scope.turn.some((event) => attr(event, "context_missing") === true)) {
    found.push(partial("action"));
  }
  return found;
}

/** Some version of the resource was verified before or at that event. */
function wasPersistedBefore(artifact: Json, charge: Json, scope: Scope): boolean {
  const [made] = refs(artifact, "output_refs");
  return ofKind(scope.own, "artifact").some(
    (one) =>
      attr(one, "persistence_verified") === true &&
      (one === artifact ||
        (made !== undefined && refs(one, "output_refs").some((ref) => sameResource(ref, made)))) &&
      scope.clocks.compare(charge, one) >= 0,
  );
}

/** A result stands for its start as well (vocabulary: Event kinds). */
function hasResult(event: Json, { turn }: Scope): boolean {
  return (
    event["phase"] === "start" &&
    turn.some((one) => one["span_id"] === event["span_id"] && one["phase"] === "result")
  );
}

/** A side effect of a task without an intent; of the requested task, where there is one. */
export function orphanActions(turn: readonly Json[], taskId: string | null): Objection[] {
  const labels = ofKind(turn, "intent").map((intent) => intent["task_id"]);
  const orphans = ofKind(turn, "application_action").filter(
    (event) =>
      attr(event, "side_effect") === true &&
      (taskId === null || event["task_id"] === taskId) &&
      (event["task_id"] === undefined ? labels.length !== 1 : !labels.includes(event["task_id"])),
  );
  return orphans.map(() => partial("action"));
}

/** An effect that starts more than the bridged skew before its cause's start. */
export function causality(scope: Scope): Objection[] {
  const deciding = ofKind(scope.own, "intent", "artifact", "contract", "delivery");
  return deciding.flatMap((effect) =>
    directCauses(effect, scope.all)
      .filter((cause) => {
        const start = began(cause, scope);
        return Number.isFinite(start) && begin(effect, scope) < start - 500;
      })
      .map(() => partial("clock_conflict")),
  );
}

/** What was lost blocks the turns that were open while it was lost (evidence: Loss accounting). */
export function losses(scope: Scope): Objection[] {
  const reports = ofKind(scope.all, "data_quality");
  // A report is of a process; the turn that it stands in need not have begun.
  const times = scope.turn
    .filter((event) => event["event_kind"] !== "data_quality")
    .map((event) => scope.clocks.time(event));
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const isDirty = (event: Json): boolean =>
    ["loss_dropped", "sampled_out", "write_failures"].some(
      (name) => Number(attr(event, name) ?? 0) > 0,
    );
  return reports.filter(isDirty).flatMap((report): Objection[] => {
    const clean = reports.filter(
      (other) =>
        !isDirty(other) && sameProducer(other, report) && scope.clocks.compare(other, report) < 0,
    );
    const since = Math.max(-Infinity, ...clean.map((other) => scope.clocks.time(other)));
    const until = scope.clocks.time(report);
    if (to < since || from > until) return [];
    // A turn that touches the interval in one instant alone is open and not open.
    return to === since || from === until ? [unsettled("loss")] : [either("loss")];
  });
}
