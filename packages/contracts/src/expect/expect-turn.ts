/**
 * @module ExpectTurn: contracts in unit tests. It throws an `AssertionError` as `node:assert` does,
 * which Vitest, Jest and node:test show alike; it needs none of them.
 */
import type { WindowMetadata } from "@turnproof/evidence";

import { evaluateTurns } from "../evaluate/evaluate.ts";
import type { EvaluateOptions, TurnResult } from "../evaluate/evaluate.ts";
import type { Outcome } from "../evaluate/three-values.ts";
import { defineContract } from "../language/contract.ts";
import type { TurnContract } from "../language/contract.ts";
import { textReport } from "../report/text.ts";

/** Events with what is known of how they were read: also the `MemoryExporter` of the exporter. */
export interface ReadEvents {
  readonly events: readonly unknown[];
  readonly metadata?: WindowMetadata;
}

/** Expectations on the turns among some events. */
export interface TurnExpectation {
  /** Every turn satisfies the contract; what is not established fails as well. */
  toSatisfy(contract: TurnContract, options?: EvaluateOptions): void;
  /** Some turn violates the contract. */
  toViolate(contract: TurnContract, options?: EvaluateOptions): void;
}

/** A failed expectation, in the form that test runners show. */
export class ExpectationError extends Error {
  readonly code: "ERR_ASSERTION";
  readonly generatedMessage: boolean;
  readonly expected: unknown;
  readonly actual: unknown;
  readonly operator: string;

  constructor(message: string, parts: { expected: Outcome; actual: unknown; operator: string }) {
    super(message);
    this.name = "AssertionError";
    this.code = "ERR_ASSERTION";
    this.generatedMessage = false;
    this.expected = parts.expected;
    this.actual = parts.actual;
    this.operator = parts.operator;
  }
}

/**
 * Expectations on turns; they throw a `ContractError` for a wrong contract.
 *
 * @param events a list, of which absence decides nothing, or events with their metadata
 */
export function expectTurn(events: readonly unknown[] | ReadEvents): TurnExpectation {
  const read: ReadEvents = "events" in events ? events : { events };
  const results = (contract: TurnContract, options: EvaluateOptions): TurnResult[] =>
    // A contract of plain JavaScript was read by no schema.
    evaluateTurns(read.events, [defineContract(contract)], {
      ...(read.metadata === undefined ? {} : { metadata: read.metadata }),
      otherwise: null,
      ...options,
    });
  return {
    toSatisfy(contract, options = {}) {
      const found = results(contract, options);
      check(found, "holds", { operator: "toSatisfy", contract });
    },
    toViolate(contract, options = {}) {
      const found = results(contract, options);
      check(found, "violated", { operator: "toViolate", contract });
    },
  };
}

function check(
  results: readonly TurnResult[],
  expected: "holds" | "violated",
  { operator, contract }: { readonly operator: string; readonly contract: TurnContract },
): void {
  const all = results.flatMap(({ contracts }) => contracts.map(({ result }) => result));
  const met =
    expected === "holds"
      ? all.length > 0 && all.every((result) => result === "holds")
      : all.includes("violated");
  if (met) return;
  const why =
    results.length === 0
      ? "There is no turn among the events.\n"
      : all.length === 0
        ? "The contract applies to no turn.\n"
        : textReport(results);
  const message = `Expected the turn ${expected === "holds" ? "to satisfy" : "to violate"} ${contract.name}.\n${why}`;
  throw new ExpectationError(message, { expected, actual: all, operator });
}
