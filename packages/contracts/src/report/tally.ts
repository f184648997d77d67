/** @module Tally: how many results there are of each kind, and one line for each turn. */
import type { ClauseResult, ContractResult, TurnResult } from "../evaluate/evaluate.ts";

/** Counts of contract results, each contract once per turn. */
export interface Tally {
  readonly turns: number;
  readonly holds: number;
  readonly violated: number;
  readonly not_established: number;
}

/** Counts the results. */
export function tallyOf(results: readonly TurnResult[]): Tally {
  const tally = { turns: results.length, holds: 0, violated: 0, not_established: 0 };
  for (const { contracts } of results) for (const { result } of contracts) tally[result] += 1;
  return tally;
}

/** The counts in one sentence. */
export function tallyTexts({ turns, holds, violated, not_established: open }: Tally): string {
  const of = turns === 1 ? "turn" : "turns";
  return `${turns} ${of}; results: ${holds} hold, ${violated} violated, ${open} not established.`;
}

/** Names of the contracts of which no turn has a result, in their order. */
export function notAppliedOf(
  contracts: readonly { readonly name: string }[],
  results: readonly TurnResult[],
): readonly string[] {
  const judged = new Set(rowsOf(results).map(({ contract }) => contract.contract));
  return contracts.map(({ name }) => name).filter((name) => !judged.has(name));
}

/** A contract that no turn has a result of, in words. */
export const notAppliedTexts = "applied to 0 turns: its `when` matches none of them";

/** What a report names beside results. */
export interface ReportScope {
  /** Contracts that applied to no turn. */
  readonly notApplied?: readonly string[];
}

/** A contract result with its turn. */
export interface Row {
  readonly turn: TurnResult;
  readonly contract: ContractResult;
}

/** All contract results, in order. */
export function rowsOf(results: readonly TurnResult[]): Row[] {
  return results.flatMap((turn) => turn.contracts.map((contract) => ({ turn, contract })));
}

/** A turn in one word: root and turn id. */
export function turnName({ turn }: TurnResult): string {
  return [turn.root_trace_id ?? "no root", ...(turn.turn_id === null ? [] : [turn.turn_id])].join(
    "/",
  );
}

/** A clause in one word: its id, or its name and place. */
export function clauseName({ id, clause, index }: ClauseResult): string {
  return id ?? `${clause}[${index}]`;
}

/** Clauses that are not met, worst first. */
export function unmet({ clauses }: ContractResult): ClauseResult[] {
  return [
    ...clauses.filter(({ result }) => result === "violated"),
    ...clauses.filter(({ result }) => result === "not_established"),
  ];
}
