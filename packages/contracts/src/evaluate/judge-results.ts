/**
 * @module JudgeResults: stages, artifacts, output contracts, deliveries, outcomes and scores. The
 * latest state of each counts, and a later one may be missing, so only the whole decides.
 */
import {
  artifactStates,
  coverageProfiles,
  isDeleted,
  isFailed,
  isFailedOutcome,
  isVerifiedOutcome,
  missingStages,
  statesOf,
} from "@turnproof/evidence";
import type { Stage, TurnEvent } from "@turnproof/evidence";

import type { ClauseOf } from "../language/clauses.ts";
import { matchesName } from "../language/names.ts";
import { limited } from "./judge-budgets.ts";
import { judged, listed } from "./judgement.ts";
import type { ClauseJudgement } from "./judgement.ts";
import { named } from "./matching.ts";
import { allOf, exactly, known } from "./three-values.ts";
import type { Outcome } from "./three-values.ts";
import type { TurnFacts } from "./turn-facts.ts";

const part = "A part of the window may be missing, or the turn has not ended.";

/** The stages of a profile, or of a list. */
export function judgeStages(
  { profile, stages }: ClauseOf<"stages">,
  facts: TurnFacts,
): ClauseJudgement {
  const required: readonly Stage[] | undefined = stages ?? coverageProfiles.get(profile ?? "");
  if (required === undefined) {
    return judged("not_established", "The coverage profile is not registered.");
  }
  const missing = missingStages(facts.events, required);
  if (missing.length === 0) return judged("holds", `Recorded: ${listed(required, "and")}.`);
  const sentence = `Not recorded: ${listed(missing, "and")}.`;
  return judged(facts.closed ? "violated" : "not_established", sentence);
}

/** An artifact of a type stands: the latest record is no failure and no deletion. */
export function judgeArtifact(
  { type, persisted }: ClauseOf<"artifact">,
  facts: TurnFacts,
): ClauseJudgement {
  const states = artifactStates(facts.of("artifact")).filter(
    (state) => state.type !== undefined && matchesName(type, state.type),
  );
  const evidence = states.flatMap(({ latest }) => latest);
  if (!facts.closed) return judged("not_established", part, evidence);
  if (states.length === 0) return judged("violated", `No artifact of type ${type} is recorded.`);
  const results = states.map(({ latest }) =>
    allOf(
      latest.map((event): Outcome => {
        if (isFailed(event) || isDeleted(event)) return "violated";
        return persisted === true ? known(event.attributes.persistence_verified) : "holds";
      }),
    ),
  );
  return judged(bestOf(results), sentenceOf(`An artifact of type ${type}`, results), evidence);
}

/** The latest delivery to each target was sent and confirmed. */
export function judgeDelivery(
  { target, acknowledged }: ClauseOf<"delivery">,
  facts: TurnFacts,
): ClauseJudgement {
  const deliveries = facts
    .of("delivery")
    .filter(({ attributes }) => target === undefined || fits(target, attributes.delivery_target));
  return judgeLatest(facts, deliveries, {
    subject: target === undefined ? "A delivery" : `A delivery to ${target}`,
    key: ({ attributes, task_id: task }) => `${attributes.delivery_target ?? ""} ${task ?? ""}`,
    read: ({ status, attributes: stated }) =>
      allOf([
        status === "error" ? "violated" : "holds",
        known(stated.emitted),
        acknowledged === true ? known(stated.acknowledged ?? undefined) : "holds",
      ]),
  });
}

/** The latest record of an output contract has the required result. */
export function judgeOutput(clause: ClauseOf<"output">, facts: TurnFacts): ClauseJudgement {
  const { name, parser = "success", recovery } = clause;
  const records = facts
    .of("contract")
    .filter(({ attributes }) => fits(name, attributes.contract_name));
  return judgeLatest(facts, records, {
    subject: `Output contract ${name}`,
    key: ({ attributes, task_id: task }) => `${attributes.contract_name ?? ""} ${task ?? ""}`,
    read: ({ attributes: stated }) =>
      allOf([
        known(named(parser, stated.parser_status)),
        recovery === false ? negated(stated.recovery_used) : "holds",
      ]),
  });
}

function negated(flag: boolean | undefined): Outcome {
  return known(flag === undefined ? undefined : !flag);
}

/** The latest verified outcome of each source is no failure. */
export function judgeOutcome({ source }: ClauseOf<"outcome">, facts: TurnFacts): ClauseJudgement {
  const found = facts
    .of("outcome")
    .filter(isVerifiedOutcome)
    .filter(({ attributes }) => source === undefined || fits(source, attributes.source));
  // An outcome is observed later, by others: none so far is no violation.
  if (found.length === 0) return judged("not_established", "No verified outcome is recorded.");
  return judgeLatest(facts, found, {
    subject: "The verified outcome",
    key: ({ attributes, task_id: task }) => `${attributes.source ?? ""} ${task ?? ""}`,
    read: (event) => (isFailedOutcome(event) ? "violated" : "holds"),
  });
}

/** The latest score of an evaluation is within its limits. */
export function judgeScore(clause: ClauseOf<"score">, facts: TurnFacts): ClauseJudgement {
  const scored = facts.events.filter(
    ({ attributes }) =>
      attributes.score !== undefined && fits(clause.name, attributes.evaluation_name),
  );
  if (!facts.closed) return judged("not_established", part, scored);
  const { latest } = statesOf(scored);
  const [first] = latest;
  if (first === undefined) return judged("not_established", `No score ${clause.name} is recorded.`);
  const answers = latest.map((event) =>
    limited(exactly(event.attributes.score ?? 0), clause, `Score ${clause.name} is`, "", [event]),
  );
  const result = allOf(answers.map((answer) => answer.result));
  return answers.find((answer) => answer.result === result) ?? judged(result, "", latest);
}

function fits(pattern: string, name: string | undefined): boolean {
  return name !== undefined && matchesName(pattern, name);
}

interface Latest {
  readonly subject: string;
  readonly key: (event: TurnEvent) => string;
  readonly read: (event: TurnEvent) => Outcome;
}

/** The latest record under each key must meet it, and there must be one. */
function judgeLatest(
  facts: TurnFacts,
  events: readonly TurnEvent[],
  { subject, key, read }: Latest,
): ClauseJudgement {
  if (!facts.closed) return judged("not_established", part, events);
  if (events.length === 0) return judged("violated", `${subject} is not recorded.`);
  const groups = new Map<string, TurnEvent[]>();
  for (const event of events) {
    const name = key(event);
    groups.set(name, [...(groups.get(name) ?? []), event]);
  }
  const latest = [...groups.values()].flatMap((group) => statesOf(group).latest);
  const results = latest.map(read);
  const result = allOf(results);
  const decisive = latest.filter((_, at) => results[at] === result);
  return judged(result, sentenceOf(subject, [result]), decisive);
}

function bestOf(results: readonly Outcome[]): Outcome {
  if (results.includes("holds")) return "holds";
  return results.includes("not_established") ? "not_established" : "violated";
}

function sentenceOf(subject: string, results: readonly Outcome[]): string {
  switch (bestOf(results)) {
    case "holds":
      return `${subject} is recorded as required.`;
    case "violated":
      return `${subject} is recorded, not as required.`;
    default:
      return `${subject} is recorded without what the contract requires.`;
  }
}
