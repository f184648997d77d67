/** @module Applied: contracts of which a turn has a result, and those that applied to no turn. */
import { defaultContract } from "../default-contract.ts";
import type { ContractTrials, GateOutcome } from "./gate-report.ts";

/** Contracts by whether a turn of either side has a result of them. */
export function appliedOf(all: readonly ContractTrials[]): {
  readonly contracts: readonly ContractTrials[];
  readonly notApplied: readonly string[];
} {
  const has = ({ baseline, candidate }: ContractTrials): boolean =>
    baseline.length + candidate.length > 0;
  return {
    contracts: all.filter(has),
    notApplied: all.filter((one) => !has(one)).map(({ name }) => name),
  };
}

/** Not enough evidence where none of the named contracts has a result: then none is tested. */
export function outcomeOfNone(
  contracts: readonly ContractTrials[],
  notApplied: readonly string[],
): readonly GateOutcome[] {
  const none =
    notApplied.length > 0 && contracts.every(({ name }) => name === defaultContract.name);
  return none ? ["not_enough_evidence"] : [];
}

/** A contract that applied to no turn, in a sentence. */
export function notAppliedWarning(name: string): string {
  return `Contract ${name} applied to 0 turns of both sides.`;
}
