/** @module JudgeClause: the judge of each clause by its name. */
import type { ClauseName, ClauseOf } from "../language/clauses.ts";
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
import { judgeSomeOf } from "./judge-some-of.ts";
import { judgeStatistic } from "./judge-statistic.ts";
import { judgeToolsF1 } from "./judge-tools-f1.ts";
import { judgeTrajectory } from "./judge-trajectory.ts";
import type { ClauseJudgement } from "./judgement.ts";
import type { TurnFacts } from "./turn-facts.ts";

type Judges = {
  readonly [N in ClauseName]: (clause: ClauseOf<N>, facts: TurnFacts) => ClauseJudgement;
};

const judges: Judges = {
  ended: (_, facts) => judgeEnded(facts),
  status: judgeStatus,
  verdict: judgeVerdict,
  no_errors: judgeNoErrors,
  tools_clean: judgeToolsClean,
  duration: judgeDuration,
  tokens: judgeTokens,
  cost: judgeCost,
  retries: judgeRetries,
  fallbacks: judgeFallbacks,
  depth: judgeDepth,
  calls: judgeCalls,
  tools: judgeTools,
  tools_f1: judgeToolsF1,
  arguments: judgeArguments,
  each_call: judgeEachCall,
  statistic: judgeStatistic,
  order: judgeOrder,
  trajectory: judgeTrajectory,
  model: judgeModel,
  release: judgeRelease,
  services: judgeServices,
  memory: judgeMemory,
  cache: judgeCache,
  ownership: (_, facts) => judgeOwnership(facts),
  provenance: (_, facts) => judgeProvenance(facts),
  context: judgeBinding,
  stages: judgeStages,
  artifact: judgeArtifact,
  delivery: judgeDelivery,
  output: judgeOutput,
  outcome: judgeOutcome,
  score: judgeScore,
  some_of: (clause, facts) => judgeSomeOf(clause, facts, judgeClause),
};

/** Judges one clause over the facts of a turn. */
export function judgeClause<N extends ClauseName>(
  clause: ClauseOf<N>,
  facts: TurnFacts,
): ClauseJudgement {
  const judge: Judges[N] = judges[clause.clause];
  return judge(clause, facts);
}
