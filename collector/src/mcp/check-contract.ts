/** @module CheckContract: contracts over the turns of one root, in three values. */
import { ContractError, evaluateTurns, parseContracts } from "@turnproof/contracts";
import type { ContractSet, TurnResult } from "@turnproof/contracts";
import { z } from "zod";

import { checkedWindow } from "../judge/checked-window.ts";
import type { TurnModel } from "../pages/turn/turn-reading.ts";
import { AnswerText, evidence, value } from "./answer-text.ts";
import { Refused } from "./requester.ts";
import { anId, tool } from "./tool.ts";
import type { Tool } from "./tool.ts";
import { pageAddress } from "../ui/display/page-address.ts";

/** Does this turn hold its contract? */
export const checkContract: Tool = tool({
  name: "check_a_contract",
  title: "Does this turn hold its contract?",
  description:
    "Judges the turns of a root by contracts in YAML or JSON: holds, violated or not established, " +
    "clause by clause with evidence. Without contracts, the default one: the turn ended, nothing " +
    "failed, its tools succeeded.",
  input: {
    root_trace_id: anId.describe("Root trace."),
    turn_id: anId.optional().describe("One turn of it."),
    contracts: z
      .string()
      .max(20_000)
      .optional()
      .describe("A file of contracts: `version: 1` and `contracts`, as `turnproof check` reads."),
  },
  async answer(request, { root_trace_id: root, turn_id, contracts }) {
    const { contracts: own, goldens } = read(contracts);
    const path = pageAddress("traces", root);
    const model = await request.json<TurnModel>(`${path}.json`, { turn_id, read: "whole" });
    const metadata = checkedWindow(model.window, model.verdict);
    const text = new AnswerText();
    const how = { goldens, metadata, ...(await request.pricing()) };
    for (const result of evaluateTurns(model.events, own, how)) {
      addResult(text, result);
    }
    return text.end(`page: ${request.link(path)}`);
  },
});

/** One line for each contract, with its unmet clauses below. */
function addResult(text: AnswerText, { turn, contracts, whole, reasons }: TurnResult): void {
  for (const { result, contract, clauses } of contracts) {
    text.add(`${result}: contract ${value(contract)}, turn ${value(turn.turn_id)}`);
    for (const clause of clauses) {
      if (clause.result === "holds") continue;
      text.add(
        `  ${clause.result} ${value(clause.id ?? clause.clause)}: ${clause.sentence}` +
          evidence(clause.evidence_ids, clause.evidence_count),
      );
    }
  }
  if (!whole) text.add(`  the window is not whole: ${reasons.join(", ")}`);
}

function read(text: string | undefined): ContractSet {
  if (text === undefined) return { contracts: [], goldens: [] };
  try {
    return parseContracts(text);
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    const problems = error.problems.slice(0, 10).map(({ path, rule }) => `${path}: ${rule}`);
    throw new Refused("contract_invalid", `The contracts are not valid. ${problems.join("; ")}`);
  }
}
