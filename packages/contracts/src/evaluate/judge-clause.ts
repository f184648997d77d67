/** @module JudgeClause: the judge of each clause by its name. */
import type { Clause } from "../language/clauses.ts";
import {
  judgeCost,
  judgeDepth,
  judgeDuration,
  judgeFallbacks,
  judgeRetries,
  judgeTokens,
} from "./judge-budgets.ts";
import { judgeArguments, judgeCalls, judgeEachCall, judgeTools } from "./judge-calls.ts";
import {
  judgeBinding,
  judgeCache,
  judgeMemory,
  judgeOwnership,
  judgeProvenance,
} from "./judge-context.ts";
import {
  judgeEnded,
  judgeNoErrors,
  judgeStatus,
  judgeToolsClean,
  judgeVerdict,
} from "./judge-ending.ts";
import { judgeOrder } from "./judge-order.ts";
import { judgeModel, judgeRelease, judgeServices } from "./judge-pins.ts";
import {
  judgeArtifact,
  judgeDelivery,
  judgeOutcome,
  judgeOutput,
  judgeScore,
  judgeStages,
} from "./judge-results.ts";
import { judgeStatistic } from "./judge-statistic.ts";
import { judgeTrajectory } from "./judge-trajectory.ts";
import type { ClauseJudgement } from "./judgement.ts";
import type { TurnFacts } from "./turn-facts.ts";

/** Judges one clause over the facts of a turn. */
export function judgeClause(clause: Clause, facts: TurnFacts): ClauseJudgement {
  switch (clause.clause) {
    case "ended":
      return judgeEnded(facts);
    case "status":
      return judgeStatus(clause, facts);
    case "verdict":
      return judgeVerdict(clause, facts);
    case "no_errors":
      return judgeNoErrors(clause, facts);
    case "tools_clean":
      return judgeToolsClean(clause, facts);
    case "duration":
      return judgeDuration(clause, facts);
    case "tokens":
      return judgeTokens(clause, facts);
    case "cost":
      return judgeCost(clause, facts);
    case "retries":
      return judgeRetries(clause, facts);
    case "fallbacks":
      return judgeFallbacks(clause, facts);
    case "depth":
      return judgeDepth(clause, facts);
    case "calls":
      return judgeCalls(clause, facts);
    case "tools":
      return judgeTools(clause, facts);
    case "arguments":
      return judgeArguments(clause, facts);
    case "each_call":
      return judgeEachCall(clause, facts);
    case "statistic":
      return judgeStatistic(clause, facts);
    case "order":
      return judgeOrder(clause, facts);
    case "trajectory":
      return judgeTrajectory(clause, facts);
    case "model":
      return judgeModel(clause, facts);
    case "release":
      return judgeRelease(clause, facts);
    case "services":
      return judgeServices(clause, facts);
    case "memory":
      return judgeMemory(clause, facts);
    case "cache":
      return judgeCache(clause, facts);
    case "ownership":
      return judgeOwnership(facts);
    case "provenance":
      return judgeProvenance(facts);
    case "context":
      return judgeBinding(clause, facts);
    case "stages":
      return judgeStages(clause, facts);
    case "artifact":
      return judgeArtifact(clause, facts);
    case "delivery":
      return judgeDelivery(clause, facts);
    case "output":
      return judgeOutput(clause, facts);
    case "outcome":
      return judgeOutcome(clause, facts);
    case "score":
      return judgeScore(clause, facts);
  }
}
