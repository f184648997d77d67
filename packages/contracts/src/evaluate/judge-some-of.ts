/** @module JudgeSomeOf: clauses of which a part may fail. */
import type { ClauseOf, SingleClause } from "../language/clauses.ts";
import { judgeCondition } from "./judge-condition.ts";
import { counted } from "./judgement.ts";
import type { ClauseJudgement } from "./judgement.ts";
import { implies, within } from "./three-values.ts";
import type { TurnFacts } from "./turn-facts.ts";

/** Judges one of the clauses. */
type Judge = (clause: SingleClause, facts: TurnFacts) => ClauseJudgement;

/** A clause that is not established may hold or not: the number of those that hold is a range. */
export function judgeSomeOf(
  clause: ClauseOf<"some_of">,
  facts: TurnFacts,
  judge: Judge,
): ClauseJudgement {
  const parts = clause.expect.map((part) => {
    const own = judge(part, facts);
    const condition = part.when === undefined ? "holds" : judgeCondition(part.when, facts);
    return { ...own, result: implies(condition, own.result), name: part.id ?? part.clause };
  });
  const low = parts.filter(({ result }) => result === "holds").length;
  const open = parts.filter(({ result }) => result === "not_established").length;
  const share = clause.at_least_share;
  // A share is met as a number of clauses, so that no rounding decides.
  const least = clause.at_least ?? parts.findIndex((_, at) => at / parts.length >= (share ?? 0));
  const needed = least === -1 ? parts.length : least;
  const result = within({ low, high: low + open }, { at_least: needed });
  const some = open === 0 ? "" : `, ${open} not established`;
  const wanted = share === undefined ? `${needed}` : `${needed} (a share of ${share})`;
  const others = parts.filter((part) => part.result !== "holds");
  const why = result === "holds" ? [] : others.map(({ name, sentence }) => `${name}: ${sentence}`);
  const holding = `${low} of ${counted(parts.length, "clause")} ${low === 1 ? "holds" : "hold"}`;
  const deciding = result === "holds" ? parts.filter((part) => part.result === "holds") : others;
  return {
    result,
    evidence: [...new Set(deciding.flatMap(({ evidence }) => evidence))],
    sentence: [`${holding}${some}; the contract requires at least ${wanted}.`, ...why].join(" "),
  };
}
