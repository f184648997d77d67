/** @module What the gate compares and what it reports. */
import type { Interval } from "./intervals.ts";
import type { Measured, SideMeasure } from "./measures.ts";
import type { PassK } from "./pass-k.ts";
import type { OfSides, PairingCounts } from "./pairing.ts";
import type { TrialCount, Trial } from "./trials.ts";

/** What the gate found. */
export type GateOutcome = "regressed" | "no_regression" | "not_enough_evidence";

/** Results of one contract on both sides. */
export type ContractTrials = {
  readonly name: string;
  readonly baseline: readonly Trial[];
  readonly candidate: readonly Trial[];
};

/** Values of one measure on both sides. */
export type MeasureTrials = {
  readonly name: string;
  readonly unit: string;
  readonly baseline: readonly Measured[];
  readonly candidate: readonly Measured[];
};

/** Settings of the gate. */
export type GateSettings = {
  /** Chance of a false alarm over all tests together. Default 0.05. */
  readonly alpha?: number;
  /** Allowed drop of the share of turns that satisfy a contract, from 0 to 1. Default 0.05. */
  readonly allowedDrop?: number;
  /** Growth of a measure's values which is allowed, as a share. Default 0.1. */
  readonly allowedGrowth?: number;
  /**
   * Contracts and measures that must be decided, by name. Else a contract that applied to no turn,
   * a measure that was not recorded and one that only ranges leave open decide nothing.
   */
  readonly required?: readonly string[];
  /** Power that the plan states the smallest drop and growth for. Default 0.8. */
  readonly power?: number;
  /** k of pass^k. Default: the fewest turns of a case, at most 10. */
  readonly k?: number;
};

/** What the sizes of both sides can show, stated before the answer. */
export type GatePlan = {
  /** Level of one test after correction for all of them. */
  readonly alpha: number;
  readonly power: number;
  /**
   * Share of the baseline's turns that is taken to violate the contract: half a turn is added to
   * each answer. Absent where no turn of the baseline has a result.
   */
  readonly baselineViolated?: number;
  /** Turns without a result, where there are any: they weigh against a regression. */
  readonly unknown?: OfSides;
  /** Turns that name no case beside pairs, where there are any: they weigh in the same way. */
  readonly withoutCase?: OfSides;
  /** In pairs, the number of cases: each counts as one, however many turns it has. */
  readonly cases?: number;
  /** Smallest drop that is found with `power`; absent where none would be found. */
  readonly smallestDrop?: number;
};

/**
 * What the values of the baseline and the sizes can show of a measure, stated before the answer.
 */
export type GrowthPlan = {
  /** Level of one test after correction for all of them. */
  readonly alpha: number;
  readonly power: number;
  readonly allowedGrowth: number;
  /** Turns without a value, where there are any: they weigh against a regression. */
  readonly unknown?: OfSides;
  /** Turns that name no case beside pairs, where there are any: they weigh in the same way. */
  readonly withoutCase?: OfSides;
  /** Turns whose value is a range, where there are any: its ends weigh against a regression. */
  readonly ranges?: OfSides;
  /** Smallest growth, as a share, that is found with `power`; absent where none would be found. */
  readonly smallestGrowth?: number;
};

/** What a gate can show, by the names of contracts and of measures. */
export type GatePlans = {
  readonly contracts: Readonly<Record<string, GatePlan>>;
  readonly measures: Readonly<Record<string, GrowthPlan>>;
  /** Contracts that applied to no turn of either side, where there are any. */
  readonly notApplied?: readonly string[];
};

/** One side of a contract. */
export type SideShare = TrialCount & { readonly share?: number; readonly interval?: Interval };

/** One contract on both sides. */
export type ContractComparison = PairingCounts & {
  readonly name: string;
  readonly baseline: SideShare;
  readonly candidate: SideShare;
  readonly passK: { readonly baseline: PassK; readonly candidate: PassK };
  readonly drop?: number;
  readonly dropInterval?: Interval;
  /** p-value of the exact test, before and after Holm's correction. */
  readonly p: number;
  readonly adjustedP: number;
  readonly outcome: GateOutcome;
};

/** One measure on both sides. */
export type MeasureComparison = PairingCounts & {
  readonly name: string;
  readonly unit: string;
  readonly allowedGrowth: number;
  readonly baseline: SideMeasure;
  readonly candidate: SideMeasure;
  readonly p: number;
  readonly adjustedP: number;
  readonly outcome: GateOutcome;
  /** False: it is open only because values are ranges, and takes no part in the outcome of all. */
  readonly decides: boolean;
};

/** The gate's answer. */
export type GateReport = {
  readonly outcome: GateOutcome;
  readonly alpha: number;
  readonly allowedDrop: number;
  /** Two-sided confidence of each interval: 1 - 2 alpha. */
  readonly intervalLevel: number;
  readonly contracts: readonly ContractComparison[];
  /** Contracts that applied to no turn of either side: each is not enough evidence. */
  readonly notApplied: readonly string[];
  readonly measures: readonly MeasureComparison[];
  /** Measures that no turn of either side has: they are not compared. */
  readonly notRecorded: readonly string[];
  /** What limits the answer, in sentences; absent: nothing was looked for. */
  readonly warnings?: readonly string[];
};
