/** @module JudgeCondition: whether a contract or a clause applies to a turn. */
import type { Condition } from "../language/clauses.ts";
import { judgeStatus } from "./judge-ending.ts";
import { find, named } from "./matching.ts";
import { allOf, known, within } from "./three-values.ts";
import type { Outcome } from "./three-values.ts";
import type { TurnFacts } from "./turn-facts.ts";

/** Whether the condition is met; unknown where a part of what it reads may be missing. */
export function judgeCondition(condition: Condition | undefined, facts: TurnFacts): Outcome {
  if (condition === undefined) return "holds";
  const { agent, application, release, environment, profile, intent, calls, status } = condition;
  const first = facts.events[0];
  const some = (
    wanted: string | readonly string[] | undefined,
    name: "service_version" | "deployment_environment" | "coverage_profile" | "intent_name",
  ): Outcome => {
    if (wanted === undefined) return "holds";
    const met = facts.events.some(({ attributes }) => {
      const value = attributes[name];
      return value !== undefined && named(wanted, value) === true;
    });
    return met ? "holds" : facts.closed ? "violated" : "not_established";
  };
  return allOf([
    known(named(agent, first?.agent_id)),
    application === undefined ? "holds" : applicationOf(application, facts),
    some(release, "service_version"),
    some(environment, "deployment_environment"),
    some(profile, "coverage_profile"),
    some(intent, "intent_name"),
    calls === undefined ? "holds" : within(find(calls, facts).range, { at_least: 1 }),
    status === undefined ? "holds" : judgeStatus({ clause: "status", is: status }, facts).result,
  ]);
}

/** The turn's own application; a part of a turn may be another service's. */
function applicationOf(wanted: string | readonly string[], facts: TurnFacts): Outcome {
  const { end } = facts;
  if (end?.application_id !== undefined) return known(named(wanted, end.application_id));
  const names = new Set(facts.events.flatMap(({ application_id: id }) => id ?? []));
  const [only] = names;
  return names.size === 1 && facts.whole ? known(named(wanted, only)) : "not_established";
}
